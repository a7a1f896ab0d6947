package structures

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

// Evaluate returns the structures of a case for the solver, with their rules. groups are the names of the mesh's groups
// of edges.
func Evaluate(c *config.Case, given []Structure, rules []Rule, groups []string) (list []hydraulics.Structure,
	err error) {
	for _, t := range given {
		if slices.Contains(groups, t.Name) {
			return nil, fmt.Errorf("[[%s]] name: %q is a group of the mesh, which has a column of that name in "+
				"conservation.csv: choose another", t.Kind, t.Name)
		}
		to := place(t.To, t.Radius)
		if t.Line != nil {
			to = &hydraulics.Place{X: t.Line[0][0], Y: t.Line[0][1], Radius: t.Radius, Line: t.Line}
		}
		s := hydraulics.Structure{Name: t.Name, Kind: t.Kind, From: place(t.From, t.Radius), To: to,
			Barrel: &t.Barrel, Barrels: t.Barrels, InvertFrom: t.InvertFrom, InvertTo: t.InvertTo, OneWay: t.OneWay,
			Deck: t.Deck, Crest: t.Weir * t.Crest, Width: t.Barrel.Width, Contraction: t.Contraction, Travel: t.Travel,
			Rules: rulesOf(&t, rules)}
		if s.Ruled = t.Kind == "breach" && t.begins(); s.Ruled {
			s.Start = t.Start
		}
		if t.Kind == "gate" && t.Deck == t.Deck {
			s.Crest = t.Weir * t.Barrel.Width
		}
		key := cmp.Or(map[string]string{"culvert": "opening", "gate": "opening", "breach": "crest"}[t.Kind], "discharge")
		if s.Value, err = valueOf(c, t.Value); err != nil {
			return nil, fmt.Errorf("[[%s]] %s: %s: %w", t.Kind, t.Name, key, err)
		}
		for _, r := range s.Value {
			if t.Kind != "source" && t.Kind != "breach" && r.Value < 0 || t.Kind == "culvert" && r.Value > 1 {
				return nil, fmt.Errorf("[[%s]] %s: %s at t = %g s is %g: it must not be negative, and a culvert is open at "+
					"most by 1", t.Kind, t.Name, key, r.T, r.Value)
			}
		}
		if t.Kind == "breach" {
			s.Crest = t.Weir
			if s.Length, err = valueOf(c, t.Length); err != nil {
				return nil, fmt.Errorf("[[breach]] %s: length: %w", t.Name, err)
			}
			for _, r := range s.Length {
				if r.Value < 0 {
					return nil, fmt.Errorf("[[breach]] %s: length at t = %g s is %g: it must not be negative", t.Name, r.T, r.Value)
				}
			}
		}
		list = append(list, s)
	}
	return list, nil
}

func valueOf(c *config.Case, s config.Series) ([]series.Row, error) {
	if s.Program == nil && s.File == "" && !s.Driven { // a default
		return series.Constant(1), nil
	}
	return series.FromCase(c, s)
}

func place(at []float64, radius float64) *hydraulics.Place {
	if len(at) != 2 {
		return nil
	}
	return &hydraulics.Place{X: at[0], Y: at[1], Radius: radius}
}
