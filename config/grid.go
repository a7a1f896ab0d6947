package config

import (
	"slices"
	"strings"
)

// Grid is the section [grid]: a box of equal cells in the plane or in space, and its division into blocks. Defaults
// are given after a semicolon.
type Grid struct {
	Dim      int        // 2 or 3, half the length of bounds
	Lo, Hi   [3]float64 // opposite corners in m; 0 along z in the plane
	Cells    [3]int     // along each axis; 1 along z in the plane
	Periodic [3]bool    // axes with periodic boundaries; none
	Blocks   [3]int     // ranks along each axis, 1 along z in the plane; 0 for automatic choice
}

var axes = []string{"x", "y", "z"}

const (
	maxAxis  = 1 << 24 // cells along an axis
	maxTotal = 1 << 40 // cells of a grid
)

// DecodeGrid reads the section [grid], with keys that only some solvers have.
func DecodeGrid(s *Section, more ...func(key func(*Spec))) Grid {
	g := Grid{Cells: [3]int{1, 1, 1}}
	g.keys(s.Read)
	for _, keys := range more {
		keys(s.Read)
	}
	if g.Dim > 0 { // otherwise nothing else can be checked
		g.check(s)
	}
	s.Finish()
	return g
}

// keys declares the keys of the section.
func (g *Grid) keys(key func(*Spec)) {
	key(Special(Key{Name: "bounds", Doc: "`[x0, y0, x1, y1]` in m, or six numbers in three dimensions", Required: true},
		func(s *Section) {
			bounds := s.bounds()
			g.Dim = len(bounds) / 2
			copy(g.Lo[:g.Dim], bounds)
			copy(g.Hi[:g.Dim], bounds[g.Dim:])
		}, func() any { return slices.Concat(g.Lo[:g.Dim], g.Hi[:g.Dim]) }))
	key(Special(Key{Name: "cells", Doc: "number of cells along each axis, or one number for all axes", Required: true},
		func(s *Section) {
			if g.Dim > 0 {
				s.cells(g.Cells[:g.Dim])
			}
		}, func() any { return g.Cells[:g.Dim] }))
	key(Special(Key{Name: "periodic", Doc: "periodic axes, such as `[\"x\"]`; along them the domain may be a " +
		"single cell thick",
		Default: "none"}, g.readPeriodic, g.printedPeriodic))
	key(Special(Key{Name: "blocks", Doc: "number of ranks along each axis, whose product is the number of ranks",
		Default: "the division with the fewest faces between ranks, or of a level set with particles that with equal shares"},
		g.readBlocks, func() any { return given(g.Blocks != [3]int{}, g.Blocks[:g.Dim]) }))
}

func (g *Grid) readPeriodic(s *Section) {
	if g.Dim == 0 {
		return
	}
	for _, axis := range s.Choices("periodic", nil, axes[:g.Dim]...) {
		if a := slices.Index(axes, axis); a >= 0 {
			g.Periodic[a] = true
		}
	}
}

func (g *Grid) printedPeriodic() any {
	periodic := []string{}
	for a, isPeriodic := range g.Periodic {
		if isPeriodic {
			periodic = append(periodic, axes[a])
		}
	}
	return periodic
}

func (g *Grid) readBlocks(s *Section) {
	if g.Dim == 0 || !s.Has("blocks") {
		return
	}
	g.Blocks = [3]int{1, 1, 1}
	s.counts("blocks", g.Blocks[:g.Dim], maxAxis)
	for a := range g.Dim {
		if g.Blocks[a] > g.Cells[a] {
			s.Fail("blocks", "%d blocks along %s for %d cells", g.Blocks[a], axes[a], g.Cells[a])
		}
	}
}

// check refuses grids with too many or too narrow cells.
func (g *Grid) check(s *Section) {
	total := g.Cells[0] * g.Cells[1] // at most 2^48
	if total > maxTotal/g.Cells[2] {
		s.Fail("cells", "%v are more than %d cells in all", g.Cells[:g.Dim], maxTotal)
	}
	for a := range g.Dim {
		lo, hi := g.Lo[a], g.Hi[a]
		h := (hi - lo) / float64(g.Cells[a])
		switch {
		case !(lo < hi):
			s.Fail("bounds", "along %s from %g to %g: the first corner must be the lower one", axes[a], lo, hi)
		case hi-lo > maxExtent:
			s.Fail("bounds", "along %s from %g to %g: longer than %g", axes[a], lo, hi, maxExtent)
		case !(lo+h/8 > lo && hi-h/8 < hi): // positions an eighth of a cell apart must differ
			s.Fail("bounds", "along %s from %g to %g: %d cells are too narrow for coordinates of this size in float64; "+
				"move the grid towards 0", axes[a], lo, hi, g.Cells[a])
		}
	}
}

// maxExtent is the largest length of a grid along an axis in m: its square and cube are finite numbers.
const maxExtent = 1e100

// bounds returns the value of the key bounds, 2 or 3 numbers for each of two corners, or nil.
func (s *Section) bounds() []float64 {
	v, ok := s.get("bounds", true)
	if !ok {
		return nil
	}
	list, _ := v.([]any)
	if len(list) != 4 && len(list) != 6 {
		s.Fail("bounds", "must be [x0, y0, x1, y1] or [x0, y0, z0, x1, y1, z1]")
		return nil
	}
	return s.Numbers("bounds", len(list))
}

// cells reads the number of cells along each axis, or one number for all axes.
func (s *Section) cells(counts []int) {
	if _, isSingle := s.values["cells"].(int64); !isSingle {
		s.counts("cells", counts, maxAxis)
		return
	}
	n := int(s.Integer("cells", Needed, 1, maxAxis))
	for i := range counts {
		counts[i] = n
	}
}

// counts reads a list of positive integers, one for each axis. After a problem the counts are unchanged.
func (s *Section) counts(key string, counts []int, limit int64) {
	v, ok := s.get(key, true)
	s.declare(Key{Name: key, Kind: Numbers, Count: len(counts), Bound: Bound{Least: 1, Most: float64(limit)}})
	if !ok {
		return
	}
	list, _ := v.([]any)
	if len(list) != len(counts) {
		s.Fail(key, "must be a list of %d integers, [%s], for bounds with corners of %[1]d numbers%[3]s", len(counts),
			strings.Join(axes[:len(counts)], ", "), asList(v, true))
		return
	}
	for i, e := range list {
		n, ok := e.(int64)
		if !ok {
			s.Fail(key, "holds %s; integers are needed", kind(e))
			return
		}
		if n < 1 || n > limit {
			s.Fail(key, "%d along %s is not between 1 and %d", n, axes[i], limit)
			return
		}
	}
	for i, e := range list {
		counts[i] = int(e.(int64))
	}
}

// Print writes the section.
func (g *Grid) Print(p *Printer, more ...func(key func(*Spec))) {
	p.Section("[grid]")
	g.keys(p.Print)
	for _, keys := range more {
		keys(p.Print)
	}
}
