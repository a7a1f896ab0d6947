package cpu

import "sync/atomic"

// share has the numbers of contiguous blocks that are left of a thread's share. The thread takes them from the first
// on, other threads from the last back, so that in each loop they take about the same ones.
type share struct {
	left atomic.Uint64 // the first block in the upper half, the end in the lower half
	_    [56]byte      // shares have cache lines of their own
}

func (s *share) set(first, end int) { s.left.Store(uint64(first)<<32 | uint64(end)) }

// take removes the first block, or the last one, and reports whether any was left.
func (s *share) take(last bool) (block int, ok bool) {
	for {
		left := s.left.Load()
		first, end := left>>32, left&(1<<32-1)
		if first >= end {
			return 0, false
		}
		block, rest := first, left+1<<32
		if last {
			block, rest = end-1, left-1
		}
		if s.left.CompareAndSwap(left, rest) {
			return int(block), true
		}
	}
}
