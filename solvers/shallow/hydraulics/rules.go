package hydraulics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/lines"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// Rule lets a structure use a share of its opening or capacity, by a level or a discharge that it watches.
type Rule struct {
	// Watch is what it watches: the level "from" or "to", at an end of the structure, or "fall", the former less the
	// latter, m; or, with a place At of its own, the level there, "level", or the discharge through its line to its
	// right, "discharge", m³/s.
	Watch string
	At    *Place

	// The share by rows of the number that it watches. Without rows it is 1 from Start on and 0 below Stop; if Stop is
	// above Start, 1 down from Start and 0 above Stop.
	Table       []series.Row
	Start, Stop float64
}

// flow reports whether the rule watches a discharge.
func (r *Rule) flow() bool { return r.Watch == "discharge" }

// addRules adds the rules of a structure, without what they watch.
func (l *Layout[F]) addRules(to *structures.Structure, rules []Rule) {
	to.Rule, to.Rules = int32(len(l.rules)), int32(len(rules))
	for k := range rules {
		r := &rules[k]
		rule := structures.Rule{Start: r.Start, Stop: r.Stop, Flow: r.flow()}
		if r.Table != nil {
			rule.Table = l.addTable(held(r.Table))
		}
		l.asked, l.rules = append(l.asked, r), append(l.rules, rule)
	}
}

// crossed returns the owned cells that a line crosses, each once.
func (at *Setting) crossed(ctx context.Context, line [][]float64) (list []lines.Crossing, err error) {
	g, err := at.Cells.Geometry(ctx)
	if err != nil {
		return nil, err
	}
	index := map[int]int{}
	for _, x := range lines.Crossings(line, g.Mesh, at.Part.Owned) {
		n, known := index[x.Cell]
		if !known {
			n, index[x.Cell] = len(list), len(list)
			list = append(list, lines.Crossing{Cell: x.Cell})
		}
		list[n].X, list[n].Y = list[n].X+x.X, list[n].Y+x.Y
	}
	if at.Part.Geographic {
		lines.OnEarth(list, func(cell int) float64 { return at.Cells.Position(cell)[1] })
	}
	return list, nil
}

// setWatched sets what rules watch: ends of their structure, or their own places, whose sites come after those of
// structures.
func (l *Layout[F]) setWatched(sites []site) error {
	for n := l.ofStructures(sites); n < len(sites); n++ {
		extend(&l.rules[int(sites[n].Structure)-len(l.given)].Watched, n, sites[n])
	}
	for k := range l.list {
		s, given := &l.list[k], &l.given[k]
		for n := s.Rule; n < s.Rule+s.Rules; n++ {
			if err := l.asked[n].attach(&l.rules[n], s); err != nil {
				return fmt.Errorf("rule of %s %q: %w", given.Kind, given.Name, err)
			}
		}
	}
	return nil
}

// attach makes a rule watch the ends of its structure, or checks that its own place has cells.
func (r *Rule) attach(to *structures.Rule, s *structures.Structure) error {
	switch r.Watch {
	case "from":
		to.Watched = s.From
	case "to":
		to.Watched = s.To
	case "fall":
		to.Watched, to.Against = s.From, s.To
		if s.From.Count == 0 || s.To.Count == 0 {
			return errors.New(`"fall" is the level at from less that at to, and the structure does not have both`)
		}
	}
	switch {
	case to.Watched.Count > 0:
		return nil
	case r.flow():
		return fmt.Errorf("the line from %v to %v crosses no cell; a line along edges crosses the cells at its right, so on "+
			"the boundary reverse it", r.At.Line[0], r.At.Line[len(r.At.Line)-1])
	case r.At != nil:
		return fmt.Errorf("(%g, %g) is outside of the mesh", r.At.X, r.At.Y)
	}
	return fmt.Errorf("the structure has no end %q", r.Watch)
}

// controlled reports whether the opening or capacity of a structure changes.
func (s *Structure) controlled() bool {
	_, _, _, driven := series.AsDriven(s.Value)
	return len(s.Rules) > 0 || (driven || len(s.Value) > 1) && slices.Contains([]string{"culvert", "gate"}, s.Kind)
}
