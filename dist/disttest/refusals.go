package disttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// checkNames returns an error unless err is a PeerError with the rank.
func checkNames(err error, rank int) error {
	var p *dist.PeerError
	if !errors.As(err, &p) || p.Rank != rank {
		return fmt.Errorf("error %q does not name rank %d", fmt.Sprint(err), rank)
	}
	return nil
}

func wrongLength(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	length := new(int)
	// Among the lengths are limits at which transports change their protocol: 4088 bytes and 256 KiB.
	for _, l := range []struct {
		sent, want int
		upTo       bool
	}{
		{8, 9, false}, {9, 8, false}, {0, 1, false}, {1, 0, false}, {600_000, 8, false}, {8, 600_000, false},
		{600_000, 700_000, false},
		{9, 8, true}, {1, 0, true}, {4089, 4088, true}, {1<<18 + 1, 1 << 18, true}, {600_000, 8, true},
		{600_000, 500_000, true},
	} {
		for _, late := range []bool{false, true} {
			b := batch{c: c}
			if late {
				b.send(ctx, next, 3, make([]byte, l.sent))
				if err := c.Barrier(ctx); err != nil {
					return err
				}
			}
			var req dist.Request
			var err error
			if l.upTo {
				req, err = c.IrecvUpTo(ctx, prev, 3, make([]byte, l.want), length)
			} else {
				req, err = c.Irecv(ctx, prev, 3, make([]byte, l.want))
			}
			if err != nil {
				return err
			}
			if !late {
				b.send(ctx, next, 3, make([]byte, l.sent))
			}
			err = c.Wait(ctx, []dist.Request{req})
			if bad := checkNames(err, prev); bad != nil {
				return fmt.Errorf("%d bytes for %d: %w", l.sent, l.want, bad)
			}
			if text := fmt.Sprintf("sent %d bytes with tag 3", l.sent); !strings.Contains(err.Error(), text) {
				return fmt.Errorf("error %q does not contain %q", err, text)
			}
			if err := b.wait(ctx); err != nil {
				return fmt.Errorf("send of %d bytes to a receive of %d: %w", l.sent, l.want, err)
			}
		}
	}
	return ring(ctx, c)
}

func badArguments(ctx context.Context, c dist.Comm) error {
	n := c.Size()
	mustFail := func(what string, err error) error {
		if err == nil {
			return fmt.Errorf("%s is accepted", what)
		}
		return nil
	}
	_, toMissing := c.Isend(ctx, n, 0, nil)
	_, fromMissing := c.Irecv(ctx, n, 0, nil)
	_, toNegative := c.Isend(ctx, -1, 0, nil)
	_, fromNegative := c.Irecv(ctx, -1, 0, nil)
	_, sendTag := c.Isend(ctx, 0, -1, nil)
	_, recvTag := c.Irecv(ctx, 0, -1, nil)
	_, upTo := c.IrecvUpTo(ctx, n, 0, nil, new(int))
	_, upToTag := c.IrecvUpTo(ctx, 0, -1, nil, new(int))
	_, root := c.Gatherv(ctx, n, nil)
	return errors.Join(
		mustFail("a send to a missing rank", toMissing), mustFail("a receive from a missing rank", fromMissing),
		mustFail("a send to rank -1", toNegative), mustFail("a receive from rank -1", fromNegative),
		mustFail("a send with tag -1", sendTag), mustFail("a receive with tag -1", recvTag),
		mustFail("a receive up to a length from a missing rank", upTo),
		mustFail("a receive up to a length with tag -1", upToTag),
		mustFail("a missing root of a gather", root),
		mustFail("a negative root of a broadcast", c.Bcast(ctx, -1, nil)),
		mustFail("a sum of float64", c.AllreduceFloat64(ctx, dist.Sum, []float64{1})),
		mustFail("an or of float64", c.AllreduceFloat64(ctx, dist.Or, []float64{1})),
		mustFail("an unknown reduction", c.AllreduceInt64(ctx, dist.Or+1, []int64{1})),
	)
}

func waitTwice(ctx context.Context, c dist.Comm) error {
	b := batch{c: c}
	b.send(ctx, c.Rank(), 0, nil)
	b.recv(ctx, c.Rank(), 0, nil)
	reqs := append([]dist.Request(nil), b.reqs...)
	if err := b.wait(ctx); err != nil {
		return err
	}
	for _, r := range reqs {
		if c.Wait(ctx, []dist.Request{r}) == nil {
			return errors.New("a request could be waited for twice")
		}
	}
	return nil
}

// receiveDeadline also checks that receives cancelled by their context do not consume a later message.
func receiveDeadline(ctx context.Context, c dist.Comm) error {
	n, r := c.Size(), c.Rank()
	next, prev := (r+1)%n, (r+n-1)%n
	length := -1
	exact, err := c.Irecv(ctx, prev, 9, make([]byte, 8))
	if err != nil {
		return err
	}
	upTo, err := c.IrecvUpTo(ctx, prev, 9, make([]byte, 8), &length)
	if err != nil {
		return err
	}
	shortCtx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	for _, req := range []dist.Request{upTo, exact} {
		err = c.Wait(shortCtx, []dist.Request{req})
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("a wait returned %v after its deadline", err)
		}
		if err := checkNames(err, prev); err != nil {
			return err
		}
	}
	if err := c.Barrier(ctx); err != nil {
		return err
	}
	out, in := make([]byte, 8), make([]byte, 8)
	fill(out, r)
	b := batch{c: c}
	b.send(ctx, next, 9, out)
	b.recv(ctx, prev, 9, in)
	if err := b.wait(ctx); err != nil {
		return err
	}
	if length != -1 {
		return fmt.Errorf("a cancelled receive has stored the length %d", length)
	}
	return verify(in, prev, "after a cancelled receive")
}

func endedContext(ctx context.Context, c dist.Comm) error {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, send := c.Isend(ended, c.Rank(), 0, nil)
	_, recv := c.Irecv(ended, c.Rank(), 0, nil)
	for _, err := range []error{send, recv, c.Barrier(ended)} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a call whose context has ended returned %v", err)
		}
	}
	return nil
}
