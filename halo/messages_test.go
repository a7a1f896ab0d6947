package halo

import (
	"context"
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// breaking is a rank that fails to send.
type breaking struct {
	dist.Comm
	posted, ended int // receives
}

var errBroken = errors.New("broken")

func (b *breaking) Irecv(ctx context.Context, from, tag int, buf []byte) (dist.Request, error) {
	b.posted++
	return b.Comm.Irecv(ctx, from, tag, buf)
}

func (b *breaking) Isend(context.Context, int, int, []byte) (dist.Request, error) {
	return 0, errBroken
}

func (b *breaking) Wait(ctx context.Context, reqs []dist.Request) error {
	b.ended += len(reqs)
	return b.Comm.Wait(ctx, reqs)
}

// TestFailureLeavesNothingUnderWay: what was posted before a failure is withdrawn, so that no message comes into a
// buffer that nobody watches.
func TestFailureLeavesNothingUnderWay(t *testing.T) {
	comms := local.New(2)
	b := &breaking{Comm: comms[0]}
	plan := pair(t, 4)[0]
	x := NewExchanger(plan, b, 1, 8)
	err := x.Start(t.Context(), Of(make([]float64, plan.Owned+plan.Ghosts)))
	if !errors.Is(err, errBroken) {
		t.Fatalf("error %v", err)
	}
	if b.posted == 0 || b.ended != b.posted {
		t.Errorf("%d receives were posted, %d withdrawn", b.posted, b.ended)
	}
	for _, c := range comms {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
