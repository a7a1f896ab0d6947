package sizing

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// OnMesh is a metric given at the vertices of a mesh: the initial mesh to be smoothed, or any other. The tensor is
// linear on every triangle, so it is positive definite everywhere, its derivative is known for pain-exact, and it
// needs no logarithms, which kernels do not have. If sizes differ much between the ends of an edge, the smaller one
// extends farther than with linear sizes.
//
// The triangle that contains a position is found from the position alone, so that a vertex need not store one, and
// the result does not depend on the path of a vertex or its rank. For a position outside of the mesh, a position
// nearby on the mesh is used.
//
//	solution, err := medit.ReadSolution("size.sol")
//	field, err := metric.FromSolution(metric.FromTriangles(m), solution)
//	of, err := sizing.OnMesh(m, field)
func OnMesh(m *mesh.Mesh, tensors metric.Field) (*Metric, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := faults.CheckUpright(m); err != nil {
		return nil, err
	}
	if err := tensors.Check(metric.FromTriangles(m)); err != nil {
		return nil, err
	}
	m, tensors, err := sortAlongCurve(m, tensors)
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
	f := kernels.Field[float64]{Kind: lookup.OnMesh, Scale: 1, X: b.X0, Y: b.Y0,
		Nodes: make([]kernels.Node[float64], 0, len(m.X)), Background: make([]kernels.BackgroundCell, 0, len(m.Cells))}
	for v, t := range tensors {
		f.Nodes = append(f.Nodes, kernels.Node[float64]{X: m.X[v], Y: m.Y[v], M11: t[0], M12: t[1], M22: t[2]})
	}
	for c, corners := range m.Cells {
		f.Background = append(f.Background, kernels.BackgroundCell{At: corners, Next: next[c]})
	}
	// About one box for two triangles, approximately square.
	boxes := float64(len(m.Cells))/2 + 1
	across := math.Sqrt(boxes * (b.X1 - b.X0) / (b.Y1 - b.Y0))
	across = min(max(1, math.Round(across)), boxes)
	f.Nx, f.Ny = int32(across), int32(math.Ceil(boxes/across))
	f.PerX, f.PerY = float64(f.Nx)/(b.X1-b.X0), float64(f.Ny)/(b.Y1-b.Y0)
	// More triangles than a search across the whole mesh visits.
	f.Steps = 64 + 4*int32(math.Sqrt(float64(len(m.Cells))))
	over := cellBoxes{dim: 2, n: [3]int32{f.Nx, f.Ny, 1}, low: [3]float64{f.X, f.Y}, per: [3]float64{f.PerX, f.PerY},
		cells: len(m.Cells), kind: "triangles",
		touched: func(c int, found func(box int32)) { boxesOfTriangle(m, &f, c, found) },
		centre: func(c int) [3]float64 {
			x, y := m.Centroid(c)
			return [3]float64{x, y}
		}}
	if err := over.build(); err != nil {
		return nil, err
	}
	f.Starts, f.Lists, f.Listed = over.starts, over.lists, over.listed
	return &Metric{b, f}, nil
}

// sortAlongCurve sorts vertices and cells along a Hilbert curve, like the vertices of parts, which look them up:
// this halves the time of a sweep of pain over 628,000 vertices.
func sortAlongCurve(m *mesh.Mesh, at metric.Field) (*mesh.Mesh, metric.Field, error) {
	order, err := partition.HilbertOrder(m.X, m.Y)
	if err != nil {
		return nil, nil, err
	}
	to := &mesh.Mesh{X: make([]float64, len(m.X)), Y: make([]float64, len(m.X)), Cells: make([][3]int32, len(m.Cells))}
	values := make(metric.Field, len(at))
	for v, old := range order {
		to.X[v], to.Y[v], values[v] = m.X[old], m.Y[old], at[old]
	}
	index := partition.Inverse(order)
	x, y := make([]float64, len(m.Cells)), make([]float64, len(m.Cells))
	for c := range m.Cells {
		x[c], y[c] = m.Centroid(c)
	}
	if order, err = partition.HilbertOrder(x, y); err != nil {
		return nil, nil, err
	}
	for c, old := range order {
		for k, v := range m.Cells[old] {
			to.Cells[c][k] = index[v]
		}
	}
	return to, values, nil
}

// boxesOfTriangle calls found with each box that a triangle touches.
func boxesOfTriangle(m *mesh.Mesh, g *kernels.Field[float64], c int, found func(box int32)) {
	var px, py [3]float64 // corners in boxes
	for k, v := range m.Cells[c] {
		px[k], py[k] = (m.X[v]-g.X)*g.PerX, (m.Y[v]-g.Y)*g.PerY
	}
	span := func(p [3]float64, n int32) (lo, hi int32) {
		return max(0, int32(min(p[0], p[1], p[2])-boxMargin)), min(n-1, int32(max(p[0], p[1], p[2])+boxMargin))
	}
	i0, i1 := span(px, g.Nx)
	j0, j1 := span(py, g.Ny)
	for j := j0; j <= j1; j++ {
	box:
		for i := i0; i <= i1; i++ {
			for k := range 3 {
				// The box is outside of an edge if its innermost corner is.
				ex, ey := px[(k+1)%3]-px[k], py[(k+1)%3]-py[k]
				x, y := float64(i)-boxMargin-px[k], float64(j)-boxMargin-py[k]
				inward := ex*y - ey*x + (1+2*boxMargin)*(max(ex, 0)+max(-ey, 0))
				if inward < 0 {
					continue box
				}
			}
			found(j*g.Nx + i)
		}
	}
}

// FlatCells lists triangles of the metric's mesh that are flat in the precision of the run: those of a rank's share.
func FlatCells[F num.Float](f *kernels.Field[F], rank, ranks int) (c faults.List) {
	lo, hi := len(f.Background)*rank/ranks, len(f.Background)*(rank+1)/ranks
	for k := lo; k < hi; k++ {
		p := &f.Background[k]
		o, a, b := f.Nodes[p.At[0]], f.Nodes[p.At[1]], f.Nodes[p.At[2]]
		one, other := F((a.X-o.X)*(b.Y-o.Y)), F((a.Y-o.Y)*(b.X-o.X))
		if !(one > other) {
			c.Add(int32(k), "the cell at (%g, %g) of the metric's mesh is flat in this precision: use float64", o.X, o.Y)
		}
	}
	return c
}
