package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// seeds are the beginnings of cases from which explorer finds the keys of a solver: some keys depend on the dimension
// and on the form of a gauge.
var seeds = []string{
	"",
	"[mesh]\ngenerate = 'rectangle'\n",
	"[[gauge]]\nat = [0, 0]\n[grid]\nbounds = [0, 0, 1, 1]\ncells = 8\n",
	"[grid]\nbounds = [0, 0, 0, 1, 1, 1]\ncells = [8, 8, 8]\n[[gauge]]\nline = []\n[[gauge]]\nfile = 'f'\n",
	"[grid]\nbounds = [0, 0, 1, 1]\ncells = [8, 8]\nblocks = [1, 1]\n",
}

// explorer collects the keys of a solver's cases.
type explorer struct {
	name     string
	solvers  map[string]config.Decoder
	sections []config.DeclaredSection
	keys     map[string][]config.Key // by the text of Key.String, with different types in different cases
	order    []string                // of the keys
	tables   map[string]string       // references to tables that are values, by their schemas

	definitions map[string]any // of the schema
}

// explore decodes cases of a solver with each seed, with all sections, and with each option of each choice.
func explore(name string, solvers map[string]config.Decoder) (*explorer, error) {
	x := &explorer{name: name, solvers: solvers, keys: map[string][]config.Key{}, tables: map[string]string{}}
	if solvers[name] == nil {
		return nil, fmt.Errorf("there is no solver %q", name)
	}
	for _, seed := range seeds {
		_, sections, err := x.decode(seed, nil)
		if err != nil {
			return nil, err
		}
		var sets []string
		for _, s := range sections {
			switch {
			case s.Given:
			case s.List:
				sets = append(sets, s.Name+"=[{}]")
			default:
				sets = append(sets, s.Name+"={}")
			}
		}
		keys, _, err := x.decode(seed, sets)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			for _, option := range choices(&k) {
				if k.String() == "solver" || strings.Contains(k.Path, ".") || k.Inner || k.Name == "*" {
					continue
				}
				if _, _, err := x.decode(seed, append(slices.Clone(sets), k.String()+"="+option)); err != nil {
					return nil, err
				}
			}
		}
	}
	return x, nil
}

// decode decodes a case, and adds the keys for which the decoder asks.
func (x *explorer) decode(seed string, sets []string) ([]config.Key, []config.DeclaredSection, error) {
	keys, sections, err := config.Declared(fmt.Appendf(nil, "solver = %q\n%s", x.name, seed), sets, x.solvers)
	for _, s := range sections {
		n := slices.IndexFunc(x.sections, func(other config.DeclaredSection) bool { return other.Name == s.Name })
		if n < 0 {
			x.sections = append(x.sections, s)
		} else if s.Open {
			x.sections[n].Open = true
		}
	}
	for _, k := range keys {
		x.add(k)
	}
	return keys, sections, err
}

// index is the part of a path that chooses a table of a list, such as gauge.0.
var index = pattern.Of(`^(\w+)\.\d+\b`)

// add adds a key. The tables of a list are one section.
func (x *explorer) add(k config.Key) {
	k.Path = index().ReplaceAllString(k.Path, "$1")
	name := k.String()
	if x.keys[name] == nil {
		x.order = append(x.order, name)
	}
	same := func(other config.Key) bool { return other.Kind == k.Kind && other.Count == k.Count }
	n := slices.IndexFunc(x.keys[name], same)
	if n < 0 {
		x.keys[name] = append(x.keys[name], k)
		return
	}
	known := &x.keys[name][n]
	known.Table = known.Table || k.Table
	known.Bound.Least = min(known.Bound.Least, k.Bound.Least)
	known.Bound.Most = max(known.Bound.Most, k.Bound.Most)
	known.Doc = cmp.Or(known.Doc, k.Doc)
	for _, option := range k.Options {
		if !slices.Contains(known.Options, option) {
			known.Options = append(slices.Clone(known.Options), option)
		}
	}
}

// choices returns the values, in TOML, of a key that has few.
func choices(k *config.Key) (values []string) {
	const few = 4
	switch {
	case k.Kind == config.YesOrNo:
		return []string{"true", "false"}
	case k.Kind == config.OneOf:
		for _, o := range k.Options {
			values = append(values, fmt.Sprintf("%q", o))
		}
	case k.Kind == config.Integer && k.Bound.Most-k.Bound.Least < few:
		for v := k.Bound.Least; v <= k.Bound.Most; v++ {
			values = append(values, fmt.Sprint(v))
		}
	}
	return values
}
