package halo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
)

// BenchmarkBoxExchange exchanges two layers of one float64 field with both schedules, on each transport, over boxes
// of 128², 1024², 32³ and 96³ cells, with a neighbour on every side.
func BenchmarkBoxExchange(b *testing.B) {
	transports := map[string]func(*testing.B, int) []dist.Comm{
		"local": func(_ *testing.B, ranks int) []dist.Comm { return local.New(ranks) },
		"grpc":  overGRPC,
	}
	for _, c := range []struct {
		dim, side int
		parts     [3]int
	}{
		{2, 128, [3]int{2, 2, 1}},
		{2, 1024, [3]int{2, 2, 1}},
		{3, 32, [3]int{1, 2, 2}},
		{3, 96, [3]int{1, 2, 2}},
		{3, 32, [3]int{2, 2, 2}},
	} {
		boxes := Boxes{Dim: c.dim, Periodic: [3]bool{true, true, c.dim == 3}}
		ranks := 1
		for a := range 3 {
			n := 1
			if a < c.dim {
				n = c.side
			}
			for k := range c.parts[a] + 1 {
				boxes.Cuts[a] = append(boxes.Cuts[a], k*n)
			}
			ranks *= c.parts[a]
		}
		for _, transport := range []string{"local", "grpc"} {
			for _, schedule := range []Schedule{AxisByAxis, AllNeighbours} {
				name := fmt.Sprintf("%d^%d×%d/%s/%v", c.side, c.dim, ranks, transport, schedule)
				b.Run(name, func(b *testing.B) {
					benchmarkBoxes(b, transports[transport](b, ranks), boxes, schedule)
				})
			}
		}
	}
}

func benchmarkBoxes(b *testing.B, comms []dist.Comm, boxes Boxes, schedule Schedule) {
	ctx := context.Background()
	err := onAllRanks(comms, func(c dist.Comm) error {
		plan, err := NewBoxPlan(boxes, c.Rank(), 2, [3]int{2, 2, 2}, schedule)
		if err != nil {
			return err
		}
		x, field := NewHostExchanger(plan, c, 1, 8), make([]float64, plan.Shape[0]*plan.Shape[1]*plan.Shape[2])
		if err := x.Exchange(ctx, FieldOf(field)); err != nil { // connects the neighbours
			return err
		}
		if c.Rank() == 0 {
			b.ReportAllocs()
			b.ResetTimer()
		}
		for range b.N {
			if err := x.Exchange(ctx, FieldOf(field)); err != nil {
				return err
			}
		}
		if c.Rank() == 0 {
			b.StopTimer()
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// overGRPC connects ranks over sockets.
func overGRPC(b *testing.B, ranks int) []dist.Comm {
	dir, err := os.MkdirTemp("", "halo") // the path of a socket must be short
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	comms, errs := make([]dist.Comm, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for r := range ranks {
		wg.Go(func() {
			comms[r], errs[r] = grpc.Join(context.Background(), grpc.Config{Rank: r, Size: ranks,
				Coordinator: "unix:" + dir + "/c.sock", BuildID: "benchmark", CaseHash: "benchmark"})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	return comms
}
