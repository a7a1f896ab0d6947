// Package rounds runs the rounds of an adaptation in the plane on a device: vertices' candidates, the choice among
// them, the changes of the mesh and the moves of vertices are kernels, between which only numbers of entities come to
// the host. The mesh has the bits that processors give it.
package rounds

import (
	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Field is a metric that a device evaluates.
type Field interface {
	// Evaluate queues that want[i] is set to the metric at x[i], both arrays of the device.
	Evaluate(d backend.Device, x []measure.Vector, want []measure.Tensor) error
}

// leastWidth is the number of cells around a vertex for which there is room at first.
const leastWidth = 8

// Rounds is a mesh of triangles on a device.
type Rounds struct {
	dev   backend.Device
	work  *primitives.Workspace
	rules *kernels.Rules
	field Field
	loops []backend.Loop
	err   error // the first one

	n    kernels.Round
	m    kernels.Mesh // with room for more than n
	live int          // vertices that exist
	born int          // vertices that the round adds, while they are added

	// Of each vertex:
	marks, found, state, counts []int32
	turns                       []uint64
	next                        []int32 // new lists of cells around vertices

	claims      kernels.Claims
	sizes, each []int64 // of cells

	keep, later   []uint8
	numbers, list []int32 // 0, 1, 2 …; the edges or vertices of a round

	// Of each of these:
	all    []kernels.Candidate
	births []kernels.Birth
	x      []measure.Vector
	want   []measure.Tensor
	moves  []kernels.Move

	candidates, open, others, taken []int32
	keys                            []uint64
	sets                            [2][]int32 // vertices that wait to be moved
	newCells, newEnds, unused       []int32
	most                            []int32
}

// New copies a mesh, in which the metric and qualities are known, to a device. Lists of cells around vertices are those
// of Ball. All vertices are marked. rules may change between rounds.
func New(dev backend.Device, m *kernels.Mesh, nextID int64, rules *kernels.Rules, field Field) (*Rounds, error) {
	r := &Rounds{dev: dev, work: primitives.NewWorkspace(dev), rules: rules, field: field}
	r.n = kernels.Round{Vertices: int32(len(m.X)), Cells: int32(len(m.Cells)), Ends: int32(len(m.Ends)), NextID: nextID,
		Width: leastWidth}
	for _, ball := range m.Balls {
		r.n.Width = max(r.n.Width, ball.N)
	}
	width := int(r.n.Width)
	around, balls := make([]int32, len(m.X)*width), make([]kernels.Span, len(m.X))
	marks := make([]int32, len(m.X))
	for v, ball := range m.Balls {
		balls[v] = kernels.Span{Start: int32(v * width), N: ball.N}
		copy(around[v*width:], m.Around[ball.Start:ball.Start+ball.N])
		if ball.N > 0 {
			marks[v] = kernels.MarkAll
			r.live++
		}
	}
	vertices, cells := len(m.X), len(m.Cells)
	upload(r, &r.m.X, m.X, vertices)
	upload(r, &r.m.M, m.M, vertices)
	upload(r, &r.m.ID, m.ID, vertices)
	upload(r, &r.m.Freedom, m.Freedom, vertices)
	upload(r, &r.m.Balls, balls, vertices)
	upload(r, &r.m.Lines, m.Lines, vertices)
	upload(r, &r.m.Around, around, len(around))
	upload(r, &r.m.Cells, m.Cells, cells)
	upload(r, &r.m.Ends, m.Ends, 0)
	upload(r, &r.m.Held, m.Held, 0)
	upload(r, &r.m.Curves.X, m.Curves.X, 0)
	upload(r, &r.m.Curves.S, m.Curves.S, 0)
	upload(r, &r.m.Curves.First, m.Curves.First, 0)
	upload(r, &r.marks, marks, vertices)
	for _, a := range []*[]int32{&r.found, &r.state, &r.counts} {
		resize(r, a, vertices, 0)
	}
	resize(r, &r.next, len(around), 0)
	resize(r, &r.turns, vertices, 0)
	resize(r, &r.claims.Key, cells, 0)
	resize(r, &r.claims.Low, cells, 0)
	resize(r, &r.claims.High, cells, 0)
	resize(r, &r.claims.By, cells, 0)
	resize(r, &r.most, 1, 0)
	r.growFlags(max(vertices, 3*cells))
	if r.err != nil {
		r.Free()
		return nil, r.err
	}
	return r, nil
}

// Free frees the memory on the device.
func (r *Rounds) Free() {
	release(r, r.m.X, r.x, r.m.Curves.X)
	release(r, r.m.M, r.want)
	release(r, r.m.ID, r.claims.Low, r.claims.High, r.sizes, r.each)
	release(r, r.m.Freedom, r.keep, r.later)
	release(r, r.m.Balls, r.m.Lines)
	release(r, r.m.Around, r.m.Curves.First, r.marks, r.found, r.state, r.counts, r.next, r.claims.By, r.numbers, r.list,
		r.candidates, r.open, r.others, r.taken, r.newCells, r.newEnds, r.unused, r.most, r.sets[0], r.sets[1])
	release(r, r.m.Cells)
	release(r, r.m.Ends)
	release(r, r.m.Held)
	release(r, r.m.Curves.S)
	release(r, r.turns, r.claims.Key, r.keys)
	release(r, r.all)
	release(r, r.births)
	release(r, r.moves)
}

func release[T any](r *Rounds, arrays ...[]T) {
	for _, a := range arrays {
		r.note(backend.Free(r.dev, a))
	}
}

// Mesh returns the mesh as it is, without lists of cells around vertices, and the next id. Vertices without cells were
// removed.
func (r *Rounds) Mesh() (m kernels.Mesh, nextID int64, err error) {
	vertices, cells := int(r.n.Vertices), int(r.n.Cells)
	m = kernels.Mesh{X: download(r, r.m.X, vertices), M: download(r, r.m.M, vertices), ID: download(r, r.m.ID, vertices),
		Freedom: download(r, r.m.Freedom, vertices), Lines: download(r, r.m.Lines, vertices),
		Cells: download(r, r.m.Cells, cells), Ends: download(r, r.m.Ends, int(r.n.Ends))}
	return m, r.n.NextID, r.err
}

// Err returns the first error, after which rounds change nothing.
func (r *Rounds) Err() error { return r.err }

// Vertices is the number of vertices.
func (r *Rounds) Vertices() int { return r.live }

// Mark marks all vertices for the operations of a mask.
func (r *Rounds) Mark(mask int32) {
	run(r, kernels.NewMarkVerticesLoop(mask, r.marks), int(r.n.Vertices))
}

// MeanSize is the mean size of cells, 1 for the regular one with edges of length 1.
func (r *Rounds) MeanSize() float64 {
	n := int(r.n.Cells)
	sizes, each := reserve(r, &r.sizes, n), reserve(r, &r.each, n)
	run(r, kernels.NewSizeCellsLoop(&r.m, sizes, each), n)
	return kernels.UnitSize(r.sum(sizes)) / float64(r.sum(each))
}

// sum adds up numbers, which are lost.
func (r *Rounds) sum(numbers []int64) int64 {
	if r.err != nil {
		return 0
	}
	total, err := primitives.ExclusiveScan(r.work, numbers, numbers)
	r.note(err)
	return total
}

// compact copies the elements of which keep is set, and returns these.
func (r *Rounds) compact(dst *[]int32, src []int32) []int32 {
	return r.compactBy(dst, src, r.keep)
}

func (r *Rounds) compactBy(dst *[]int32, src []int32, keep []uint8) []int32 {
	reserve(r, dst, len(src))
	if r.err != nil || len(src) == 0 {
		return nil
	}
	n, err := primitives.Compact(r.work, *dst, src, keep[:len(src)])
	r.note(err)
	return (*dst)[:n]
}

// Round runs a round of an operation, in which one of so many vertices may be removed, and returns how many were
// applied.
func (r *Rounds) Round(kind int32, share uint64) int {
	r.n.Kind, r.n.Share = kind, share
	taken := r.choose(r.find())
	if len(taken) > 0 {
		r.apply(taken)
	}
	if r.err != nil {
		return 0
	}
	return len(taken)
}

// evaluate evaluates the metric for n candidates.
func (r *Rounds) evaluate(n int) {
	if r.err == nil && n > 0 {
		r.note(r.field.Evaluate(r.dev, r.x[:n], r.want[:n]))
	}
}
