package local_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(_ testing.TB, n int) []dist.Comm { return local.New(n) }

func TestConformance(t *testing.T) {
	disttest.Run(t, func(_ *testing.T, n int) []dist.Comm { return local.New(n) })
}

func TestConformanceWithDelayedMessages(t *testing.T) {
	disttest.Run(t, func(_ *testing.T, n int) []dist.Comm {
		return local.New(n, local.Delay(uint64(n), 500*time.Microsecond))
	})
}

func TestFailures(t *testing.T) {
	disttest.RunFailures(t, func(_ *testing.T, n int) []dist.Comm { return local.New(n) }, local.Kill)
}

// With about half of the seeds, the second of two messages arrives before the first.
func TestDelayReordersTags(t *testing.T) {
	reordered := 0
	for seed := range uint64(24) {
		synctest.Test(t, func(t *testing.T) { // simulated time, so that only the delays of messages count
			comms := local.New(2, local.Delay(seed, 3*time.Millisecond))
			disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
				var reqs [2]dist.Request
				for tag := range reqs {
					var err error
					if c.Rank() == 0 {
						reqs[tag], err = c.Isend(ctx, 1, tag, nil)
					} else {
						reqs[tag], err = c.Irecv(ctx, 0, tag, nil)
					}
					if err != nil {
						return err
					}
				}
				if c.Rank() == 0 {
					return c.Wait(ctx, reqs[1:])
				}
				if err := c.Wait(ctx, reqs[1:]); err != nil {
					return err
				}
				ended, cancel := context.WithCancel(ctx)
				cancel()
				if c.Wait(ended, reqs[:1]) != nil {
					reordered++
				}
				return nil
			})
			disttest.Close(t, comms) // returns when the last message has arrived
		})
	}
	if reordered == 0 || reordered == 24 {
		t.Fatalf("%d of 24 pairs of messages were reordered, want some but not all", reordered)
	}
}

func TestDroppedMessageNeverArrives(t *testing.T) {
	comms := local.New(2, local.Drop(func(from, to, tag, n int) bool { return tag == 1 }))
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		if c.Rank() == 0 {
			r, err := c.Isend(ctx, 1, 1, []byte("lost"))
			if err != nil {
				return err
			}
			return c.Wait(ctx, []dist.Request{r})
		}
		shortCtx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		r, err := c.Irecv(ctx, 0, 1, make([]byte, 4))
		if err != nil {
			return err
		}
		if err := c.Wait(shortCtx, []dist.Request{r}); !errors.Is(err, context.DeadlineExceeded) {
			return errors.New("a dropped message arrived")
		}
		return nil
	})
}

func TestSteadyStateAllocatesNothing(t *testing.T) { disttest.Allocations(t, local.New(2), 0) }

func Benchmark(b *testing.B) { disttest.Benchmark(b, open) }
