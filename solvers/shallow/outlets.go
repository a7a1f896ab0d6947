package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// outlets collects the boundary edges of a part that are no walls, and what is given there. They belong to gates, the
// groups of edges through which water comes and goes, which are the same on all ranks.
type outlets[F num.Float] struct {
	boundary kernels.Boundary[F]
	gates    []int         // groups, -1 standing for the edges of no group
	of       map[int]int32 // gate by group
	rows     []kernels.Row
	changing []kernels.Changing
	force    kernels.Forcing[F]
	up       kernels.Uplift[F]
	sources  sources
	sides    []int64 // of each outlet, three times the global id of its cell plus its place among the cell's edges
	grid     float64 // on which levels are, so that water at rest meets its own
}

func newOutlets[F num.Float](cfg Config, groups []mesh.Group, grid float64) (*outlets[F], error) {
	o := &outlets[F]{of: map[int]int32{}, grid: grid}
	o.number(series.Steady(0), false) // what there is none of
	for g := range groups {
		if groups[g].Dim != 1 {
			continue
		}
		var given kernels.Given
		switch {
		case len(cfg.Given) > 0 && cfg.Given[g] != nil:
			var err error
			if given, err = o.given(cfg.Given[g]); err != nil {
				return nil, err
			}
		case g >= len(cfg.Boundary) || !cfg.Boundary[g]:
			continue
		}
		o.gate(g, given)
	}
	if cfg.Open {
		o.gate(-1, kernels.Given{})
	}
	return o, nil
}

func (o *outlets[F]) gate(group int, given kernels.Given) {
	o.of[group] = int32(len(o.gates))
	o.gates = append(o.gates, group)
	o.boundary.Given = append(o.boundary.Given, given)
}

// given takes over what is given at a group.
func (o *outlets[F]) given(g *Given) (k kernels.Given, err error) {
	kind, ok := givenKinds[g.Kind]
	if !ok {
		return k, fmt.Errorf("boundary %q is not known; choose level, discharge or radiation", g.Kind)
	}
	if len(g.Value) == 0 {
		return k, fmt.Errorf("boundary: a %s has no value", g.Kind)
	}
	k = kernels.Given{Kind: kind, Value: o.number(g.Value, kind != kernels.Discharge)}
	if g.Wave != nil {
		k.Wave = o.number(g.Wave, true)
	}
	return k, nil
}

// number adds a number to those that are given, with the series that it follows.
func (o *outlets[F]) number(rows []series.Row, level bool) int32 {
	slot := int32(len(o.boundary.Now))
	value := func(r series.Row) float64 {
		if level {
			return onGrid(r.Value, o.grid)
		}
		return r.Value
	}
	o.boundary.Now = append(o.boundary.Now, F(value(rows[0])))
	if len(rows) > 1 {
		o.follow(slot, rows, value)
	}
	return slot
}

// follow lets a number follow a series.
func (o *outlets[F]) follow(slot int32, rows []series.Row, value func(series.Row) float64) {
	o.changing = append(o.changing, kernels.Changing{Slot: slot, First: int32(len(o.rows)), Count: int32(len(rows))})
	for _, r := range rows {
		o.rows = append(o.rows, kernels.Row{T: r.T, Value: value(r)})
	}
}

// add makes the edge at slot k of cell i, at the boundary, an outlet if it is no wall, and returns what stands for it
// at its right.
func (o *outlets[F]) add(p *mesh.Part, i int32, k int) int32 {
	neighbour := p.Neighbour[i][k]
	gate, ok := o.of[int(mesh.OutsideGroup(neighbour))]
	if !ok {
		return kernels.Wall
	}
	o.boundary.Of = append(o.boundary.Of, gate)
	o.boundary.Passed = append(o.boundary.Passed, kernels.Passed{})
	o.sides = append(o.sides, 3*int64(p.Global[i])+int64(k))
	return kernels.FirstOutlet - int32(len(o.boundary.Of)-1)
}
