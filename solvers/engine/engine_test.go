package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRanksMustAgree: a rank whose step has other exchanges is an error on all ranks, and no hang.
func TestRanksMustAgree(t *testing.T) {
	comms := local.New(2)
	var lock sync.Mutex
	failed := 0
	disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
		dev := cpu.New(1)
		defer dev.Close()
		_, err := newPoisson(ctx, comm, dev, [2]int{16, 16}, [2]int{2, 1}, func(s *poisson, def *engine.Definition) {
			solve := def.Step
			def.Step = func(p *engine.Program, k int) {
				if solve(p, k); comm.Rank() == 1 {
					p.Reduce(engine.ExactSum{Sum: &s.dots[0]})
				}
			}
		})
		lock.Lock()
		defer lock.Unlock()
		if err != nil && strings.Contains(err.Error(), "differ on rank 1") {
			failed++
		}
		return nil
	})
	disttest.Close(t, comms)
	if failed != 2 {
		t.Errorf("%d ranks returned an error", failed)
	}
}

// TestCountingTable: a table without a device counts what one with a device allocates.
func TestCountingTable(t *testing.T) {
	dev := cpu.New(1)
	defer dev.Close()
	declare := func(t *engine.Table) *engine.Growing {
		engine.Add[[3]float32](t, "a", 7)
		engine.Input(t, "b", 5, func() []int16 { return make([]int16, 5) })
		g := engine.NewGrowing(t, "particles", func(n int) int { return 2 * n })
		engine.AddOn[float64](g, nil, nil)
		engine.AddOn[int32](g, func(n int) int { return n/4 + 1 }, nil)
		return g
	}
	gpu := backendtest.NewFakeGPU(dev, 1<<20)
	var bytes [3]int64
	for n, dev := range []backend.Device{nil, dev, gpu} {
		table := engine.NewTable(dev)
		if err := declare(table).Reserve(50); err != nil {
			t.Fatal(err)
		}
		bytes[n] = table.Bytes()
		if dev != nil {
			engine.New(solvers.Env{Comm: local.New(1)[0], Device: dev}, table).Close()
		}
	}
	if bytes != [3]int64{84 + 10 + 800 + 104, 84 + 10 + 800 + 104, 84 + 10 + 800 + 104} || gpu.Used != 0 {
		t.Errorf("%v bytes, %d not freed", bytes, gpu.Used)
	}
}

// TestGrowingKeepsWhatItMust: elements of an array that is kept survive its move, and loops are made again.
func TestGrowingKeepsWhatItMust(t *testing.T) {
	dev := cpu.New(1)
	defer dev.Close()
	table := engine.NewTable(dev)
	g := engine.NewGrowing(table, "particles", func(n int) int { return n + 1 })
	kept := engine.AddOn[int](g, nil, func() bool { return true })
	made := 0
	loops := engine.LoopsOver(g, func() int { made++; return len(kept.Data) })
	for n := 1; n < 20; n++ {
		if err := g.Resize(n); err != nil {
			t.Fatal(err)
		}
		kept.Data[n-1] = n
		if *loops.Now() != g.Capacity() || g.Capacity() < n {
			t.Fatal(g.Capacity())
		}
		for k := range n {
			if kept.Data[k] != k+1 {
				t.Fatal(n, kept.Data)
			}
		}
	}
	if made != 10 {
		t.Errorf("made %d times", made)
	}
}
