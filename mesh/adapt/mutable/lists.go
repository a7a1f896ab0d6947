package mutable

import (
	"math/bits"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
)

// blocks are the places of many short lists of int32 in one array, which change in place. A list of up to 1<<k elements
// occupies a block of that size; blocks that were left are used again.
type blocks struct {
	logs []int8      // of the size of each list's block, -1 for none
	free [32][]int32 // starts of unused blocks, by the logarithm of their size
}

// leastLog is the logarithm of the size of a list's first block.
const leastLog = 3

// grow adds empty lists of cells until there are n.
func (l *blocks) grow(t *kernels.Mesh, n int) {
	for len(t.Balls) < n {
		t.Balls = append(t.Balls, kernels.Span{})
		l.logs = append(l.logs, -1)
	}
}

// add adds a cell to those around a vertex.
func (l *blocks) add(t *kernels.Mesh, v, cell int32) {
	b := &t.Balls[v]
	if log := l.logs[v]; log < 0 || b.N == 1<<log {
		l.enlarge(t, v)
	}
	t.Around[b.Start+b.N] = cell
	b.N++
}

// enlarge moves a list to a block of twice its size.
func (l *blocks) enlarge(t *kernels.Mesh, v int32) {
	b := &t.Balls[v]
	log := max(leastLog, bits.Len32(uint32(b.N)))
	var start int32
	if free := l.free[log]; len(free) > 0 {
		start, l.free[log] = free[len(free)-1], free[:len(free)-1]
	} else {
		start = int32(len(t.Around))
		t.Around = append(t.Around, make([]int32, 1<<log)...)
	}
	copy(t.Around[start:], t.Around[b.Start:b.Start+b.N])
	l.release(t, v)
	b.Start, l.logs[v] = start, int8(log)
}

// release gives the block of a list back.
func (l *blocks) release(t *kernels.Mesh, v int32) {
	if log := l.logs[v]; log >= 0 {
		l.free[log] = append(l.free[log], t.Balls[v].Start)
	}
	l.logs[v] = -1
}

// remove removes a cell from those around a vertex. The order of the others changes.
func (l *blocks) remove(t *kernels.Mesh, v, cell int32) {
	b := &t.Balls[v]
	for k := b.Start; k < b.Start+b.N; k++ {
		if t.Around[k] == cell {
			b.N--
			t.Around[k] = t.Around[b.Start+b.N]
			break
		}
	}
	if b.N == 0 {
		l.release(t, v)
		*b = kernels.Span{}
	}
}

// PutCell adds a cell, in the place of the first of some old ones that has all its vertices but one, which thereby
// stay in the lists of cells around the others. It returns the old cells that are left, and changes their order.
func PutCell(t *Mesh, old []int32, c *Cell) (left []int32) {
	for i, k := range old {
		gone, fresh := difference(t.Dim, &t.Cells[k], c)
		if fresh < 0 {
			continue
		}
		t.blocks.remove(&t.Mesh, gone, k)
		t.blocks.add(&t.Mesh, fresh, k)
		t.Cells[k] = *c
		last := len(old) - 1
		old[i], old[last] = old[last], k
		return old[:last]
	}
	t.AddCell(*c)
	return old
}

// difference returns the vertex of a cell that another does not have, and the one that only the other has; -1 if they
// differ in more.
func difference(dim int, a, b *Cell) (onlyA, onlyB int32) {
	onlyA, onlyB = -1, -1
	for _, v := range b.V[:dim+1] {
		if !a.Has(dim, v) {
			if onlyB >= 0 {
				return -1, -1
			}
			onlyB = v
		}
	}
	for _, v := range a.V[:dim+1] {
		if !b.Has(dim, v) {
			onlyA = v
		}
	}
	return onlyA, onlyB
}
