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

// A long message that nobody receives is MPI's when the run fails, and still when the rank has closed: its memory stays
// where it is, though nothing else holds it.
func TestRankLeavesMemoryToMPIAfterAFailure(t *testing.T) {
	needRank(t)
	func() {
		c := fresh(t)[0]
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
		case <-time.After(10 * time.Second):
			t.Fatal("finalizers do not run")
		}
	}
}

// A rank that has waited long for the others to close gives them the usual time once one of them fails, and does not
// end the job at once.
func TestRankGivesTimeToNoticeALateFailure(t *testing.T) {
	needRank(t)
	c := fresh(t)[0].(*comm)
	if c.size == 1 {
		t.Skip("one rank has nobody to give time to")
	}
	c.job = true // so that losing patience ends all
	if c.rank == 1 {
		time.Sleep(failedLimit + 500*time.Millisecond)
		c.Abort(1, errors.New("late"))
		time.Sleep(300 * time.Millisecond)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// What another goroutine waits for ends when the rank closes, before MPI is given back.
func TestRankClosesBesideACall(t *testing.T) {
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
		if c.Rank() > 0 || c.Size() == 1 { // to which the others do not come
			return ErrClosed
		}
		return c.Barrier(ctx)
	}
	for _, call := range []func(c dist.Comm) error{receive, barrier} {
		c, ended := fresh(t)[0], make(chan error, 1)
		go func() { ended <- call(c) }()
		time.Sleep(20 * time.Millisecond) // it waits by now, or finds the rank closed
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the call hangs")
		}
	}
}
