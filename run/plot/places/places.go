// Package places draws on maps what a case declares at places: gauges, transects, structures, lines such as levees, and
// groups of the boundary, with labels that do not overlap.
package places

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/formats/points"
)

// Declared are sections of a case that declare places besides the gauges and transects that all solvers may have:
// as features.Place makes them, in the coordinates of the case.
type Declared interface {
	Places(c *config.Case) ([]features.Feature, error)
}

// Of returns the places of a case in the plane, in the order in which their labels find room. The error tells which
// could not be read, such as those of a file that is no longer there; the others are returned.
func Of(c *config.Case) (list []features.Feature, failed error) {
	if declared, ok := c.Sections.(Declared); ok {
		list, failed = declared.Places(c)
	}
	for _, g := range c.Gauges {
		at, err := pointsOf(c, &g)
		if err != nil {
			failed = err
		}
		list = append(list, at...)
	}
	for _, t := range c.Transects {
		list = append(list, features.Place(t.Name, features.Line, t.Line))
	}
	return list, failed
}

// pointsOf returns the points of a gauge in the plane. Points along a line are one feature.
func pointsOf(c *config.Case, g *config.Gauge) (list []features.Feature, err error) {
	switch {
	case g.Dim != 2:
		return nil, nil
	case g.File != "":
		all, err := points.Read(c.Path(g.File), 2)
		for _, p := range all {
			list = append(list, features.Place(p.Name, features.Gauge, [][]float64{p.Position}))
		}
		return list, err
	case g.Line != nil:
		return []features.Feature{features.Place(g.Name, features.Line, g.Line)}, nil
	}
	return []features.Feature{features.Place(g.Name, features.Gauge, [][]float64{g.At})}, nil
}
