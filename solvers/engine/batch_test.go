package engine_test

import (
	"context"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// TestBatchesOnLinkedDevices: a program that is played several times with one call is recorded if the devices exchange
// without the host; what follows an exchange is done before Await returns, and loops beside others before the next
// operation, although the second stream of these devices does everything as late as possible.
func TestBatchesOnLinkedDevices(t *testing.T) {
	for _, kind := range []string{"auto", "staged"} {
		comms := local.New(2)
		disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
			dev := halotest.NewLinkedRecorder(cpu.New(1), 1<<16, comm)
			defer dev.Close()
			table := engine.NewTable(dev)
			e := engine.New(solvers.Env{Comm: comm, Device: dev, Halo: kind}, table)
			defer e.Close()
			other := 1 - comm.Rank()
			plan := &halo.Plan{Rank: comm.Rank(), Owned: 1, Ghosts: 1,
				Peers: []halo.Peer{{Rank: other, Send: []int32{0}, Lo: 1, Hi: 2}}}
			a := engine.Add[int64](table, "own and ghost", 2)
			sum, beside := engine.Add[int64](table, "sum of ghosts", 1), engine.Add[int64](table, "beside", 1)
			if err := table.Err(); err != nil {
				return err
			}
			task := func(f func()) engine.Task { return engine.Whole(loop(func(int, int) { f() }), 1) }
			x, err := e.MeshGhosts(plan, 1).Of(ctx, a)
			if err != nil {
				return err
			}
			x.Then(task(func() { sum.Data[0] += a.Data[1] }))
			b, err := e.NewBatch(ctx, 3, func(p *engine.Program) {
				p.Share(x, task(func() { a.Data[0] += int64(1 + comm.Rank()) }))
				p.Await(x)
				p.Beside(x, []engine.Task{task(func() { beside.Data[0]++ })}, task(func() { sum.Data[0] += 100 }))
				p.Run(task(func() { sum.Data[0] += 10_000 * beside.Data[0] }))
			})
			if err != nil {
				return err
			}
			for range 4 {
				if err := b.Play(ctx); err != nil {
					return err
				}
			}
			want := int64(0)
			for n := range int64(12) {
				want += (n+1)*int64(1+other) + 100 + 10_000*(n+1)
			}
			got, err := sum.Host()
			if err != nil {
				return err
			}
			if got[0] != want {
				t.Errorf("%s, rank %d: %d, want %d", kind, comm.Rank(), got[0], want)
			}
			if linked := kind == "auto"; b.Recorded() != linked || b.Free() != linked || (dev.Launches > 0) != linked {
				t.Errorf("%s: recorded %t, free %t, %d launches", kind, b.Recorded(), b.Free(), dev.Launches)
			}
			return nil
		})
		disttest.Close(t, comms)
	}
}
