package smooth

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// OnMesh is a metric that is given at the vertices of a mesh, of the one that is to be smoothed as it is at first or of
// any other. The tensor is linear on every triangle: then it is positive definite everywhere, its slope is at hand for
// pain-exact, and it takes no logarithms, which kernels do not have. Where sizes differ much between the ends of an
// edge, the smaller one reaches farther than it would with sizes that are linear.
//
// Where a place lies is found from the place alone, so that a vertex need not carry a triangle with it: the outcome
// depends on neither the way that it came nor on who moved it. Outside of the mesh, a place nearby on it counts.
//
//	solution, err := mesh.ReadSolution("size.sol")
//	field, err := metric.FromSolution(metric.Of(m), solution)
//	of, err := smooth.OnMesh(m, field)
func OnMesh(m *mesh.Mesh, at metric.Field) (*Metric, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := refuseFlat(m); err != nil {
		return nil, err
	}
	if err := at.Check(metric.Of(m)); err != nil {
		return nil, err
	}
	m, at, err := alongCurve(m, at)
	if err != nil {
		return nil, err
	}
	next, err := m.Neighbours()
	if err != nil {
		return nil, err
	}
	b := Bounds{slices.Min(m.X), slices.Min(m.Y), slices.Max(m.X), slices.Max(m.Y)}
	if err := b.check(); err != nil {
		return nil, err
	}
	f := kernels.Field[float64]{Kind: kernels.OnMesh, Scale: 1, X: b.X0, Y: b.Y0}
	for v, t := range at {
		f.Nodes = append(f.Nodes, kernels.Node[float64]{X: m.X[v], Y: m.Y[v], M11: t[0], M12: t[1], M22: t[2]})
	}
	for c, at := range m.Cells {
		f.Patches = append(f.Patches, kernels.Patch{At: at, Next: next[c]})
	}
	// About one box for two triangles, each about square.
	boxes := float64(len(m.Cells))/2 + 1
	across := math.Sqrt(boxes * (b.X1 - b.X0) / (b.Y1 - b.Y0))
	across = min(max(1, math.Round(across)), boxes)
	f.Nx, f.Ny = int32(across), int32(math.Ceil(boxes/across))
	f.PerX, f.PerY = float64(f.Nx)/(b.X1-b.X0), float64(f.Ny)/(b.Y1-b.Y0)
	f.Steps = 64 + 4*int32(math.Sqrt(float64(len(m.Cells))))
	l := lister{mesh: m, field: &f}
	if err := l.list(); err != nil {
		return nil, err
	}
	l.start()
	return &Metric{b, f}, nil
}

// alongCurve puts vertices and cells in the order of a Hilbert curve, as the vertices are that look them up: a sweep of
// pain over 628,000 vertices takes half the time.
func alongCurve(m *mesh.Mesh, at metric.Field) (*mesh.Mesh, metric.Field, error) {
	order, err := partition.HilbertOrder(m.X, m.Y)
	if err != nil {
		return nil, nil, err
	}
	to := &mesh.Mesh{X: make([]float64, len(m.X)), Y: make([]float64, len(m.X)), Cells: make([][3]int32, len(m.Cells))}
	values := make(metric.Field, len(at))
	for v, old := range order {
		to.X[v], to.Y[v], values[v] = m.X[old], m.Y[old], at[old]
	}
	place := partition.Inverse(order)
	x, y := make([]float64, len(m.Cells)), make([]float64, len(m.Cells))
	for c := range m.Cells {
		x[c], y[c] = m.Centroid(c)
	}
	if order, err = partition.HilbertOrder(x, y); err != nil {
		return nil, nil, err
	}
	for c, old := range order {
		for k, v := range m.Cells[old] {
			to.Cells[c][k] = place[v]
		}
	}
	return to, values, nil
}

// lister finds the triangles that touch each box.
type lister struct {
	mesh  *mesh.Mesh
	field *kernels.Field[float64]
}

// list counts the triangles of all boxes, and then lists them in ascending order.
func (l *lister) list() error {
	f := l.field
	count := make([]int64, int(f.Nx)*int(f.Ny)+1)
	for c := range l.mesh.Cells {
		l.touched(c, func(box int32) { count[box+1]++ })
	}
	// A box that none touches gets one, that of a neighbour.
	empty := make([]bool, len(count)-1)
	for box := range empty {
		empty[box] = count[box+1] == 0
		count[box+1] = max(1, count[box+1]) + count[box]
	}
	if count[len(empty)] > math.MaxInt32 {
		return fmt.Errorf("the triangles of the metric's mesh touch %d boxes, more than can be numbered", count[len(empty)])
	}
	f.Lists = make([]int32, len(count))
	for box := range f.Lists {
		f.Lists[box] = int32(count[box])
	}
	f.Listed = make([]int32, count[len(empty)])
	at := slices.Clone(f.Lists)
	for c := range l.mesh.Cells {
		l.touched(c, func(box int32) {
			f.Listed[at[box]] = int32(c)
			at[box]++
		})
	}
	l.fill(empty)
	return nil
}

// fill lets empty boxes have the first triangle of the nearest box that has some, going from box to box beside it.
func (l *lister) fill(empty []bool) {
	f := l.field
	var front []int32
	for box, none := range empty {
		if !none {
			front = append(front, int32(box))
		}
	}
	for len(front) > 0 {
		var reached []int32
		for _, box := range front {
			i, j := box%f.Nx, box/f.Nx
			for _, to := range [4][2]int32{{i, j - 1}, {i - 1, j}, {i + 1, j}, {i, j + 1}} {
				if to[0] < 0 || to[1] < 0 || to[0] >= f.Nx || to[1] >= f.Ny || !empty[to[1]*f.Nx+to[0]] {
					continue
				}
				other := to[1]*f.Nx + to[0]
				empty[other] = false
				f.Listed[f.Lists[other]] = f.Listed[f.Lists[box]]
				reached = append(reached, other)
			}
		}
		front = reached
	}
}

// touched calls f with each box that has a place in common with a cell, or nearly: float32 has coarser boxes.
func (l *lister) touched(c int, f func(box int32)) {
	const margin = 1e-5
	g := l.field
	var px, py [3]float64 // corners in boxes
	for k, v := range l.mesh.Cells[c] {
		px[k], py[k] = (l.mesh.X[v]-g.X)*g.PerX, (l.mesh.Y[v]-g.Y)*g.PerY
	}
	span := func(p [3]float64, n int32) (lo, hi int32) {
		return max(0, int32(min(p[0], p[1], p[2])-margin)), min(n-1, int32(max(p[0], p[1], p[2])+margin))
	}
	i0, i1 := span(px, g.Nx)
	j0, j1 := span(py, g.Ny)
	for j := j0; j <= j1; j++ {
	box:
		for i := i0; i <= i1; i++ {
			for k := range 3 {
				// The box lies beyond an edge if its corner farthest inward does.
				ex, ey := px[(k+1)%3]-px[k], py[(k+1)%3]-py[k]
				x, y := float64(i)-margin-px[k], float64(j)-margin-py[k]
				inward := ex*y - ey*x + (1+2*margin)*(max(ex, 0)+max(-ey, 0))
				if inward < 0 {
					continue box
				}
			}
			f(j*g.Nx + i)
		}
	}
}

// start chooses for each box the listed triangle whose centroid is nearest to the middle.
func (l *lister) start() {
	f := l.field
	f.Starts = make([]int32, len(f.Lists)-1)
	for box := range f.Starts {
		x := f.X + (float64(int32(box)%f.Nx)+.5)/f.PerX
		y := f.Y + (float64(int32(box)/f.Nx)+.5)/f.PerY
		far := func(c int32) float64 {
			cx, cy := l.mesh.Centroid(int(c))
			return (cx-x)*(cx-x) + (cy-y)*(cy-y)
		}
		f.Starts[box] = slices.MinFunc(f.Listed[f.Lists[box]:f.Lists[box+1]], func(a, b int32) int {
			return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b))
		})
	}
}

// flatPatches complains about triangles of the metric's mesh that the precision of the run makes flat.
func flatPatches[F kernels.Float](f *kernels.Field[F]) (c complaint) {
	for k, p := range f.Patches {
		o, a, b := f.Nodes[p.At[0]], f.Nodes[p.At[1]], f.Nodes[p.At[2]]
		one, other := F((a.X-o.X)*(b.Y-o.Y)), F((a.Y-o.Y)*(b.X-o.X))
		if !(one > other) {
			c.add(int32(k), "a cell of the mesh of the metric, at (%g, %g), is flat in this precision", o.X, o.Y)
		}
	}
	return c
}
