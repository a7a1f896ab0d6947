package disttest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist"
)

// parcels sends random parcels by dist.Route and dist.Exchange.
func parcels(ctx context.Context, c dist.Comm) error {
	for seed := range uint64(20) {
		if err := sendParcels(ctx, c, seed, dist.Route, false); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		if err := sendParcels(ctx, c, seed, dist.Exchange, true); err != nil {
			return fmt.Errorf("seed %d, long ones directly: %w", seed, err)
		}
	}
	if _, err := dist.Route(ctx, c, 17, []dist.Parcel{{Rank: c.Size()}}); err == nil {
		return fmt.Errorf("a parcel to rank %d of %d was accepted", c.Size(), c.Size())
	}
	return nil
}

// sender is dist.Route or dist.Exchange.
type sender func(context.Context, dist.Comm, int, []dist.Parcel) ([]dist.Parcel, error)

// sendParcels draws random parcels from a seed that all ranks share. Each must arrive as it was sent, and a rank may
// send no more messages than promised: two for each halving of the ranks, and, if long parcels go directly, one for
// each.
func sendParcels(ctx context.Context, c dist.Comm, seed uint64, send sender, direct bool) error {
	size, most := c.Size(), int64(0)
	for 1<<(most/2) < size {
		most += 2
	}
	rng := rand.New(rand.NewPCG(seed, uint64(size)))
	counted := &countingComm{Comm: c}
	var own, want []dist.Parcel
	for from := range size {
		for range rng.IntN(1 + 3*rng.IntN(4)) {
			to, content := rng.IntN(size), bytes.Repeat([]byte{byte(rng.Uint32())}, rng.IntN(1+60*rng.IntN(60)))
			if seed%5 == 0 {
				to = int(seed) % size // all to one
			}
			if from == c.Rank() {
				own = append(own, dist.Parcel{Rank: to, Bytes: content})
				if direct && len(content) > 2048 && to != from {
					most++
				}
			}
			if to == c.Rank() {
				want = append(want, dist.Parcel{Rank: from, Bytes: content})
			}
		}
	}
	got, err := send(ctx, counted, 17, own)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d parcels came, want %d", len(got), len(want))
	}
	for k := range got {
		if got[k].Rank != want[k].Rank || !bytes.Equal(got[k].Bytes, want[k].Bytes) {
			return fmt.Errorf("parcel %d is from rank %d with %d bytes, want rank %d, %d bytes, or other bytes", k, got[k].Rank,
				len(got[k].Bytes), want[k].Rank, len(want[k].Bytes))
		}
	}
	if n := counted.sent.Load(); n > most {
		return fmt.Errorf("%d messages were sent, want at most %d", n, most)
	}
	return nil
}

// countingComm counts the messages that are sent.
type countingComm struct {
	dist.Comm
	sent atomic.Int64
}

func (c *countingComm) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	c.sent.Add(1)
	return c.Comm.Isend(ctx, to, tag, buf)
}
