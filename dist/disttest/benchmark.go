package disttest

import (
	"context"
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// Benchmark measures a transport: half the round trip of a ping-pong between two ranks, an exchange in which both
// send at the same time, and reductions of one number.
func Benchmark(b *testing.B, open func(b testing.TB, n int) []dist.Comm) {
	for _, size := range []int{64, 8 << 10, 128 << 10, 2 << 20} {
		b.Run(fmt.Sprintf("pingpong/%d", size), func(b *testing.B) {
			bench(b, open(b, 2), size, func(ctx context.Context, c dist.Comm, x *pair) error {
				if c.Rank() == 0 {
					return x.sendThenReceive(ctx)
				}
				return x.receiveThenSend(ctx)
			})
			b.SetBytes(int64(2 * size)) // both messages of a round trip, so that MB/s is the rate of one direction
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/way")
		})
		b.Run(fmt.Sprintf("exchange/%d", size), func(b *testing.B) {
			bench(b, open(b, 2), size, func(ctx context.Context, _ dist.Comm, x *pair) error { return x.exchange(ctx) })
		})
	}
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("allreduce/ranks=%d", n), func(b *testing.B) {
			bench(b, open(b, n), 0, func(ctx context.Context, c dist.Comm, x *pair) error {
				return c.AllreduceFloat64(ctx, dist.Min, x.value[:])
			})
		})
	}
}

func bench(b *testing.B, comms []dist.Comm, size int, step func(context.Context, dist.Comm, *pair) error) {
	defer Close(b, comms)
	b.SetBytes(int64(size)) // each way
	b.ReportAllocs()
	run := func(times int) {
		Each(b, comms, func(ctx context.Context, c dist.Comm) error {
			x := newPair(c, size)
			for range times {
				if err := step(ctx, c, x); err != nil {
					return err
				}
			}
			return nil
		})
	}
	run(10)
	b.ResetTimer()
	run(b.N)
	b.StopTimer()
}

// pair exchanges messages between the two ranks of a communicator.
type pair struct {
	c       dist.Comm
	peer    int
	out, in []byte
	reqs    []dist.Request
	length  int // of a message of unknown length
	value   [1]float64
}

func newPair(c dist.Comm, size int) *pair {
	return &pair{c: c, peer: 1 - c.Rank(), out: make([]byte, size), in: make([]byte, size), reqs: make([]dist.Request, 2)}
}

func (x *pair) send(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Isend(ctx, x.peer, 0, x.out); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs[:1])
}

func (x *pair) receive(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Irecv(ctx, x.peer, 0, x.in); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs[:1])
}

func (x *pair) sendThenReceive(ctx context.Context) error {
	if err := x.send(ctx); err != nil {
		return err
	}
	return x.receive(ctx)
}

func (x *pair) receiveThenSend(ctx context.Context) error {
	if err := x.receive(ctx); err != nil {
		return err
	}
	return x.send(ctx)
}

func (x *pair) exchange(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Irecv(ctx, x.peer, 0, x.in); err != nil {
		return err
	}
	return x.sendAndWait(ctx, x.out)
}

// exchangeUpTo exchanges messages of n bytes with receives that do not know the length, and checks the length
// received.
func (x *pair) exchangeUpTo(ctx context.Context, n int) (err error) {
	if x.reqs[0], err = x.c.IrecvUpTo(ctx, x.peer, 0, x.in, &x.length); err != nil {
		return err
	}
	if err := x.sendAndWait(ctx, x.out[:n]); err == nil && x.length != n {
		return fmt.Errorf("received %d bytes, want %d", x.length, n)
	} else {
		return err
	}
}

func (x *pair) sendAndWait(ctx context.Context, out []byte) (err error) {
	if x.reqs[1], err = x.c.Isend(ctx, x.peer, 0, out); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs)
}

// Allocations fails if a step between two ranks allocates more than limit times on both ranks together. A step is
// an exchange of known length, one of unknown length, and a reduction.
func Allocations(t *testing.T, comms []dist.Comm, limit float64) {
	const warm, runs = 100, 200
	Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		x := newPair(c, 4096)
		var failed error
		n := 0
		step := func() {
			n = (n + 1009) % (len(x.out) + 1) // lengths in no order, up to that of out
			if err := x.exchange(ctx); err != nil {
				failed = err
			} else if err := x.exchangeUpTo(ctx, n); err != nil {
				failed = err
			} else if err := c.AllreduceFloat64(ctx, dist.Max, x.value[:]); err != nil {
				failed = err
			}
		}
		for range warm {
			step()
		}
		if c.Rank() > 0 { // AllocsPerRun calls its function once more, to warm up
			for range runs + 1 {
				step()
			}
			return failed
		}
		if got := testing.AllocsPerRun(runs, step); got > limit {
			return fmt.Errorf("%v allocations per step, want at most %v", got, limit)
		}
		return failed
	})
	Close(t, comms)
}
