package sizing

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// OnSolid is a metric given at the vertices of a mesh of tetrahedra, linear on each, like OnMesh in the plane.
func OnSolid(m *mesh.Solid, tensors metric.Field) (*SolidMetric, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := tensors.Check(metric.FromTetrahedra(m)); err != nil {
		return nil, err
	}
	next, err := m.Neighbours()
	if err != nil {
		return nil, err
	}
	b := BoxOf(m)
	if err := b.check(); err != nil {
		return nil, err
	}
	f := newSolidField(b, lookup.OnMesh, boxesFor(b, len(m.Cells)))
	f.Nodes = make([]solid.Node[float64], 0, len(m.X))
	f.Background = make([]solid.BackgroundCell, 0, len(m.Cells))
	for v, t := range tensors {
		f.Nodes = append(f.Nodes, solid.Node[float64]{X: m.X[v], Y: m.Y[v], Z: m.Z[v], M11: t[0], M12: t[1], M13: t[3],
			M22: t[2], M23: t[4], M33: t[5]})
	}
	for c, corners := range m.Cells {
		f.Background = append(f.Background, solid.BackgroundCell{At: corners, Next: next[c]})
	}
	// More tetrahedra than a search across the whole mesh visits.
	f.Steps = 64 + 4*int32(math.Cbrt(float64(len(m.Cells))))
	boxes := cellBoxes{dim: 3, n: [3]int32{f.Nx, f.Ny, f.Nz}, low: [3]float64{f.X, f.Y, f.Z},
		per: [3]float64{f.PerX, f.PerY, f.PerZ}, cells: len(m.Cells), kind: "tetrahedra", centre: m.Centroid}
	boxes.touched = func(c int, found func(box int32)) { boxesOfTetrahedron(m, &boxes, c, found) }
	if err := boxes.build(); err != nil {
		return nil, err
	}
	f.Starts, f.Lists, f.Listed = boxes.starts, boxes.lists, boxes.listed
	return &SolidMetric{f}, nil
}

// BoxOf is the bounding box of a mesh.
func BoxOf(m *mesh.Solid) Box {
	if len(m.X) == 0 {
		return Box{}
	}
	return Box{Low: [3]float64{slices.Min(m.X), slices.Min(m.Y), slices.Min(m.Z)},
		High: [3]float64{slices.Max(m.X), slices.Max(m.Y), slices.Max(m.Z)}}
}

// boxesFor divides a box into about one box for four cells, approximately cubes.
func boxesFor(b Box, cells int) (n [3]int) {
	volume, most := 1.0, float64(cells)/4+1
	for k := range 3 {
		volume *= b.High[k] - b.Low[k]
	}
	side := math.Cbrt(volume / most)
	for k := range n {
		n[k] = int(min(max(1, math.Round((b.High[k]-b.Low[k])/side)), most))
	}
	return n
}

// boxesOfTetrahedron calls found with each box that a tetrahedron touches.
func boxesOfTetrahedron(m *mesh.Solid, b *cellBoxes, c int, found func(box int32)) {
	var p [4][3]float64 // corners in boxes
	for k, v := range m.Cells[c] {
		for axis, x := range m.At(v) {
			p[k][axis] = (x - b.low[axis]) * b.per[axis]
		}
	}
	var lo, hi [3]int32
	for axis := range 3 {
		least := min(p[0][axis], p[1][axis], p[2][axis], p[3][axis])
		most := max(p[0][axis], p[1][axis], p[2][axis], p[3][axis])
		lo[axis], hi[axis] = max(0, int32(least-boxMargin)), min(b.n[axis]-1, int32(most+boxMargin))
	}
	var inward [4][3]float64 // normals of the faces, and positions of the faces along them
	var at [4]float64
	for k := range 4 {
		u, v, w := p[(k+1)%4], p[(k+2)%4], p[(k+3)%4]
		for axis := range 3 {
			i, j := (axis+1)%3, (axis+2)%3
			inward[k][axis] = (v[i]-u[i])*(w[j]-u[j]) - (v[j]-u[j])*(w[i]-u[i])
		}
		along := func(q [3]float64) float64 { return inward[k][0]*q[0] + inward[k][1]*q[1] + inward[k][2]*q[2] }
		if at[k] = along(u); along(p[k]) < at[k] {
			at[k] = -at[k]
			for axis := range 3 {
				inward[k][axis] = -inward[k][axis]
			}
		}
	}
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
		box:
			for x := lo[0]; x <= hi[0]; x++ {
				for k := range 4 {
					// The box is outside of a face if its innermost corner is.
					far := -at[k]
					for axis, from := range [3]int32{x, y, z} {
						far += inward[k][axis] * (float64(from) - boxMargin)
						far += max(inward[k][axis], 0) * (1 + 2*boxMargin)
					}
					if far < 0 {
						continue box
					}
				}
				found((z*b.n[1]+y)*b.n[0] + x)
			}
		}
	}
}

// FlatSolidCells is FlatCells for tetrahedra.
func FlatSolidCells[F num.Float](f *solid.Field[F], rank, ranks int) (c faults.List) {
	lo, hi := len(f.Background)*rank/ranks, len(f.Background)*(rank+1)/ranks
	for k := lo; k < hi; k++ {
		p := &f.Background[k]
		var v [4]solid.Vertex[F]
		for i, n := range p.At {
			v[i].X, v[i].Y, v[i].Z = f.Nodes[n].X, f.Nodes[n].Y, f.Nodes[n].Z
		}
		if !solid.Upright(&v[0], &v[1], &v[2], &v[3], 0) {
			c.Add(int32(k), "the cell at %s of the metric's mesh is flat in this precision: use float64",
				faults.FormatPoint([]F{v[0].X, v[0].Y, v[0].Z}))
		}
	}
	return c
}
