package run

import (
	"context"
	"math"
)

// locate finds the cell around a point: of two that share the face through it the lower one.
func (d *vofRun) locate(at []float64) (cell int, id int64) {
	g, b := d.block.Grid, d.block
	var own [3]int
	for axis, x := range at {
		n := g.N[axis]
		if !(x >= g.Face(axis, 0) && x <= g.Face(axis, n)) {
			return -1, 0
		}
		i := min(n-1, int(math.Ceil((x-g.Lo[axis])/g.Spacing(axis))))
		for i > 0 && x <= g.Face(axis, i) {
			i--
		}
		if own[axis] = i - b.Lo[axis]; own[axis] < 0 || own[axis] >= b.N[axis] {
			return -1, 0
		}
	}
	for axis := 2; axis >= 0; axis-- {
		cell = cell*b.N[axis] + own[axis]
		id = id*int64(g.N[axis]) + int64(b.Lo[axis]+own[axis])
	}
	return cell, id
}

func (d *vofRun) columns(fields []string) []string {
	var names []string
	for _, name := range fields {
		all := numbersOf(name)
		names = append(names, all[:min(len(all), d.block.Grid.Dim)]...)
	}
	return names
}

func (d *vofRun) probe(ctx context.Context, fields []string, cells []int, values []float64) error {
	return d.solver.Probe(ctx, d.columns(fields), cells, values)
}

// numbersOf are what the solver calls the numbers of a field of the case.
func numbersOf(field string) []string {
	if field == "normal" {
		return []string{"nx", "ny", "nz"}
	}
	return []string{field}
}
