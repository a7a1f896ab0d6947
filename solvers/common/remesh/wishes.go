package remesh

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/transfer"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options are when a mesh changes, and to which sizes.
type Options struct {
	Steps int     // the mesh is looked at after each multiple of so many steps; or
	Every float64 // at the first step that reaches a multiple of so many seconds

	Error  float64 // of linear interpolation that sizes are chosen for; or
	Target int     // number of vertices

	Least, Most float64 // sizes, m; a Most of 0 stands for the sizes of the mesh that was read
	Growth      float64 // of sizes per distance
	Reach       float64 // fine regions are as wide as waves go in so many intervals between looks
	Share       float64 // the mesh changes if more than this share of the cells that it should have is missing
	// Largest is an upper bound of the size at a position, m; nil for none.
	Largest func(x, y float64) (float64, error)
	Threads int
}

// Wishes are what a state wants of a mesh, for each of its cells.
type Wishes struct {
	Curvature []float64 // of what the mesh follows: second derivatives times what an error in them counts, per m²
	Largest   []float64 // an upper bound of the size, +Inf for none
	Speed     []float64 // of the fastest wave, m/s
}

// Curvature estimates the second derivatives of a field of cells: the largest change of slope between a cell and a
// neighbour, over their distance. Cells that used excludes have 0.
func (w *Whole) Curvature(values []float64, used func(cell int32) bool) []float64 {
	slopes := transfer.Gradients(w.Mesh, w.Neighbours, values, used)
	curvature := make([]float64, len(values))
	for i, nb := range w.Neighbours {
		x, y := w.Centroid(i)
		for _, n := range nb {
			if n < 0 || !used(int32(i)) || !used(n) {
				continue
			}
			nx, ny := w.Centroid(int(n))
			dx, dy := nx-x, ny-y
			gx, gy := slopes[n][0]-slopes[i][0], slopes[n][1]-slopes[i][1]
			curvature[i] = max(curvature[i], math.Sqrt((gx*gx+gy*gy)/(dx*dx+dy*dy)))
		}
	}
	return curvature
}

// background is the mesh that was read: its fields, and its sizes.
type background struct {
	*mesh.Mesh
	finder *transfer.Finder
	sizes  []float64 // of each vertex, m
}

func newBackground(m *mesh.Mesh) *background {
	b := &background{Mesh: m, finder: transfer.NewFinder(m), sizes: make([]float64, len(m.X))}
	count := make([]float64, len(m.X))
	for i, cell := range m.Cells {
		for _, v := range cell {
			b.sizes[v] += math.Sqrt(m.Area(i) * (4 / math.Sqrt(3)))
			count[v]++
		}
	}
	for v := range b.sizes {
		b.sizes[v] /= max(count[v], 1)
	}
	return b
}

// sampleOn gives a mesh the fields of the mesh that was read: those of vertices are interpolated, and a cell has the
// values of the old cell with its centroid.
func (b *background) sampleOn(m *mesh.Mesh) {
	for name, field := range b.VertexData {
		values := make([]float64, len(m.X))
		for v := range values {
			values[v] = b.finder.Interpolate(field, m.X[v], m.Y[v])
		}
		if m.VertexData == nil {
			m.VertexData = map[string][]float64{}
		}
		m.VertexData[name] = values
	}
	for name, field := range b.CellData {
		values := make([]float64, len(m.Cells))
		for i := range values {
			cell, _ := b.finder.Find(m.Centroid(i))
			values[i] = field[cell]
		}
		if m.CellData == nil {
			m.CellData = map[string][]float64{}
		}
		m.CellData[name] = values
	}
}

// perVertex is the area of a regular mesh per vertex, over the square of its size.
var perVertex = math.Sqrt(3) / 2

// vertices estimates the number of vertices of a mesh with sizes that are given at the vertices of another.
func (w *Whole) vertices(sizes []float64) float64 {
	sum := 0.0
	for i, cell := range w.Cells {
		density := 0.0
		for _, v := range cell {
			density += 1 / (sizes[v] * sizes[v])
		}
		sum += w.Area(i) * density / 3
	}
	return sum / perVertex
}

// scalings is how often the error is changed for a target, at each look.
const scalings = 3

// next returns the mesh that a state wants, nil if the mesh w is good enough, which must is not.
func (s *Solver) next(ctx context.Context, w *Whole, tables []*solvers.Table, must bool) (*mesh.Mesh, error) {
	wishes, err := s.Problem.Wanted(w, tables)
	if err != nil {
		return nil, err
	}
	o := &s.Options
	if s.scale == 0 {
		s.scale = firstError(wishes, o.Least)
	}
	sizes, enough, err := s.sizesFor(w, wishes)
	for range scalings {
		if err != nil || o.Target == 0 {
			break
		}
		ratio := w.vertices(sizes) / float64(o.Target)
		if ratio < targetRange && ratio > 1/targetRange {
			break
		}
		s.scale *= ratio
		sizes, enough, err = s.sizesFor(w, wishes)
	}
	if err != nil || enough && !must {
		return nil, err
	}
	low, high := w.bounds()
	a, err := adapt.Triangles(w.Mesh, adapt.Options{Threads: o.Threads, Ridge: ridge,
		Hausdorff: roundings * ulp(max(math.Abs(low[0]), math.Abs(low[1]), math.Abs(high[0]), math.Abs(high[1])))})
	if err != nil {
		return nil, err
	}
	finder := w.Finder()
	adaptTo := a.Follow
	if must {
		adaptTo = a.Run
	}
	err = adaptTo(ctx, func(x measure.Vector) measure.Tensor {
		h := finder.Interpolate(sizes, x[0], x[1])
		return measure.Tensor{1 / (h * h), 0, 1 / (h * h)}
	})
	if err != nil {
		return nil, err
	}
	next := a.Mesh()
	if n := len(next.Cells); n > mostCells {
		return nil, fmt.Errorf("[adapt] the sizes ask for %d cells, more than %d: raise error or hmin", n, mostCells)
	}
	s.original.sampleOn(next)
	return next, nil
}

const (
	targetRange = 1.05
	ridge       = 45
	roundings   = 16 // the boundary stays where it is but for so many roundings of its coordinates
	mostCells   = 1 << 28
)

func ulp(x float64) float64 { return math.Nextafter(x, math.Inf(1)) - x }

// firstError is the error for which a tenth of the cells that have any curvature want the least size, with which the
// search for that of a target begins.
func firstError(wishes *Wishes, least float64) float64 {
	var curved []float64
	for _, c := range wishes.Curvature {
		if c > 0 {
			curved = append(curved, c)
		}
	}
	if len(curved) == 0 {
		return 1
	}
	slices.Sort(curved)
	return curved[len(curved)*9/10] * least * least / interpolation
}

// interpolation is the factor in the error of linear interpolation at size h, curvature·h²/8.
const interpolation = 8

// sizesFor returns the sizes at the vertices of a mesh that the state wants, and whether the mesh has them.
func (s *Solver) sizesFor(w *Whole, wishes *Wishes) (sizes []float64, enough bool, err error) {
	o := &s.Options
	sizes, reach := make([]float64, len(w.X)), make([]float64, len(w.X))
	for v := range sizes {
		if sizes[v] = o.Most; o.Most == 0 {
			sizes[v] = max(o.Least, s.original.finder.Interpolate(s.original.sizes, w.X[v], w.Y[v]))
		}
		if o.Largest != nil {
			bound, err := o.Largest(w.X[v], w.Y[v])
			if err != nil {
				return nil, false, err
			}
			if !(bound > 0) {
				return nil, false, fmt.Errorf("[adapt] size at (%g, %g) is %g: it must be positive", w.X[v], w.Y[v], bound)
			}
			sizes[v] = max(o.Least, min(sizes[v], bound))
		}
	}
	wanted := make([]float64, len(w.Cells))
	for i, c := range wishes.Curvature {
		wanted[i] = wishes.Largest[i]
		if c > 0 {
			wanted[i] = min(wanted[i], math.Sqrt(interpolation*s.scale/c))
		}
		wanted[i] = max(wanted[i], o.Least)
		for _, v := range w.Cells[i] {
			sizes[v] = min(sizes[v], wanted[i])
		}
	}
	enough = s.hasEnough(w, sizes)
	time := o.Every
	if o.Steps > 0 {
		fastest := slices.Max(wishes.Speed)
		if fastest > 0 {
			time = float64(o.Steps) * stepsPerSize * slices.Min(sizes) / fastest
		}
	}
	for i, cell := range w.Cells {
		for _, v := range cell {
			reach[v] = max(reach[v], wishes.Speed[i]*time*o.Reach)
		}
	}
	w.spread(sizes, reach, o.Growth)
	return sizes, enough, nil
}

// stepsPerSize is the part of the size of a regular cell that a wave goes in a step of CFL number 0.9.
const stepsPerSize = 0.26

// coarse is how much larger than wanted a cell may be.
const coarse = 1.6

// hasEnough reports whether the mesh is nowhere too coarse, but for a share of the cells that it should have. With a
// share of 0 it never has.
func (s *Solver) hasEnough(w *Whole, sizes []float64) bool {
	missing, all := 0.0, 0.0
	for i, cell := range w.Cells {
		h := min(sizes[cell[0]], sizes[cell[1]], sizes[cell[2]])
		cells := w.Area(i) / (h * h)
		if all += cells; cells > coarse*coarse*math.Sqrt(3)/4 {
			missing += cells
		}
	}
	return missing < s.Options.Share*all
}

// spread lowers sizes such that each vertex has, within its reach, no larger ones around, and that they grow by no more
// than a share of the distance, along edges, beyond. Vertices are settled by ascending size, so that the result does
// not depend on the order of the work.
func (w *Whole) spread(sizes, reach []float64, growth float64) {
	start, at := w.adjacency()
	// A front is what a vertex passes on: a size, which holds for a distance from there, and grows beyond.
	best := make([]front, len(sizes))
	for v := range sizes {
		best[v] = front{size: sizes[v], left: reach[v], vertex: int32(v)}
	}
	// pass calls improve with what a front gives neighbours, where that is better than what they have.
	pass := func(f front, improve func(next front)) {
		for _, n := range at[start[f.vertex]:start[f.vertex+1]] {
			d := math.Hypot(w.X[n]-w.X[f.vertex], w.Y[n]-w.Y[f.vertex])
			next := front{vertex: n, left: max(0, f.left-d), size: f.size + growth*max(0, d-f.left)}
			if b := &best[n]; next.size < b.size || next.size == b.size && next.left > b.left {
				improve(next)
			}
		}
	}
	var queue fronts
	for _, f := range best { // most give nothing
		gives := false
		if pass(f, func(front) { gives = true }); gives {
			queue = append(queue, f)
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		if f := heap.Pop(&queue).(front); f == best[f.vertex] {
			pass(f, func(next front) {
				best[next.vertex] = next
				heap.Push(&queue, next)
			})
		}
	}
	for v := range sizes {
		sizes[v] = best[v].size
	}
}

type front struct {
	size, left float64
	vertex     int32
}

// fronts is a heap of fronts, the least size first.
type fronts []front

func (f fronts) Len() int      { return len(f) }
func (f fronts) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f fronts) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(f[i].size, f[j].size), cmp.Compare(f[j].left, f[i].left),
		cmp.Compare(f[i].vertex, f[j].vertex)) < 0
}

func (f *fronts) Push(x any) { *f = append(*f, x.(front)) }

func (f *fronts) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// adjacency returns the neighbours of vertex v, at[start[v]:start[v+1]].
func (w *Whole) adjacency() (start, at []int32) {
	start = make([]int32, len(w.X)+1)
	each := func(do func(a, b int32)) {
		for i, cell := range w.Cells {
			for k, a := range cell {
				b := cell[(k+1)%3]
				if n := w.Neighbours[i][k]; n < 0 || n > int32(i) { // once each
					do(a, b)
					do(b, a)
				}
			}
		}
	}
	each(func(a, _ int32) { start[a+1]++ })
	for v := range len(w.X) {
		start[v+1] += start[v]
	}
	at = make([]int32, start[len(w.X)])
	next := slices.Clone(start)
	each(func(a, b int32) {
		at[next[a]] = b
		next[a]++
	})
	return start, at
}

// bounds returns the corners of the box around the mesh.
func (w *Whole) bounds() (low, high [2]float64) {
	return [2]float64{slices.Min(w.X), slices.Min(w.Y)}, [2]float64{slices.Max(w.X), slices.Max(w.Y)}
}
