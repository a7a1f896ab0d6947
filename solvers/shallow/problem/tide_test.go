package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// estuary is a basin with a tide at one side, and waves that leave over another at the other side.
const estuary = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 5000, 5000], cells = 200 }
physics = { layers = 1 }
initial = { depth = 5, z = 0.6 }
time = { end = "12 h", epoch = "2026-03-20T00:00:00Z", max_steps = 25 }
output = { format = [], conservation_every = 5 }

[boundary]
left = { level = { constituents = "DIR/tide.csv" } }
right = { radiation = { constituents = "DIR/tide.csv" }, incident = "0.1*sin(t/60)" }
`

// TestTidesAtBoundaries: levels by harmonic constants have the same bits on any number of ranks and after a restart,
// and read back.
func TestTidesAtBoundaries(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tide.csv"), []byte("name,amplitude,phase\nM2,1.5,30\nO1,0.2,200\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	text, hash := strings.ReplaceAll(estuary, "DIR", dir), ""
	for _, ranks := range []int{1, 3} {
		s, err := runtest.Run(t, text, ranks, 1, runtest.Local, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if hash != "" && s.StateSHA256 != hash {
			t.Errorf("state %s on %d ranks, %s on one", s.StateSHA256, ranks, hash)
		}
		if hash = s.StateSHA256; s.Metrics["mass_from_left"] == 0 {
			t.Error("no water comes in")
		}
	}
	runtest.Restarts(t, text, []int{1, 6})
	c := runtest.Parse(t, text)
	if again := runtest.Parse(t, c.String()); again.Hash() != c.Hash() ||
		strings.Count(c.String(), "constituents = ") != 2 {
		t.Errorf("case\n%s\nreads back as\n%s", c, again)
	}
}

func TestRefusedTides(t *testing.T) {
	for level, want := range map[string]string{
		`left = { level = { constituents = "a.csv", hold = true } }`:      "[boundary] left level.hold: no such key",
		`left = { inflow = { constituents = "a.csv" } }`:                  "[boundary] left inflow.constituents: no such key",
		`left = { level = { constituents = "a.csv", series = "a.csv" } }`: "[boundary] left level.series: no such key",
	} {
		text := estuary[:strings.Index(estuary, "left")] + level + "\n"
		_, err := config.Parse("case.toml", []byte(text), nil, map[string]config.Decoder{"shallow-water": Decode})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", level, err, want)
		}
	}
}
