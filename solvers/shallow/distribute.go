package shallow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/stencil"
)

// A discharge through a group, in m³/s, is distributed over its edges by their conveyances at the start of each step.
// Every rank computes those of its edges, and has those of all: their sum in the order of the edges' keys has the same
// bits on any number of ranks.

// describeOutlets computes the geometry of the outlets from the slope of the bed in their cells, and prepares the
// distribution of discharges. manning is nil without friction.
func (o *outlets[F]) describeOutlets(ctx context.Context, comm dist.Comm, cfg Config, p *mesh.Part, depth []float64,
	manning []float64) error {
	o.boundary.Outlets = make([]kernels.Outlet[F], len(o.cells))
	o.boundary.Sums = make([]F, len(o.boundary.Conditions))
	heights := make([]float64, len(o.cells)) // of the bed at the edges' midpoints
	var err error
	for k, i := range o.cells {
		e := &o.boundary.Outlets[k]
		neighbours := p.Neighbour[i]
		for n, neighbour := range neighbours {
			neighbours[n] = max(neighbour, kernels.Wall)
		}
		slope, middle := stencil.BedSlope(p, int(i), &neighbours, depth), stencil.Middle(p, int(i), o.slots[k])
		arm := stencil.Arm(p, int(i), middle)
		_, normal, _ := newEdge[float64](p, i, o.slots[k])
		down := -(slope.X*normal.X + slope.Y*normal.Y)
		rise := slope.X*arm.X + slope.Y*arm.Y
		heights[k] = rise - depth[i]
		e.Slope, e.Rise, e.Fall = F(down), F(rise), F(down*(arm.X*normal.X+arm.Y*normal.Y))
		if manning != nil {
			e.Manning = F(manning[i])
		}
		if shallows := o.forcing.Shallows; shallows != nil {
			e.Shallows = shallows[i]
		}
		if o.boundary.Conditions[o.boundary.ConditionOf[k]].Kind == kernels.NormalDepth && e.Manning <= 0 {
			err = cmp.Or(err, fmt.Errorf("cell %d at (%g, %g): uniform flow at a boundary needs friction: manning is 0 there",
				p.Global[i], middle.X, middle.Y))
		}
	}
	if !slices.ContainsFunc(o.boundary.Conditions, distributes) {
		return err
	}
	own := o.ownConveyors(p, heights)
	all, errAll := domain.Gather(ctx, comm, own)
	if errAll != nil {
		return errors.Join(err, errAll)
	}
	slices.SortFunc(all, func(a, b conveyor) int {
		return cmp.Or(cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Key, b.Key))
	})
	o.distribute(cfg, all)
	return err
}

// distributes reports whether a condition gives the discharge of the whole group.
func distributes(k kernels.Condition) bool {
	return k.Kind == kernels.TotalDischarge || k.Kind == kernels.TotalTorrent || k.Kind == kernels.Rating
}

// conveyor is an edge of a group whose discharge is distributed.
type conveyor struct {
	Condition, Outlet int32 // the latter on its rank
	Key               int64 // of the edge: see outlets.keys
	Bed               float64
	Length            float64
}

// ownConveyors returns those of this rank.
func (o *outlets[F]) ownConveyors(p *mesh.Part, heights []float64) (own []conveyor) {
	for k, i := range o.cells {
		condition := o.boundary.ConditionOf[k]
		if !distributes(o.boundary.Conditions[condition]) {
			continue
		}
		_, normal, _ := newEdge[float64](p, i, o.slots[k])
		own = append(own, conveyor{condition, int32(k), o.keys[k], heights[k], normal.Length})
		share := kernels.Share[F]{Outlet: int32(k), Cell: i, Bed: F(heights[k]), Width: F(normal.Length)}
		if n := o.boundary.Outlets[k].Manning; n > 0 {
			share.Width /= n
			share.Shallows = o.boundary.Outlets[k].Shallows
			share.Shallows.N /= n
		}
		o.shares = append(o.shares, share)
	}
	return own
}

// distribute sets the positions of conveyances, and the critical level of each inflow.
func (o *outlets[F]) distribute(cfg Config, all []conveyor) {
	o.boundary.Conveyances = make([]F, len(all))
	position := map[int64]int32{}
	for first := 0; first < len(all); {
		end := first
		for ; end < len(all) && all[end].Condition == all[first].Condition; end++ {
			position[all[end].Key] = int32(end)
		}
		d := kernels.Distribution{Condition: all[first].Condition, First: int32(first), Count: int32(end - first)}
		o.distributed = append(o.distributed, d)
		if k := &o.boundary.Conditions[d.Condition]; k.Kind != kernels.Rating {
			k.First, k.Count = o.addCurve(criticalLevels(all[first:end], cfg.Gravity, o.largestOf(k.Value)))
		}
		first = end
	}
	for _, s := range o.shares {
		o.boundary.Outlets[s.Outlet].Position = position[o.keys[s.Outlet]]
	}
}

// largestOf returns the largest value of a prescribed number.
func (o *outlets[F]) largestOf(slot int32) float64 {
	largest := float64(max(o.boundary.Prescribed[slot], o.boundary.Ahead[slot]))
	for _, s := range o.series {
		if s.Slot == slot {
			for _, r := range o.rows[s.First : s.First+s.Count] {
				largest = max(largest, r.Value)
			}
		}
	}
	return largest
}

// criticalLevels returns rows of the level at which the flow through a section is critical in all of it, over the
// discharge, Q = Σ l √g (z - bed)^(3/2), from 0 up to at least the largest discharge.
func criticalLevels(section []conveyor, gravity, largest float64) (rows []series.Row) {
	lowest := math.Inf(1)
	for _, e := range section {
		lowest = min(lowest, e.Bed)
	}
	dischargeAt := func(z float64) (q float64) {
		for _, e := range section {
			h := max(0, z-e.Bed)
			q += e.Length * math.Sqrt(gravity*h) * h
		}
		return q
	}
	top := 1.0 // m over the lowest bed
	for dischargeAt(lowest+top) < largest {
		top *= 2
	}
	const intervals = 512
	for k := range intervals + 1 {
		share := float64(k) / intervals
		z := lowest + top*share*share
		if q := dischargeAt(z); k == 0 || q > rows[len(rows)-1].T {
			rows = append(rows, series.Row{T: q, Value: z})
		}
	}
	return rows
}

// ownConveyances tells which conveyances this rank computes.
func (o *outlets[F]) ownConveyances() []bool {
	own := make([]bool, len(o.boundary.Conveyances))
	for _, s := range o.shares {
		own[o.boundary.Outlets[s.Outlet].Position] = true
	}
	return own
}
