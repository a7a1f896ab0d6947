package divide

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/boxes"
)

// boundaryEdge is an edge of the boundary, or its first vertex, in a box of a grid.
type boundaryEdge struct {
	box  int64
	a, b [2]float64
	from uint32 // label of the first vertex
	to   uint32 // of the other
}

// checkBoundary looks for vertices of the boundary inside its edges, and for those that are so near to another that
// between them is a wall. Edges and vertices that may be near to each other meet at the ranks of boxes of a grid.
func (d *division) checkBoundary(ctx context.Context) error {
	edges := d.own.boundary()
	count := int64(len(edges))
	left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1) // the last two negated
	for _, e := range edges {
		left, right = min(left, e.a[0]), min(right, -e.a[0])
		bottom, top = min(bottom, e.a[1]), min(top, -e.a[1])
	}
	if err := d.reduceIntegers(ctx, dist.Sum, &count); err != nil {
		return err
	}
	if err := d.reduceFloats(ctx, &left, &bottom, &right, &top); err != nil {
		return err
	}
	grid := boxes.New(count, left, bottom, -right, -top)
	var along, around []boundaryEdge
	for _, e := range edges {
		grid.Along(e.a[0], e.a[1], e.b[0], e.b[1], func(box int) {
			e.box = int64(box)
			along = append(along, e)
		})
		// The distance at which a vertex is near is at most that for its edge, and both vertices of a pair have one.
		grid.Around(e.a[0], e.a[1], mesh.NearShare*length(e), func(box int) {
			e.box = int64(box)
			around = append(around, e)
		})
	}
	rankOf := func(list []boundaryEdge) func(i int) int {
		return func(i int) int { return int(list[i].box % int64(d.ranks)) }
	}
	passing, err := exchange(ctx, d.comm, byRank(d.ranks, len(along), rankOf(along),
		func(i int) boundaryEdge { return along[i] }))
	if err != nil {
		return err
	}
	near, err := exchange(ctx, d.comm, byRank(d.ranks, len(around), rankOf(around),
		func(i int) boundaryEdge { return around[i] }))
	if err != nil {
		return err
	}
	d.checkBoxes(concat(passing), concat(near))
	return nil
}

// boundary returns the edges of own cells without a cell across.
func (o *own) boundary() (edges []boundaryEdge) {
	for c, across := range o.across[:o.owned] {
		for k, other := range across {
			if other < 0 {
				a, b := o.Cells[c][k], o.Cells[c][(k+1)%3]
				edges = append(edges, boundaryEdge{a: [2]float64{o.X[a], o.Y[a]}, b: [2]float64{o.X[b], o.Y[b]},
					from: o.numbers.labels[a], to: o.numbers.labels[b]})
			}
		}
	}
	return edges
}

func length(e boundaryEdge) float64 { return math.Hypot(e.b[0]-e.a[0], e.b[1]-e.a[1]) }

// checkBoxes checks the boxes of this rank: passing are edges by the boxes through which they pass, near are those
// whose first vertex is near to a box or in it.
func (d *division) checkBoxes(passing, near []boundaryEdge) {
	order := func(a, b boundaryEdge) int { return cmp.Or(cmp.Compare(a.box, b.box), cmp.Compare(a.a[0], b.a[0])) }
	slices.SortFunc(near, order)
	for i, v := range near {
		reach := mesh.NearShare * length(v)
		for _, w := range near[i+1:] {
			if w.box != v.box || w.a[0]-v.a[0] > reach {
				break
			}
			if w.from != v.from && math.Hypot(w.a[0]-v.a[0], w.a[1]-v.a[1]) <= min(reach, mesh.NearShare*length(w)) {
				d.doubt("vertices that are near to each other")
			}
		}
	}
	for _, e := range passing {
		first := sort.Search(len(near), func(i int) bool { return near[i].box >= e.box })
		for _, v := range near[first:] {
			if v.box != e.box {
				break
			}
			if v.from != e.from && v.from != e.to && boxes.OnEdge(e.a, e.b, v.a) {
				d.doubt("a vertex inside a boundary edge")
			}
		}
	}
}
