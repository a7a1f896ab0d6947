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

// Checked is a share that can be sent: its receiver checks that it belongs to this rank, and is consistent.
type Checked[T any] interface {
	*T
	Check(rank, ranks int) error
}

// Share distributes shares that rank 0 makes by makeShare, called for one rank after the other, so that rank 0 never
// holds more than one; its own comes last. Every rank returns its own.
func Share[T any, P Checked[T]](ctx context.Context, comm dist.Comm, makeShare func(rank int) (P, error)) (P, error) {
	if comm.Rank() == 0 {
		for r := 1; r < comm.Size(); r++ {
			share, err := makeShare(r)
			if err != nil {
				return nil, err
			}
			if err := deliver(ctx, comm, r, encode(share)); err != nil {
				return nil, err
			}
		}
		return makeShare(0)
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
		return nil, fmt.Errorf("share received from rank 0: %w", err)
	}
	return share, nil
}

// Scatter distributes the parts of a decomposition. Only rank 0 passes one.
func Scatter(ctx context.Context, comm dist.Comm, d *Decomposition) (*mesh.Part, *halo.Plan, error) {
	s, err := Share(ctx, comm, d.share)
	if err != nil {
		return nil, nil, err
	}
	return s.Part, s.Plan, nil
}

const (
	// partTag is the message tag of shares.
	partTag = 2
	// pieceBytes is the length of the longest message: a share may be longer than a transport can send at once.
	pieceBytes = 8 << 20
	// maxBytes bounds the size of a share, so that a wrong length is noticed.
	maxBytes = 1 << 36
)

// deliver sends an encoded share: its length in bytes, and then the bytes in messages of pieceBytes.
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

// receive returns what rank 0 has sent to this rank. It allocates as bytes arrive, not as they are announced.
func receive(ctx context.Context, comm dist.Comm) ([]byte, error) {
	var size [8]byte
	if err := fetch(ctx, comm, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > maxBytes {
		return nil, fmt.Errorf("rank 0 announced a part of %d bytes, more than the limit of %d", n, int64(maxBytes))
	}
	var body []byte
	for total := int(n); len(body) < total; {
		received := len(body)
		next := min(received+pieceBytes, total)
		if next > cap(body) {
			body = append(make([]byte, 0, min(2*next, total)), body...)
		}
		body = body[:next]
		if err := fetch(ctx, comm, body[received:]); err != nil {
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
