package vof

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// BenchmarkExchange takes steps on four ranks over each transport, with an exchange of ghosts before each sweep, and
// with one per step, for which the first sweeps cover ghosts too.
func BenchmarkExchange(b *testing.B) {
	for _, c := range []problem{
		{grid: plane(128), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 8),
			cfg: config("myc", "weymouth-yue", .5), parts: [3]int{2, 2, 1}},
		{grid: plane(512), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 8),
			cfg: config("myc", "weymouth-yue", .5), parts: [3]int{2, 2, 1}},
		{grid: space(32), body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3),
			cfg: config("myc", "weymouth-yue", .5), parts: [3]int{1, 2, 2}},
		{grid: space(64), body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3),
			cfg: config("myc", "weymouth-yue", .5), parts: [3]int{1, 2, 2}},
	} {
		for _, transport := range []string{"local", "grpc"} {
			for _, exchange := range []string{"sweep", "step"} {
				b.Run(fmt.Sprintf("%d^%d/%s/%s", c.grid.N[0], c.grid.Dim, transport, exchange), func(b *testing.B) {
					comms := local.New(4)
					if transport == "grpc" {
						comms = grpctest.Open(b, 4)
					}
					c.cfg.Exchange, c.precision = exchange, "float64"
					if err := c.steps(b, comms); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// steps takes b.N steps on all ranks.
func (p problem) steps(b *testing.B, comms []dist.Comm) error {
	v, err := p.flow(p.grid)
	if err != nil {
		return err
	}
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for r, c := range comms {
		wg.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			s, err := p.solver(v, c, dev)
			if err == nil {
				err = s.Step(ctx, 1e3)
			}
			if err == nil {
				err = c.Barrier(ctx)
			}
			if r == 0 {
				b.ResetTimer()
			}
			if err == nil {
				err = s.Advance(ctx, 1e3, b.N)
			}
			errs[r] = errors.Join(err, c.Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
