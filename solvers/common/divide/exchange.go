package divide

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// messageTag is the tag of all messages.
const messageTag = 5

// list has items for a rank, or from one. An item has no pointers.
type list[T any] struct {
	rank  int
	items []T
}

// exchange sends lists to ranks, which do not know that they come, and returns those for this rank, by the rank from
// which they came. A rank sends no more than one list to another.
func exchange[T any](ctx context.Context, comm dist.Comm, out []list[T]) (in []list[T], err error) {
	var item T
	size := int(unsafe.Sizeof(item))
	parcels := make([]dist.Parcel, len(out))
	for k, l := range out {
		parcels[k] = dist.Parcel{Rank: l.rank, Bytes: bytesOf(l.items)}
	}
	if parcels, err = dist.Exchange(ctx, comm, messageTag, parcels); err != nil {
		return nil, err
	}
	for _, p := range parcels {
		if len(p.Bytes)%size != 0 {
			return nil, fmt.Errorf("rank %d sent %d bytes, want a multiple of %d", p.Rank, len(p.Bytes), size)
		}
		in = append(in, list[T]{p.Rank, itemsOf[T](p.Bytes)})
	}
	return in, nil
}

// itemsOf is the inverse of bytesOf. The items share memory with the bytes unless these are not aligned.
func itemsOf[T any](b []byte) []T {
	var item T
	n := len(b) / int(unsafe.Sizeof(item))
	if first := unsafe.Pointer(unsafe.SliceData(b)); uintptr(first)%unsafe.Alignof(item) == 0 {
		return unsafe.Slice((*T)(first), n)
	}
	items := make([]T, n)
	copy(bytesOf(items), b)
	return items
}

// bytesOf returns the memory of items.
func bytesOf[T any](items []T) []byte {
	var item T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), len(items)*int(unsafe.Sizeof(item)))
}

// byRank sorts items into lists by the rank to which each goes, in their order.
func byRank[T any](ranks int, n int, to func(i int) int, item func(i int) T) []list[T] {
	start := make([]int32, ranks+1)
	for i := range n {
		start[to(i)+1]++
	}
	for rank := range ranks {
		start[rank+1] += start[rank]
	}
	sorted, next := make([]T, n), start
	var out []list[T]
	for rank := range ranks {
		if start[rank] < start[rank+1] {
			out = append(out, list[T]{rank, sorted[start[rank]:start[rank+1]]})
		}
	}
	for i := range n {
		rank := to(i)
		sorted[next[rank]] = item(i)
		next[rank]++
	}
	return out
}
