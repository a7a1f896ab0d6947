package mutable

import "math/bits"

// Lists are many short lists of int32 that change in place, in one array. A list of up to 1<<k elements occupies a
// block of that size; blocks that were left are used again.
type Lists struct {
	array []int32
	At    []block
	free  [32][]int32 // starts of unused blocks, by the logarithm of their size
}

// block is a list's place in the array: n elements from start, in a block of 1<<log elements; log is -1 for no block.
type block struct {
	start int32
	N     int32
	log   int8
}

// leastLog is the logarithm of the size of a list's first block.
const leastLog = 3

// Of returns the elements of a list.
func (l *Lists) Of(i int32) []int32 {
	b := &l.At[i]
	return l.array[b.start : b.start+b.N]
}

// Count returns the number of elements of a list.
func (l *Lists) Count(i int32) int { return int(l.At[i].N) }

// grow adds empty lists until there are n.
func (l *Lists) grow(n int) {
	for len(l.At) < n {
		l.At = append(l.At, block{log: -1})
	}
}

// add appends an element to a list.
func (l *Lists) add(i, element int32) {
	b := &l.At[i]
	if b.log < 0 || b.N == 1<<b.log {
		l.enlarge(b)
	}
	l.array[b.start+b.N] = element
	b.N++
}

// enlarge moves a list to a block of twice its size.
func (l *Lists) enlarge(b *block) {
	log := max(leastLog, bits.Len32(uint32(b.N)))
	var start int32
	if free := l.free[log]; len(free) > 0 {
		start, l.free[log] = free[len(free)-1], free[:len(free)-1]
	} else {
		start = int32(len(l.array))
		l.array = append(l.array, make([]int32, 1<<log)...)
	}
	copy(l.array[start:], l.array[b.start:b.start+b.N])
	l.release(b)
	b.start, b.log = start, int8(log)
}

func (l *Lists) release(b *block) {
	if b.log >= 0 {
		l.free[b.log] = append(l.free[b.log], b.start)
	}
}

// remove removes an element that the list has. The order of the others changes.
func (l *Lists) remove(i, element int32) {
	b := &l.At[i]
	for k := b.start; k < b.start+b.N; k++ {
		if l.array[k] == element {
			b.N--
			l.array[k] = l.array[b.start+b.N]
			break
		}
	}
	if b.N == 0 {
		l.release(b)
		*b = block{log: -1}
	}
}
