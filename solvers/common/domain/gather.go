package domain

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/atoll-hpc/atoll/dist"
)

// Gather returns the elements of all ranks, of a type of fixed size, those of rank 0 first. All ranks call it.
func Gather[T any](ctx context.Context, comm dist.Comm, own []T) (all []T, err error) {
	return gather(own, func(message []byte) ([][]byte, error) { return comm.Allgatherv(ctx, message) })
}

// GatherOn is Gather for one rank; others get none.
func GatherOn[T any](ctx context.Context, comm dist.Comm, root int, own []T) (all []T, err error) {
	return gather(own, func(message []byte) ([][]byte, error) { return comm.Gatherv(ctx, root, message) })
}

func gather[T any](own []T, exchange func(message []byte) ([][]byte, error)) (all []T, err error) {
	var message bytes.Buffer
	if err := binary.Write(&message, binary.LittleEndian, own); err != nil {
		return nil, err
	}
	parts, err := exchange(message.Bytes())
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		list := make([]T, len(part)/binary.Size(*new(T)))
		if err := binary.Read(bytes.NewReader(part), binary.LittleEndian, list); err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}
