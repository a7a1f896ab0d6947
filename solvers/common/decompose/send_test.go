package decompose

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// TestScatter proves that every rank receives its own part.
func TestScatter(t *testing.T) {
	const ranks = 3
	for name, comms := range map[string][]dist.Comm{"local": local.New(ranks), "grpc": grpctest.Open(t, ranks)} {
		m, err := mesh.Rectangle(0, 0, 1, 1, 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(m, Options{Ranks: ranks, Order: partition.Natural, Method: partition.HilbertCut})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]share, ranks)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			var mine *Decomposition
			if c.Rank() == 0 {
				mine = d
			}
			var err error
			p := &got[c.Rank()]
			p.part, p.plan, err = Scatter(ctx, c, mine)
			return err
		})
		disttest.Close(t, comms)
		err = d.Each(func(rank int, part *mesh.Part, plan *halo.Plan) error {
			if !reflect.DeepEqual(got[rank].part, part) || !reflect.DeepEqual(got[rank].plan, plan) {
				return fmt.Errorf("%s: rank %d received the part of another rank", name, rank)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPieces proves that messages of any length arrive unchanged: none, one or several pieces.
func TestPieces(t *testing.T) {
	comms := local.New(2)
	for _, n := range []int{0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 5*pieceBytes/2 + 3} {
		body := make([]byte, n)
		for i := range body {
			body[i] = byte(i * 31 >> 4)
		}
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			if c.Rank() == 0 {
				return deliver(ctx, c, 1, body)
			}
			got, err := receive(ctx, c)
			if err == nil && (!bytes.Equal(got, body) || cap(got) > 2*n) {
				err = fmt.Errorf("received %d wrong bytes of %d, with capacity %d", len(got), n, cap(got))
			}
			return err
		})
	}
	disttest.Close(t, comms)
}

// TestAnnouncedLengthIsNotAllocated proves that announcing a part that is never sent costs no more memory than its
// first pieces, whatever its announced length.
func TestAnnouncedLengthIsNotAllocated(t *testing.T) {
	for announced, want := range map[uint64]string{
		maxBytes: "has left the run", maxBytes + 1: "more than the limit of 68719476736", 1<<64 - 1: "more than the limit",
	} {
		comms := local.New(2)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			if c.Rank() == 0 {
				err := send(ctx, c, 1, binary.LittleEndian.AppendUint64(nil, announced))
				return errors.Join(err, c.Close())
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := receive(ctx, c)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("error %v, want %q", err, want)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 3*pieceBytes {
				return fmt.Errorf("allocated %d bytes for a part that was not sent", taken)
			}
			return nil
		})
		disttest.Close(t, comms)
	}
}
