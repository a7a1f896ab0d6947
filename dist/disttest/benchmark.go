package disttest

import (
	"context"
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// Benchmark measures a transport: half the time of a ping-pong between two ranks, an exchange in which both send at
// once, and small reductions.
func Benchmark(b *testing.B, open func(b testing.TB, n int) []dist.Comm) {
	for _, size := range []int{64, 8 << 10, 128 << 10, 2 << 20} {
		b.Run(fmt.Sprintf("pingpong/%d", size), func(b *testing.B) {
			bench(b, open(b, 2), size, func(ctx context.Context, c dist.Comm, x *swap) error {
				if c.Rank() == 0 {
					return x.sendThenReceive(ctx)
				}
				return x.receiveThenSend(ctx)
			})
			b.SetBytes(int64(2 * size)) // in one round trip, so MB/s is the rate of one direction at a time
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/way")
		})
		b.Run(fmt.Sprintf("exchange/%d", size), func(b *testing.B) {
			bench(b, open(b, 2), size, func(ctx context.Context, _ dist.Comm, x *swap) error { return x.both(ctx) })
		})
	}
	for _, n := range []int{2, 4} {
		b.Run(fmt.Sprintf("allreduce/ranks=%d", n), func(b *testing.B) {
			bench(b, open(b, n), 0, func(ctx context.Context, c dist.Comm, x *swap) error {
				return c.AllreduceFloat64(ctx, dist.Min, x.value[:])
			})
		})
	}
}

func bench(b *testing.B, comms []dist.Comm, size int, step func(context.Context, dist.Comm, *swap) error) {
	defer Close(b, comms)
	b.SetBytes(int64(size)) // each way
	b.ReportAllocs()
	run := func(times int) {
		Each(b, comms, func(ctx context.Context, c dist.Comm) error {
			x := newSwap(c, size)
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

// swap is what a rank needs to trade messages with the other of two.
type swap struct {
	c       dist.Comm
	peer    int
	out, in []byte
	reqs    []dist.Request
	length  int // of a message of unknown length
	value   [1]float64
}

func newSwap(c dist.Comm, size int) *swap {
	return &swap{c: c, peer: 1 - c.Rank(), out: make([]byte, size), in: make([]byte, size), reqs: make([]dist.Request, 2)}
}

func (x *swap) send(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Isend(ctx, x.peer, 0, x.out); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs[:1])
}

func (x *swap) receive(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Irecv(ctx, x.peer, 0, x.in); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs[:1])
}

func (x *swap) sendThenReceive(ctx context.Context) error {
	if err := x.send(ctx); err != nil {
		return err
	}
	return x.receive(ctx)
}

func (x *swap) receiveThenSend(ctx context.Context) error {
	if err := x.receive(ctx); err != nil {
		return err
	}
	return x.send(ctx)
}

func (x *swap) both(ctx context.Context) (err error) {
	if x.reqs[0], err = x.c.Irecv(ctx, x.peer, 0, x.in); err != nil {
		return err
	}
	return x.sendAndWait(ctx, x.out)
}

// bothUpTo sends n bytes, and checks that as many have come.
func (x *swap) bothUpTo(ctx context.Context, n int) (err error) {
	if x.reqs[0], err = x.c.IrecvUpTo(ctx, x.peer, 0, x.in, &x.length); err != nil {
		return err
	}
	if err := x.sendAndWait(ctx, x.out[:n]); err == nil && x.length != n {
		return fmt.Errorf("%d bytes came where %d were sent", x.length, n)
	} else {
		return err
	}
}

func (x *swap) sendAndWait(ctx context.Context, out []byte) (err error) {
	if x.reqs[1], err = x.c.Isend(ctx, x.peer, 0, out); err != nil {
		return err
	}
	return x.c.Wait(ctx, x.reqs)
}

// Allocations fails when a step of two exchanges, of which one is of a length that the receivers do not know, and a
// reduction between two ranks allocates more than most times, on both ranks together.
func Allocations(t *testing.T, comms []dist.Comm, most float64) {
	const warm, runs = 100, 200
	Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		x := newSwap(c, 4096)
		var failed error
		n := 0
		step := func() {
			n = (n + 1009) % (len(x.out) + 1)
			if err := x.both(ctx); err != nil {
				failed = err
			} else if err := x.bothUpTo(ctx, n); err != nil {
				failed = err
			} else if err := c.AllreduceFloat64(ctx, dist.Max, x.value[:]); err != nil {
				failed = err
			}
		}
		for range warm {
			step()
		}
		if c.Rank() > 0 { // AllocsPerRun calls its function once more than it is told
			for range runs + 1 {
				step()
			}
			return failed
		}
		if got := testing.AllocsPerRun(runs, step); got > most {
			return fmt.Errorf("%v allocations a step, at most %v are allowed", got, most)
		}
		return failed
	})
	Close(t, comms)
}
