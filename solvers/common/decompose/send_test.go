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

// TestScatter: every rank gets the part that is cut for it.
func TestScatter(t *testing.T) {
	const ranks = 3
	for name, comms := range map[string][]dist.Comm{"local": local.New(ranks), "grpc": grpctest.Open(t, ranks)} {
		m, err := mesh.Rectangle(0, 0, 1, 1, 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(m, Options{Ranks: ranks, Order: partition.Natural, Cut: partition.HilbertCut})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]piece, ranks)
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
				return fmt.Errorf("%s: rank %d got another part than its own", name, rank)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPieces: bytes of any number come as they were sent, those of one piece, of several, and of none.
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
				err = fmt.Errorf("%d other bytes have come of %d, in memory for %d", len(got), n, cap(got))
			}
			return err
		})
	}
	disttest.Close(t, comms)
}

// TestPromisesTakeNoMemory: a part that is announced and does not come costs no more than its first pieces, however
// long it is said to be.
func TestPromisesTakeNoMemory(t *testing.T) {
	for announced, want := range map[uint64]string{
		mostBytes: "has left the run", mostBytes + 1: "more than 68719476736 is refused", 1<<64 - 1: "is refused",
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
				return fmt.Errorf("%d bytes of memory for a part that did not come", taken)
			}
			return nil
		})
		disttest.Close(t, comms)
	}
}
