package dist

import (
	"context"
	"slices"
	"unsafe"
)

// Broadcast replaces an array on all ranks by that of rank 0, in pieces of up to 8 MiB, so that no rank holds it twice.
// Its elements have no pointers. It is a collective.
func Broadcast[T any](ctx context.Context, comm Comm, array *[]T) error {
	length := []int64{0}
	if comm.Rank() == 0 {
		length[0] = int64(len(*array))
	}
	if err := comm.AllreduceInt64(ctx, Max, length); err != nil {
		return err
	}
	if comm.Rank() > 0 {
		*array = make([]T, length[0])
	}
	var element T
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*array))), len(*array)*int(unsafe.Sizeof(element)))
	for piece := range slices.Chunk(bytes, pieceBytes) {
		if err := comm.Bcast(ctx, 0, piece); err != nil {
			return err
		}
	}
	return nil
}
