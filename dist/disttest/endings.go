package disttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

const abortCode = 7

func checkAbort(err error, rank int) error {
	var a *dist.AbortError
	if !errors.As(err, &a) || a.Rank != rank || a.Code != abortCode || a.Cause != "out of memory" {
		return fmt.Errorf("error %q does not carry the abort of rank %d", fmt.Sprint(err), rank)
	}
	return nil
}

func receive(ctx context.Context, c dist.Comm, source int) error {
	b := batch{c: c}
	b.recv(ctx, source, 77, make([]byte, 8))
	return b.wait(ctx)
}

func abort(ctx context.Context, c dist.Comm) error {
	last := c.Size() - 1
	if c.Rank() == last {
		time.Sleep(20 * time.Millisecond) // by then the others are waiting
		c.Abort(abortCode, errors.New("out of memory"))
	}
	return errors.Join(
		checkAbort(receive(ctx, c, (c.Rank()+1)%c.Size()), last),
		checkAbort(receive(ctx, c, c.Rank()), last),
		checkAbort(c.Barrier(ctx), last),
	)
}

func abortCollective(ctx context.Context, c dist.Comm) error {
	if c.Rank() == 0 {
		time.Sleep(20 * time.Millisecond)
		c.Abort(abortCode, errors.New("out of memory"))
	}
	return errors.Join(checkAbort(c.Barrier(ctx), 0), checkAbort(receive(ctx, c, 0), 0))
}

func differentCollectives(ctx context.Context, c dist.Comm) error {
	var err error
	if c.Rank() == c.Size()-1 {
		err = c.Bcast(ctx, 0, make([]byte, 8))
	} else {
		err = c.Barrier(ctx)
	}
	return checkRefused(err)
}

func differentLengths(ctx context.Context, c dist.Comm) error {
	return checkRefused(c.AllreduceInt64(ctx, dist.Sum, make([]int64, 1+c.Rank()%2)))
}

func checkRefused(err error) error {
	var p *dist.PeerError
	if !errors.As(err, &p) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a collective that differs between ranks returned %v", err)
	}
	return nil
}

// collectiveDeadline: the last rank does not enter the barrier. The first rank whose context ends fails the run, so
// that all others return too.
func collectiveDeadline(ctx context.Context, c dist.Comm) error {
	shortCtx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if c.Rank() == c.Size()-1 {
		return nil
	}
	start := time.Now()
	err := c.Barrier(shortCtx)
	var p *dist.PeerError
	if !errors.As(err, &p) {
		return fmt.Errorf("a barrier that one rank does not enter returned %v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		return fmt.Errorf("the barrier returned %v after its deadline", took)
	}
	return nil
}

func closedPeer(ctx context.Context, c dist.Comm) error {
	if c.Rank() == 0 {
		b := batch{c: c}
		for to := 1; to < c.Size(); to++ {
			b.send(ctx, to, 1, make([]byte, 8))
		}
		return errors.Join(b.wait(ctx), c.Close())
	}
	b := batch{c: c}
	b.recv(ctx, 0, 1, make([]byte, 8)) // a message sent before the close still arrives
	if err := b.wait(ctx); err != nil {
		return err
	}
	return errors.Join(checkNames(receive(ctx, c, 0), 0), c.Close())
}

// closedStranger: a rank from which nothing was received has closed. Calls that wait for it end.
func closedStranger(ctx context.Context, c dist.Comm) error {
	for dead := range c.Size() - 1 {
		if c.Rank() == dead {
			return c.Close()
		}
		if c.Rank() == c.Size()-1 {
			if err := checkNames(receive(ctx, c, dead), dead); err != nil {
				return err
			}
		}
	}
	return c.Close()
}

func afterClose(ctx context.Context, c dist.Comm) error {
	if err := c.Close(); err != nil {
		return err
	}
	_, send := c.Isend(ctx, c.Rank(), 0, nil)
	_, recv := c.Irecv(ctx, c.Rank(), 0, nil)
	for _, err := range []error{send, recv, c.Barrier(ctx)} {
		if err == nil {
			return errors.New("a call on a closed communicator succeeded")
		}
	}
	return c.Close()
}

func unevenClose(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	if err := c.Barrier(ctx); err != nil {
		return err
	}
	if r > 0 { // rank 0, which may host the coordinator, closes at once
		time.Sleep(time.Duration(20*r) * time.Millisecond)
		b := batch{c: c}
		in, out := make([]byte, 100_000), make([]byte, 100_000)
		peer := n - r
		fill(out, r)
		b.recv(ctx, peer, 0, in)
		b.send(ctx, peer, 0, out)
		if err := b.wait(ctx); err != nil {
			return err
		}
		if err := verify(in, peer, "while rank 0 closes"); err != nil {
			return err
		}
	}
	return c.Close()
}

// RunFailures checks that the death of a rank ends every call of the others within 5 seconds, with an error that
// names the dead rank. kill must end the rank of its argument without closing its connections in order.
func RunFailures(t *testing.T, open func(t *testing.T, n int) []dist.Comm, kill func(dist.Comm)) {
	waitingCalls := map[string]func(ctx context.Context, c dist.Comm, dead int) error{
		"receive from the dead rank": receive,
		"receive up to a length": func(ctx context.Context, c dist.Comm, dead int) error {
			b := batch{c: c}
			b.recvUpTo(ctx, dead, 77, make([]byte, 8), new(int))
			return b.wait(ctx)
		},
		"receive from a live rank": func(ctx context.Context, c dist.Comm,
			dead int) error {
			return receive(ctx, c, c.Rank())
		},
		"barrier": func(ctx context.Context, c dist.Comm, _ int) error { return c.Barrier(ctx) },
		"gather": func(ctx context.Context, c dist.Comm, dead int) error {
			_, err := c.Gatherv(ctx, dead, make([]byte, 1000))
			return err
		},
		"large send": func(ctx context.Context, c dist.Comm, dead int) error {
			b := batch{c: c}
			b.send(ctx, dead, 0, make([]byte, 8<<20))
			return b.wait(ctx)
		},
	}
	t.Run("a survivor leaves", func(t *testing.T) { survivorLeaves(t, open, kill) })
	const n = 3
	for name, call := range waitingCalls {
		for dead := range n {
			t.Run(fmt.Sprintf("%s/rank %d", name, dead), func(t *testing.T) {
				comms := open(t, n)
				Each(t, comms, ring)
				Each(t, comms, func(ctx context.Context, c dist.Comm) error {
					if c.Rank() == dead {
						time.Sleep(30 * time.Millisecond)
						kill(c)
						return nil
					}
					start := time.Now()
					for range 2 { // the pending call and a later one
						err := call(ctx, c, dead)
						if !errors.Is(err, dist.ErrPeerLost) {
							return fmt.Errorf("%v does not wrap ErrPeerLost", err)
						}
						if err := checkNames(err, dead); err != nil {
							return err
						}
					}
					if took := time.Since(start); took > 5*time.Second {
						return fmt.Errorf("detected after %v, want at most 5s", took)
					}
					return nil
				})
				Close(t, comms)
			})
		}
	}
}

// survivorLeaves: a call that waits for a rank which has closed because another rank died returns an error that
// names the dead rank.
func survivorLeaves(t *testing.T, open func(t *testing.T, n int) []dist.Comm, kill func(dist.Comm)) {
	const dead = 2
	comms := open(t, 3)
	left := make(chan struct{})
	var passed sync.WaitGroup // the barrier, by all ranks: one that is still in it would fail
	passed.Add(len(comms))
	Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		b := batch{c: c}
		if c.Rank() == 1 {
			b.recv(ctx, 0, 1, make([]byte, 8))
		}
		err := c.Barrier(ctx)
		passed.Done()
		if err != nil {
			return err
		}
		switch c.Rank() {
		case dead:
			passed.Wait()
			kill(c)
			return nil
		case 0:
			defer close(left)
			return errors.Join(checkNames(c.Barrier(ctx), dead), c.Close())
		}
		<-left
		return errors.Join(checkNames(b.wait(ctx), dead), checkNames(receive(ctx, c, 0), dead), checkNames(c.Barrier(ctx),
			dead))
	})
	Close(t, comms)
}
