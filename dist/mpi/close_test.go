//go:build mpi && cgo

package mpi

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// MPI may use the memory of a long message that no rank receives even after the run has failed and the rank has
// closed. The garbage collector must not free it.
func TestRankKeepsPendingMemoryAfterFailure(t *testing.T) {
	needRank(t)
	func() {
		c := newComms(t)[0]
		ctx := context.Background()
		send, err := c.Isend(ctx, (c.Rank()+1)%c.Size(), 5, make([]byte, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		c.Abort(1, errors.New("nobody receives"))
		var abort *dist.AbortError
		if err := c.Wait(ctx, []dist.Request{send}); !errors.As(err, &abort) {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 3 {
		runtime.GC()
		swept := make(chan struct{})
		runtime.SetFinalizer(new([64]byte), func(*[64]byte) { close(swept) })
		runtime.GC()
		select {
		case <-swept:
		case <-time.After(patience):
			t.Fatal("finalizers do not run")
		}
	}
}

// If a rank fails while another waits in Close, the waiting rank then waits up to failedLimit for the others, and does
// not abort the job at once.
func TestRankWaitsAfterLateFailure(t *testing.T) {
	needRank(t)
	c := newComms(t)[0].(*comm)
	if c.size == 1 {
		t.Skip("needs at least two ranks")
	}
	c.fromInit = true // so that a timeout ends all processes
	if c.rank == 1 {
		time.Sleep(failedLimit + 500*time.Millisecond)
		c.Abort(1, errors.New("late"))
		time.Sleep(300 * time.Millisecond)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A call of another goroutine ends when the rank closes, before MPI is finalised.
func TestRankClosesDuringACall(t *testing.T) {
	needRank(t)
	ctx := context.Background()
	receive := func(c dist.Comm) error {
		req, err := c.Irecv(ctx, c.Rank(), 1, make([]byte, 8))
		if err != nil {
			return err
		}
		return c.Wait(ctx, []dist.Request{req})
	}
	barrier := func(c dist.Comm) error {
		if c.Rank() > 0 || c.Size() == 1 { // the others do not enter it
			return dist.ErrClosed
		}
		return c.Barrier(ctx)
	}
	for _, call := range []func(c dist.Comm) error{receive, barrier} {
		c, ended := newComms(t)[0], make(chan error, 1)
		go func() { ended <- call(c) }()
		time.Sleep(20 * time.Millisecond) // by then the call waits, or has found the rank closed
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if !errors.Is(err, dist.ErrClosed) {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("the call hangs")
		}
	}
}
