package halo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// cell is an element of a field with several numbers.
type cell struct {
	a, b float64
	c    int32
}

// onAllRanks runs f on every rank.
func onAllRanks(comms []dist.Comm, f func(dist.Comm) error) error {
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for r, c := range comms {
		wg.Go(func() { errs[r] = errors.Join(f(c), c.Close()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestExchangeFillsGhosts exchanges one or two fields at once, of the host and of devices, over random partitions of
// random graphs, with messages delayed and reordered, and compares every ghost with its owner's cell.
func TestExchangeFillsGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		cells := rapid.IntRange(1, 40).Draw(t, "cells")
		owner := rapid.SliceOfN(rapid.IntRange(0, ranks-1), cells, cells).Draw(t, "owner")
		owned := make([][]int32, ranks)
		ghosts := make([][][]int32, ranks)
		for p := range ghosts {
			ghosts[p] = make([][]int32, ranks)
		}
		for g, p := range owner {
			owned[p] = append(owned[p], int32(g))
			for q := range ranks {
				if q != p && rapid.Bool().Draw(t, "is a ghost") {
					ghosts[q][p] = append(ghosts[q][p], int32(g))
				}
			}
		}
		plans, err := Plans(owned, ghosts)
		if err != nil {
			t.Fatal(err)
		}
		kind, single := rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.Bool().Draw(t, "single")
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		comms := local.New(ranks, local.Delay(uint64(cells), 50*time.Microsecond))
		err = onAllRanks(comms, func(c dist.Comm) error {
			plan := plans[c.Rank()]
			global := append([]int32{}, owned[c.Rank()]...)
			for _, ids := range ghosts[c.Rank()] {
				global = append(global, ids...)
			}
			bytes := 24 + 4
			if single {
				bytes = 24
			}
			return onDevice(ctx, kind, plan, c, bytes, single, func(x Exchanger, sync func() error) error {
				structs, numbers := make([]cell, len(global)), make([]int32, len(global))
				for round := range 3 {
					for i := range plan.Owned {
						g := global[i]
						structs[i] = cell{float64(g), float64(round), g}
						numbers[i] = g * int32(round+1)
					}
					fields := []Field{FieldOf(structs), FieldOf(numbers)}
					if single {
						fields = fields[:1]
					}
					if err := errors.Join(Exchange(ctx, x, fields...), sync()); err != nil {
						return err
					}
					for i, g := range global {
						if structs[i] != (cell{float64(g), float64(round), g}) || !single && numbers[i] != g*int32(round+1) {
							return errors.New("a ghost differs from its owner's cell")
						}
					}
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// pair returns the plans of two ranks of n cells that each have a ghost of every cell of the other.
func pair(t testing.TB, n int) []*Plan {
	t.Helper()
	ids := func(first int) []int32 {
		s := make([]int32, n)
		for i := range s {
			s[i] = int32(first + i)
		}
		return s
	}
	plans, err := Plans([][]int32{ids(0), ids(n)}, [][][]int32{{nil, ids(n)}, {ids(0), nil}})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func TestExchangeAllocatesNothing(t *testing.T) {
	plans, comms := pair(t, 100), local.New(2)
	ctx := context.Background()
	const runs = 200
	err := onAllRanks(comms, func(c dist.Comm) error {
		x, field := NewHostExchanger(plans[c.Rank()], c, 1, 24), make([]cell, 200)
		exchange := func() {
			if err := x.Exchange(ctx, FieldOf(field)); err != nil {
				panic(err)
			}
		}
		if c.Rank() == 1 {
			for range runs + 1 { // AllocsPerRun warms up with one more
				exchange()
			}
			return nil
		}
		if n := testing.AllocsPerRun(runs, exchange); n != 0 {
			t.Errorf("an exchange allocates %v times", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMisuseIsRefused(t *testing.T) {
	plans, comms := pair(t, 2), local.New(2)
	defer comms[1].Close()
	defer comms[0].Close()
	x := NewHostExchanger(plans[0], comms[0], 1, 8)
	ctx := context.Background()
	if err := x.Start(ctx, FieldOf(make([]float64, 3))); err == nil {
		t.Error("a field of the wrong length is accepted")
	}
	if err := x.Start(ctx, FieldOf(make([]cell, 4))); err == nil {
		t.Error("a field wider than the exchanger's buffers is accepted")
	}
}

func TestDeadPeerIsNamed(t *testing.T) {
	plans, comms := pair(t, 2), local.New(2)
	if err := comms[1].Close(); err != nil {
		t.Log(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	x := NewHostExchanger(plans[0], comms[0], 1, 8)
	err := x.Exchange(ctx, FieldOf(make([]float64, 4)))
	var peer *dist.PeerError
	if !errors.As(err, &peer) || peer.Rank != 1 {
		t.Errorf("error %v, want one that names rank 1", err)
	}
	comms[0].Close()
}

func BenchmarkExchange(b *testing.B) {
	for _, n := range []int{10, 1000, 50000} {
		b.Run(fmt.Sprintf("%dB", n*24), func(b *testing.B) {
			plans, comms := pair(b, n), local.New(2)
			ctx := context.Background()
			b.SetBytes(int64(2 * n * 24))
			err := onAllRanks(comms, func(c dist.Comm) error {
				x, field := NewHostExchanger(plans[c.Rank()], c, 1, 24), make([]cell, 2*n)
				for range b.N {
					if err := x.Exchange(ctx, FieldOf(field)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
