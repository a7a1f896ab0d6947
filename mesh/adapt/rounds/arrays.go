package rounds

import (
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
)

// run queues a loop over the indices from 0 to n-1. A loop of each kernel is kept, with the arguments of the last call,
// since a device prepares each loop once.
func run[L any, P interface {
	*L
	backend.Loop
}](r *Rounds, l P, n int) {
	if r.err != nil || n == 0 {
		return
	}
	var kept P
	for _, k := range r.loops {
		if k, ok := k.(P); ok {
			kept = k
			break
		}
	}
	if kept == nil {
		kept = new(L)
		r.loops = append(r.loops, kept)
	}
	*kept = *l
	r.dev.Run(kept, 0, n)
}

// note keeps the first error.
func (r *Rounds) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// resize makes room for n elements on the device, of which the first kept ones stay.
func resize[T any](r *Rounds, a *[]T, n, kept int) {
	if n <= len(*a) || r.err != nil {
		return
	}
	larger, err := backend.Make[T](r.dev, n)
	if err != nil {
		var t T
		r.note(fmt.Errorf("arrays for the adaptation, %d elements of %d bytes: %w", n, unsafe.Sizeof(t), err))
		return
	}
	if kept > 0 {
		r.note(backend.Copy(r.dev, larger[:kept], (*a)[:kept]))
	}
	r.note(backend.Free(r.dev, *a))
	*a = larger
}

// reserve makes room for n elements, whose contents are not kept.
func reserve[T any](r *Rounds, a *[]T, n int) []T {
	if n > len(*a) {
		resize(r, a, n+n/4, 0)
	}
	if r.err != nil {
		return nil
	}
	return (*a)[:n]
}

// upload makes an array of n elements that begins with those of the host.
func upload[T any](r *Rounds, a *[]T, src []T, n int) {
	resize(r, a, max(n, len(src), 1), 0)
	if r.err == nil {
		r.note(backend.Upload(r.dev, (*a)[:len(src)], src))
	}
}

// download returns the first n elements.
func download[T any](r *Rounds, a []T, n int) []T {
	out := make([]T, n)
	if r.err == nil {
		r.note(backend.Download(r.dev, out, a[:n]))
	}
	return out
}

// growVertices makes room for n vertices.
func (r *Rounds) growVertices(n int) {
	if n <= len(r.m.X) {
		return
	}
	had := int(r.n.Vertices)
	n += n / 2
	resize(r, &r.m.X, n, had)
	resize(r, &r.m.M, n, had)
	resize(r, &r.m.ID, n, had)
	resize(r, &r.m.Freedom, n, had)
	resize(r, &r.m.Balls, n, had)
	resize(r, &r.m.Lines, n, had)
	resize(r, &r.m.Around, n*int(r.n.Width), had*int(r.n.Width))
	resize(r, &r.next, n*int(r.n.Width), 0)
	resize(r, &r.marks, n, had)
	resize(r, &r.turns, n, had)
	resize(r, &r.found, n, had)
	resize(r, &r.state, n, had)
	resize(r, &r.counts, n, 0)
	r.growFlags(n)
}

// growCells makes room for n cells.
func (r *Rounds) growCells(n int) {
	if n <= len(r.m.Cells) {
		return
	}
	had := int(r.n.Cells)
	n += n / 2
	resize(r, &r.m.Cells, n, had)
	resize(r, &r.claims.Key, n, 0)
	resize(r, &r.claims.Low, n, 0)
	resize(r, &r.claims.High, n, 0)
	resize(r, &r.claims.By, n, had)
	r.growFlags(3 * n)
}

// growFlags makes room for flags of n entities.
func (r *Rounds) growFlags(n int) {
	if n <= len(r.keep) {
		return
	}
	resize(r, &r.keep, n, 0)
	resize(r, &r.later, n, 0)
	resize(r, &r.list, n, 0)
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	upload(r, &r.numbers, numbers, n)
}

// widen makes room for so many cells around each vertex.
func (r *Rounds) widen(width int32) {
	if width <= r.n.Width || r.err != nil {
		return
	}
	width = max(width, 2*r.n.Width)
	var wide []int32
	resize(r, &wide, len(r.m.X)*int(width), 0)
	if r.err != nil {
		return
	}
	run(r, kernels.NewWidenLoop(width, &r.m, wide), int(r.n.Vertices)+r.born)
	r.note(backend.Free(r.dev, r.m.Around))
	r.m.Around, r.n.Width = wide, width
	resize(r, &r.next, len(wide), 0)
}
