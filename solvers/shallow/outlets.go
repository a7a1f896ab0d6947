package shallow

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// outlets collects the open boundary edges of a part and their conditions. Each belongs to an open group; the open
// groups are the same on all ranks.
type outlets[F num.Float] struct {
	boundary     kernels.Boundary[F]
	openGroups   []int         // physical groups of the mesh, -1 for edges without a group
	groupIndex   map[int]int32 // index in openGroups by group of the mesh
	rows         []kernels.Row
	series       []kernels.Series
	forcing      kernels.Forcing[F]
	uplift       kernels.Uplift[F]
	sources      sources
	driven       []driven
	structures   *hydraulics.Layout[F]
	weather      weather.Layout[F]
	cells        []int32 // of each outlet
	slots        []int   // of each outlet: the index of its edge among the cell's
	shares       []kernels.Share[F]
	distributed  []kernels.Distribution
	keys         []int64 // of each outlet: three times the global id of its cell plus the index among the cell's edges
	levelSpacing float64 // spacing of levels, so that a given level can equal that of a lake at rest
}

func newOutlets[F num.Float](cfg Config, groups []mesh.Group, levelSpacing float64) (*outlets[F], error) {
	o := &outlets[F]{groupIndex: map[int]int32{}, levelSpacing: levelSpacing}
	o.addConstant(0, mean) // prescribed number 0 is the value 0, for absent forcing
	for g := range groups {
		if groups[g].Dim != 1 {
			continue
		}
		var given kernels.Condition
		switch {
		case len(cfg.Given) > 0 && cfg.Given[g] != nil:
			var err error
			if given, err = o.condition(groups[g].Name, cfg.Given[g]); err != nil {
				return nil, err
			}
		case g >= len(cfg.Boundary) || !cfg.Boundary[g]:
			continue
		}
		o.addGroup(g, given)
	}
	if cfg.Open {
		o.addGroup(-1, kernels.Condition{})
	}
	return o, nil
}

func (o *outlets[F]) addGroup(group int, given kernels.Condition) {
	o.groupIndex[group] = int32(len(o.openGroups))
	o.openGroups = append(o.openGroups, group)
	o.boundary.Conditions = append(o.boundary.Conditions, given)
}

// checkKind returns an error for a kind of boundary condition that is not known.
func (g *Given) checkKind() error {
	if _, known := givenKinds[g.Kind]; !known {
		return fmt.Errorf("boundary %q is not known; choose open, level, discharge, inflow, radiation, normal, critical or "+
			"rating", g.Kind)
	}
	return nil
}

// condition returns the boundary condition of a group, of a known kind.
func (o *outlets[F]) condition(group string, g *Given) (k kernels.Condition, err error) {
	kind := givenKinds[g.Kind]
	k.Kind = kind
	if kind == kernels.Transmissive || kind == kernels.Critical || kind == kernels.Rating {
		if kind == kernels.Rating && len(g.Curve) < 2 {
			return k, fmt.Errorf("boundary: a rating curve has %d rows; it needs two", len(g.Curve))
		}
		k.First, k.Count = o.addCurve(g.Curve)
		return k, nil
	}
	if len(g.Value) == 0 {
		return k, fmt.Errorf("boundary: a %s has no value", g.Kind)
	}
	value, use := g.Value, mean
	switch kind {
	case kernels.Level, kernels.Radiation:
		use = level
	case kernels.NormalDepth:
		slope := g.Value[0].Value
		if !(slope > 0) || len(g.Value) > 1 {
			return k, fmt.Errorf("boundary: the slope of uniform flow is %g; it must be a positive number", slope)
		}
		value = series.Constant(math.Sqrt(slope))
	}
	k.Value = o.addPrescribed(prescribed{group + "_" + g.Kind, givenUnits[g.Kind]}, value, use)
	depth := prescribed{group + "_depth", "m"}
	switch {
	case g.Wave != nil:
		k.Wave = o.addPrescribed(prescribed{group + "_wave", "m"}, g.Wave, level)
	case g.Depth != nil && kind == kernels.Discharge:
		k.Kind, k.Wave = kernels.Torrent, o.addPrescribed(depth, g.Depth, mean)
	case g.Depth != nil && kind == kernels.TotalDischarge:
		k.Kind, k.Wave = kernels.TotalTorrent, o.addPrescribed(depth, g.Depth, mean)
	}
	return k, nil
}

// addCurve adds the rows of a curve, and returns the position of the first one and their number.
func (o *outlets[F]) addCurve(rows []series.Row) (first, count int32) {
	first = int32(len(o.boundary.Curves))
	for _, r := range rows {
		o.boundary.Curves = append(o.boundary.Curves, kernels.Row{T: r.T, Value: r.Value})
	}
	return first, int32(len(rows))
}

// use is how steps use a prescribed number that changes in time.
type use bool

const (
	mean  use = false // its mean over the step, which is exact for amounts: discharges, rain, losses, forces
	level use = true  // its values at the times of the stages, rounded to multiples of levelSpacing
)

// addPrescribed adds a prescribed number, which boundary conditions or forcing read, and returns its index in
// Boundary.Prescribed. If it has several rows, it also adds the series that kernels evaluate for it at each step.
func (o *outlets[F]) addPrescribed(p prescribed, rows []series.Row, u use) int32 {
	if slot, ok := o.addDriven(p, rows, u); ok {
		return slot
	}
	slot := o.addConstant(rows[0].Value, u)
	if len(rows) > 1 {
		o.addSeries(slot, rows, u)
	}
	return slot
}

// addConstant adds a prescribed number that is constant so far, and returns its index.
func (o *outlets[F]) addConstant(value float64, u use) int32 {
	slot := int32(len(o.boundary.Prescribed))
	v := F(o.rounded(value, u))
	o.boundary.Prescribed, o.boundary.Ahead = append(o.boundary.Prescribed, v), append(o.boundary.Ahead, v)
	return slot
}

func (o *outlets[F]) rounded(value float64, u use) float64 {
	if u == level {
		return levels.Round(value, o.levelSpacing)
	}
	return value
}

// addSeries adds the series that a prescribed number follows; slot is the index of the number. Its value before the
// first row is that of this row.
func (o *outlets[F]) addSeries(slot int32, rows []series.Row, u use) {
	if first := rows[0]; first.T > 0 {
		rows = slices.Insert(slices.Clone(rows), 0, series.Row{Value: first.Value})
	}
	o.series = append(o.series, kernels.Series{Slot: slot, First: int32(len(o.rows)), Count: int32(len(rows)),
		Mean: u == mean})
	for _, r := range rows {
		o.rows = append(o.rows, kernels.Row{T: r.T, Value: o.rounded(r.Value, u)})
	}
}

// raiseLevels makes the levels of groups with Ambient depend on the pressure of the air at each outlet.
func (o *outlets[F]) raiseLevels(cfg Config, init Initial, p *mesh.Part) {
	ambient := map[int32]float64{}
	for n, g := range o.openGroups {
		if g >= 0 && len(cfg.Given) > 0 && cfg.Given[g] != nil && cfg.Given[g].Ambient != nil {
			ambient[int32(n)] = *cfg.Given[g].Ambient
		}
	}
	o.weather.Raise(weather.Outlets[F]{Boundary: &o.boundary, Cells: o.cells, Slots: o.slots, Ambient: ambient},
		cfg.Forcing.OverTime.Pressure, init.Coefficients[coefficients.Pressure], &weather.Setting{Part: p,
			Gravity: cfg.Gravity, Prescribe: o.prescribe})
}

// addEdge makes the edge at slot k of cell i an outlet unless it is a wall, and returns its EdgeCells.Right.
func (o *outlets[F]) addEdge(p *mesh.Part, i int32, k int) int32 {
	neighbour := p.Neighbour[i][k]
	group, ok := o.groupIndex[int(mesh.OutsideGroup(neighbour))]
	if !ok {
		return kernels.Wall
	}
	o.boundary.ConditionOf = append(o.boundary.ConditionOf, group)
	o.boundary.Passed = append(o.boundary.Passed, kernels.Passed{})
	o.cells, o.slots = append(o.cells, i), append(o.slots, k)
	o.keys = append(o.keys, 3*int64(p.Global[i])+int64(k))
	return kernels.FirstOutlet - int32(len(o.boundary.ConditionOf)-1)
}
