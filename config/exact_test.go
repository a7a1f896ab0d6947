package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestExact proves that exact solutions are part of a case and of its hash, but not of StepKeysHash.
func TestExact(t *testing.T) {
	const text = "solver = 'toy'\n[time]\nend = 1\n"
	decoders := map[string]config.Decoder{"toy": func(root *config.Section, c *config.Case) {
		c.Sections = noSections{}
		c.DecodeTransient(root, 2,
			config.Outputs{Fields: []string{"p", "q"}, Default: []string{"q"}, Formats: []string{"vti"}})
	}}
	parse := func(more string) (*config.Case, error) {
		return config.Parse("c.toml", []byte(text+more), nil, decoders)
	}
	plain, err := parse("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse("[exact]\nq = 'x + t'\np = 3\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Exact) != 2 || c.Exact[0].Name != "p" || c.Hash() == plain.Hash() ||
		c.StepKeysHash() != plain.StepKeysHash() {
		t.Errorf("%+v", c.Exact)
	}
	again, err := config.Parse("c.toml", []byte(c.String()), nil, decoders)
	if err != nil || again.String() != c.String() || !strings.Contains(c.String(), "[exact]\np = \"3\"\nq = \"x + t\"\n") {
		t.Errorf("%v, %v", again, err)
	}
	for more, want := range map[string]string{
		"[exact]\nr = 1":              "c.toml:5: [exact] r: no such key",
		"[exact]\nq = { mesh = 'q' }": "c.toml:5: [exact] q: must be a number or an expression",
		"[exact]\nq = 'x +'":          "c.toml:5: [exact] q: ",
	} {
		if _, err := parse(more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

type noSections struct{}

func (noSections) Print(*config.Printer) {}

// TestByteOrderMark proves that a byte-order mark at the start changes neither the case nor its line numbers.
func TestByteOrderMark(t *testing.T) {
	decoders := map[string]config.Decoder{"toy": func(root *config.Section, c *config.Case) {
		c.Sections = noSections{}
		c.DecodeTransient(root, 2, config.Outputs{Fields: []string{"q"}, Default: []string{"q"}, Formats: []string{"vti"}})
	}}
	const text = "solver = 'toy'\n[time]\nend = 1\n"
	c, err := config.Parse("c.toml", []byte("\ufeff"+text), nil, decoders)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := config.Parse("c.toml", []byte(text), nil, decoders); err != nil || plain.Hash() != c.Hash() {
		t.Errorf("error %v, or the hash changed", err)
	}
	_, err = config.Parse("c.toml", []byte("\ufeff"+text+"ends = 1\n"), nil, decoders)
	if err == nil || !strings.HasPrefix(err.Error(), "c.toml:4: ") {
		t.Error(err)
	}
}
