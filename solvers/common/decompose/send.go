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

// Scatter gives every rank its part. Only rank 0 passes a decomposition.
func Scatter(ctx context.Context, comm dist.Comm, d *Decomposition) (*mesh.Part, *halo.Plan, error) {
	if comm.Rank() != 0 {
		return receive(ctx, comm)
	}
	var myPart *mesh.Part
	var myPlan *halo.Plan
	err := d.Each(func(rank int, part *mesh.Part, plan *halo.Plan) error {
		if rank == 0 {
			myPart, myPlan = part, plan
			return nil
		}
		return Send(ctx, comm, rank, encode(part, plan))
	})
	return myPart, myPlan, err
}

const (
	// partTag keeps parts apart from other messages.
	partTag = 2
	// pieceBytes is the longest message of a part, which may be longer than a transport can send at once.
	pieceBytes = 8 << 20
	// mostBytes bounds a part.
	mostBytes = 1 << 36
)

// Send gives a rank its part, in bytes: their number, and then pieces.
func Send(ctx context.Context, comm dist.Comm, to int, body []byte) error {
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

// Receive returns what rank 0 has sent to this rank. It takes memory as bytes come, not as they are promised.
func Receive(ctx context.Context, comm dist.Comm) ([]byte, error) {
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

func receive(ctx context.Context, comm dist.Comm) (*mesh.Part, *halo.Plan, error) {
	body, err := Receive(ctx, comm)
	if err != nil {
		return nil, nil, err
	}
	part, plan, err := decode(body, comm.Rank(), comm.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("the part that rank 0 sent: %w", err)
	}
	return part, plan, nil
}
