package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

const bridge = `
[[bridge]]
name = "road"
from = [1, 2]
to = [3, 2]
width = "12 m"
invert = 0.5
soffit = 2
deck = 2.8
`

// TestBridgesReadBack: the effective case has all keys of a bridge.
func TestBridgesReadBack(t *testing.T) {
	c := parse(t, pond+bridge+"crest = 40\n")
	again := parse(t, c.String())
	if again.Hash() != c.Hash() || !strings.Contains(c.String(), "crest = 40\nsluice = 0.5") {
		t.Errorf("case\n%s\nreads back as\n%s", c, again)
	}
}

const breach = `
[[breach]]
name = "gap"
from = [1, 2]
to = [3, 2]
radius = 20
crest = { series = "crest.csv", hold = true }
length = "min(50, t/60)"
`

// TestBreachesReadBack: the effective case has all keys of a breach.
func TestBreachesReadBack(t *testing.T) {
	c := parse(t, pond+breach+"weir = 1.5\n")
	if again := parse(t, c.String()); again.Hash() != c.Hash() || !strings.Contains(c.String(), "weir = 1.5") {
		t.Errorf("case\n%s\nreads back as\n%s", c, again)
	}
	for _, c := range [][3]string{
		{"radius = 20", "", "[[breach]] radius: is required"},
		{"length = \"min(50, t/60)\"", "length = -1", "[[breach]] length: -1 must be"},
		{"length = \"min(50, t/60)\"", "", "[[breach]] length: is required"},
		{"radius = 20", "radius = 20\nopening = 1", "[[breach]] opening: no such key"},
		{"length = \"min(50, t/60)\"", "length = { driven = 1, most = 2 }\nstart = 1", "[[breach]] start: is for a breach"},
	} {
		text := pond + strings.Replace(breach, c[0], c[1], 1)
		if _, err := config.Parse("c.toml", []byte(text), nil, solvers); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v does not say %q", c[1], err, c[2])
		}
	}
}

func TestRefusedBridges(t *testing.T) {
	for _, c := range [][3]string{
		{"soffit = 2", "soffit = 0.5", "[[bridge]] soffit: 0.5 m is not above invert, 0.5 m"},
		{"deck = 2.8", "deck = 1.9", "[[bridge]] deck: 1.9 m is below soffit, 2 m"},
		{"deck = 2.8", "", "[[bridge]] deck: is required"},
		{"width = \"12 m\"", "width = 0", "[[bridge]] width: 0 must be"},
		{"deck = 2.8", "deck = 2.8\norifice = 1.2", "[[bridge]] orifice: 1.2 must be"},
		{"deck = 2.8", "deck = 2.8\nbarrels = 2", "[[bridge]] barrels: no such key"},
		{"\"road\"", "\"rain\"", "is the name of a column of conservation.csv already"},
	} {
		text := pond + strings.Replace(bridge, c[0], c[1], 1)
		if _, err := config.Parse("c.toml", []byte(text), nil, solvers); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v does not say %q", c[1], err, c[2])
		}
	}
}
