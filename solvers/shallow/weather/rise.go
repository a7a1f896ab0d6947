package weather

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/weather"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
)

// Outlets are the boundary edges of a part that are not walls.
type Outlets[F num.Float] struct {
	Boundary *kernels.Boundary[F]
	Cells    []int32 // of each outlet
	Slots    []int   // of each outlet: the index of its edge among the cell's
	// Ambient is, by condition, the pressure over the density under which its level is as given, m²/s². It is the same on
	// all ranks.
	Ambient map[int32]float64
}

// edge is an outlet whose level depends on the pressure.
type edge struct {
	cell    int
	at      stencil.Vec
	ambient float64
}

// rises are the rises of levels at boundary edges over time.
type rises struct {
	Pressure
	part    *mesh.Part
	edges   []edge
	gravity float64
}

// Raise gives each outlet whose condition has an ambient pressure a condition of its own, with a level that less
// pressure raises. The pressure changes over time, or there are constant values in all cells of the part.
func (l *Layout[F]) Raise(o Outlets[F], pressure Pressure, constant []float64, at *Setting) {
	if len(o.Ambient) == 0 {
		return
	}
	if pressure == nil {
		pressure = still(constant)
	}
	r, b := &rises{Pressure: pressure, part: at.Part, gravity: at.Gravity}, o.Boundary
	for k, i := range o.Cells {
		ambient, raised := o.Ambient[b.ConditionOf[k]]
		if !raised {
			continue
		}
		own := b.Conditions[b.ConditionOf[k]]
		to := at.Prescribe("raised_level", "m", series.Constant(0))
		l.raised = append(l.raised, weather.Raised{Level: own.Value, To: to})
		own.Value = to
		b.ConditionOf[k] = int32(len(b.Conditions))
		b.Conditions, b.Sums = append(b.Conditions, own), append(b.Sums, 0)
		r.edges = append(r.edges, edge{int(i), stencil.Middle(at.Part, int(i), o.Slots[k]), ambient})
	}
	l.rise = newMoving[F]("rise", r, len(r.edges), at.Prescribe)
}

// Vectors implements Vectors: the pressure at an edge is that at the centroid of its cell and what the gradient adds.
func (r *rises) Vectors(k int) ([]air.Vector[float64], error) {
	values, err := r.Values(k)
	if err != nil {
		return nil, err
	}
	list := make([]air.Vector[float64], len(r.edges))
	for n, e := range r.edges {
		arm := stencil.Arm(r.part, e.cell, e.at)
		slopeX, slopeY := domain.Gradient(r.part, e.cell, values)
		list[n].X = (e.ambient - (values[e.cell] + slopeX*arm.X + slopeY*arm.Y)) / r.gravity
	}
	return list, nil
}

// still is a pressure that does not change.
type still []float64

func (s still) Times() []float64                           { return []float64{0, 1} }
func (s still) Values(int) ([]float64, error)              { return slices.Clone(s), nil }
func (s still) Vectors(int) ([]air.Vector[float64], error) { return nil, nil }
