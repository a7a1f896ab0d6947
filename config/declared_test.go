package config_test

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestDeclared proves that the keys for which a decoder asks are listed with what they accept, those of sections and
// lists of tables that are missing or invalid too, each once.
func TestDeclared(t *testing.T) {
	decoders := map[string]config.Decoder{"a": func(root *config.Section, c *config.Case) {
		m := root.Sub("method")
		m.Choice("normal", "youngs", "youngs", "myc")
		m.Boolean("adaptive", false)
		m.Number("cfl", config.Share.Or(.5))
		m.Integer("levels", 3, 0, 12)
		m.Choices("fields", nil, "f", "g")
		m.Text("shape", config.Required)
		if sub, ok := m.Within("level"); ok {
			sub.Integer("depth", 1, 1, 9)
		}
		config.DecodeGauges(root, 2)
	}}
	text := "solver = 'a'\nmethod = { adaptive = 3, level = {} }\n[[gauge]]\n"
	keys, _, err := config.Declared([]byte(text), []string{"method.cfl=7"}, decoders)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, k := range keys {
		names[k.String()]++
	}
	for _, want := range []config.Key{
		{Path: "method", Name: "normal", Kind: config.OneOf, Options: []string{"youngs", "myc"}},
		{Path: "method", Name: "adaptive", Kind: config.YesOrNo},
		{Path: "method", Name: "cfl", Kind: config.Number, Bound: config.Share.Or(.5)},
		{Path: "method", Name: "levels", Kind: config.Integer, Bound: config.Bound{Most: 12}},
		{Path: "method", Name: "fields", Kind: config.SomeOf, Options: []string{"f", "g"}},
		{Path: "method", Name: "shape", Kind: config.Text},
		{Path: "method.level", Name: "depth", Kind: config.Integer, Bound: config.Bound{Least: 1, Most: 9}},
		{Path: "gauge.0", Name: "every", Kind: config.Number, Bound: config.NonNegative.Or(0)},
		{Path: "checkpoint", Name: "keep", Kind: config.Integer, Bound: config.Bound{Least: 1, Most: 1 << 53}},
	} {
		n := slices.IndexFunc(keys, func(k config.Key) bool { return k.String() == want.String() })
		if n < 0 || names[want.String()] != 1 {
			t.Errorf("%v is listed %d times", want, names[want.String()])
			continue
		}
		got := keys[n]
		if got.Kind != want.Kind || got.Bound != want.Bound || !slices.Equal(got.Options, want.Options) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
