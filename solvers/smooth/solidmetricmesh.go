package smooth

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// OnSolid is a metric that is given at the vertices of a mesh of tetrahedra, linear on each: what OnMesh is in the
// plane.
func OnSolid(m *mesh.Solid, at metric.Field) (*SolidMetric, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := at.Check(metric.OfSolid(m)); err != nil {
		return nil, err
	}
	next, err := m.Across()
	if err != nil {
		return nil, err
	}
	b := BoxOf(m)
	if err := b.check(); err != nil {
		return nil, err
	}
	f := over(b, solid.OnMesh, boxesFor(b, len(m.Cells)))
	for v, t := range at {
		f.Nodes = append(f.Nodes, solid.Node[float64]{X: m.X[v], Y: m.Y[v], Z: m.Z[v], M11: t[0], M12: t[1], M13: t[3],
			M22: t[2], M23: t[4], M33: t[5]})
	}
	for c, at := range m.Cells {
		f.Patches = append(f.Patches, solid.Patch{At: at, Next: next[c]})
	}
	f.Steps = 64 + 4*int32(math.Cbrt(float64(len(m.Cells))))
	l := solidLister{mesh: m, field: &f}
	if err := l.list(); err != nil {
		return nil, err
	}
	l.start()
	return &SolidMetric{f}, nil
}

// BoxOf is the smallest box that holds a mesh.
func BoxOf(m *mesh.Solid) Box {
	if len(m.X) == 0 {
		return Box{}
	}
	return Box{Low: [3]float64{slices.Min(m.X), slices.Min(m.Y), slices.Min(m.Z)},
		High: [3]float64{slices.Max(m.X), slices.Max(m.Y), slices.Max(m.Z)}}
}

// boxesFor divides a box into about one for four cells, each about a cube.
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

// solidLister finds the tetrahedra that touch each box.
type solidLister struct {
	mesh  *mesh.Solid
	field *solid.Field[float64]
}

// list counts the tetrahedra of all boxes, and then lists them in ascending order.
func (l *solidLister) list() error {
	f := l.field
	count := make([]int64, int(f.Nx)*int(f.Ny)*int(f.Nz)+1)
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
		return fmt.Errorf("the tetrahedra of the metric's mesh touch %d boxes, more than can be numbered", count[len(empty)])
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

// fill lets empty boxes have the first tetrahedron of the nearest box that has some, going from box to box beside it.
func (l *solidLister) fill(empty []bool) {
	f := l.field
	n := [3]int32{f.Nx, f.Ny, f.Nz}
	step := [3]int32{1, f.Nx, f.Nx * f.Ny}
	var front []int32
	for box, none := range empty {
		if !none {
			front = append(front, int32(box))
		}
	}
	for len(front) > 0 {
		var reached []int32
		for _, box := range front {
			for axis := range 3 {
				at := box / step[axis] % n[axis]
				for _, way := range [2]int32{-1, 1} {
					other := box + way*step[axis]
					if at+way < 0 || at+way >= n[axis] || !empty[other] {
						continue
					}
					empty[other] = false
					f.Listed[f.Lists[other]] = f.Listed[f.Lists[box]]
					reached = append(reached, other)
				}
			}
		}
		front = reached
	}
}

// touched calls f with each box that has a place in common with a cell, or nearly: float32 has coarser boxes.
func (l *solidLister) touched(c int, f func(box int32)) {
	const margin = 1e-5
	g := l.field
	per, low, n := [3]float64{g.PerX, g.PerY, g.PerZ}, [3]float64{g.X, g.Y, g.Z}, [3]int32{g.Nx, g.Ny, g.Nz}
	var p [4][3]float64 // corners in boxes
	for k, v := range l.mesh.Cells[c] {
		for axis, x := range l.mesh.At(v) {
			p[k][axis] = (x - low[axis]) * per[axis]
		}
	}
	var lo, hi [3]int32
	for axis := range 3 {
		least := min(p[0][axis], p[1][axis], p[2][axis], p[3][axis])
		most := max(p[0][axis], p[1][axis], p[2][axis], p[3][axis])
		lo[axis], hi[axis] = max(0, int32(least-margin)), min(n[axis]-1, int32(most+margin))
	}
	var inward [4][3]float64 // normals of the faces, and where these are along them
	var at [4]float64
	for k := range 4 {
		a, b, d := p[(k+1)%4], p[(k+2)%4], p[(k+3)%4]
		for axis := range 3 {
			i, j := (axis+1)%3, (axis+2)%3
			inward[k][axis] = (b[i]-a[i])*(d[j]-a[j]) - (b[j]-a[j])*(d[i]-a[i])
		}
		along := func(q [3]float64) float64 { return inward[k][0]*q[0] + inward[k][1]*q[1] + inward[k][2]*q[2] }
		if at[k] = along(a); along(p[k]) < at[k] {
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
					// The box lies beyond a face if its corner farthest inward does.
					far := -at[k]
					for axis, from := range [3]int32{x, y, z} {
						far += inward[k][axis] * (float64(from) - margin)
						far += max(inward[k][axis], 0) * (1 + 2*margin)
					}
					if far < 0 {
						continue box
					}
				}
				f((z*g.Ny+y)*g.Nx + x)
			}
		}
	}
}

// start chooses for each box the listed tetrahedron whose centroid is nearest to the middle.
func (l *solidLister) start() {
	f := l.field
	f.Starts = make([]int32, len(f.Lists)-1)
	for box := range f.Starts {
		i := int32(box)
		middle := [3]float64{f.X + (float64(i%f.Nx)+.5)/f.PerX, f.Y + (float64(i/f.Nx%f.Ny)+.5)/f.PerY,
			f.Z + (float64(i/(f.Nx*f.Ny))+.5)/f.PerZ}
		far := func(c int32) (sum float64) {
			for axis, x := range l.mesh.Centroid(int(c)) {
				sum += (x - middle[axis]) * (x - middle[axis])
			}
			return sum
		}
		f.Starts[box] = slices.MinFunc(f.Listed[f.Lists[box]:f.Lists[box+1]], func(a, b int32) int {
			return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b))
		})
	}
}

// flatSolidPatches complains about tetrahedra of the metric's mesh that the precision of the run makes flat.
func flatSolidPatches[F kernels.Float](f *solid.Field[F]) (c complaint) {
	for k, p := range f.Patches {
		var v [4]solid.Vertex[F]
		for i, n := range p.At {
			v[i].X, v[i].Y, v[i].Z = f.Nodes[n].X, f.Nodes[n].Y, f.Nodes[n].Z
		}
		if !solid.Upright(&v[0], &v[1], &v[2], &v[3], 0) {
			c.add(int32(k), "a cell of the mesh of the metric, at %s, is flat in this precision",
				place([]F{v[0].X, v[0].Y, v[0].Z}))
		}
	}
	return c
}
