package decompose

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// Checked is what a rank can get: it refuses what is not that of a rank of so many.
type Checked[T any] interface {
	*T
	Check(rank, ranks int) error
}

// Share gives every rank what of makes for it, in bytes. Only rank 0 calls of, for one rank after the other, so that it
// need not hold the shares of all; its own comes last.
func Share[T any, P Checked[T]](ctx context.Context, comm dist.Comm, of func(rank int) (P, error)) (P, error) {
	if comm.Rank() == 0 {
		for r := 1; r < comm.Size(); r++ {
			share, err := of(r)
			if err != nil {
				return nil, err
			}
			if err := deliver(ctx, comm, r, encode(share)); err != nil {
				return nil, err
			}
		}
		return of(0)
	}
	body, err := receive(ctx, comm)
	if err != nil {
		return nil, err
	}
	share := P(new(T))
	if err = decode(body, share); err == nil {
		err = share.Check(comm.Rank(), comm.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("the part that rank 0 sent: %w", err)
	}
	return share, nil
}

// Scatter gives every rank its part. Only rank 0 passes a decomposition.
func Scatter(ctx context.Context, comm dist.Comm, d *Decomposition) (*mesh.Part, *halo.Plan, error) {
	s, err := Share(ctx, comm, d.share)
	if err != nil {
		return nil, nil, err
	}
	return s.Part, s.Plan, nil
}

const (
	// partTag tells parts from other messages.
	partTag = 2
	// pieceBytes is the longest message of a part, which may be longer than a transport can send at once.
	pieceBytes = 8 << 20
	// mostBytes bounds a part.
	mostBytes = 1 << 36
)

// deliver sends a rank its part, in bytes: their number, and then pieces.
func deliver(ctx context.Context, comm dist.Comm, to int, body []byte) error {
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(body)))
	if err := send(ctx, comm, to, size); err != nil {
		return err
	}
	for piece := range slices.Chunk(body, pieceBytes) {
		if err := send(ctx, comm, to, piece); err != nil {
			return err
		}
	}
	return nil
}

func send(ctx context.Context, comm dist.Comm, to int, buf []byte) error {
	r, err := comm.Isend(ctx, to, partTag, buf)
	if err != nil {
		return err
	}
	return comm.Wait(ctx, []dist.Request{r})
}

// receive returns what rank 0 has sent to this rank. It takes memory as bytes come, not as they are promised.
func receive(ctx context.Context, comm dist.Comm) ([]byte, error) {
	var size [8]byte
	if err := fetch(ctx, comm, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > mostBytes {
		return nil, fmt.Errorf("rank 0 announced a part of %d bytes: more than %d is refused", n, int64(mostBytes))
	}
	var body []byte
	for all := int(n); len(body) < all; {
		here := len(body)
		next := min(here+pieceBytes, all)
		if next > cap(body) {
			body = append(make([]byte, 0, min(2*next, all)), body...)
		}
		body = body[:next]
		if err := fetch(ctx, comm, body[here:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

func fetch(ctx context.Context, comm dist.Comm, buf []byte) error {
	r, err := comm.Irecv(ctx, 0, partTag, buf)
	if err != nil {
		return err
	}
	return comm.Wait(ctx, []dist.Request{r})
}
