package halo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// boxCase is a random exchange: a division into boxes, by straight cuts or not, ghost layers, widths and the schedule.
type boxCase struct {
	boxes    Boxes
	ranks    int
	ghost    int
	width    [3]int
	schedule Schedule
	outer    bool // WithOuterGhosts
}

// randomBoxes draws a grid of 1 to 8 boxes. Those with others beside them have at least as many cells along the axis as
// the width.
func randomBoxes(t *rapid.T) boxCase {
	c := boxCase{ranks: 1, ghost: rapid.IntRange(1, 4).Draw(t, "ghost layers")}
	c.boxes.Dim = rapid.IntRange(2, 3).Draw(t, "dimensions")
	c.schedule = rapid.SampledFrom([]Schedule{AxisByAxis, AllNeighbours}).Draw(t, "schedule")
	c.outer = rapid.Bool().Draw(t, "outer ghosts")
	uniform := rapid.Bool().Draw(t, "same width along each axis")
	for a := range 3 {
		c.boxes.Cuts[a] = []int{0, 1}
		if a >= c.boxes.Dim {
			continue
		}
		c.width[a] = c.ghost
		if !uniform {
			c.width[a] = rapid.IntRange(0, c.ghost).Draw(t, "width")
		}
		parts := rapid.IntRange(1, 8/c.ranks).Draw(t, "parts")
		c.ranks *= parts
		c.boxes.Periodic[a] = rapid.Bool().Draw(t, "periodic")
		c.boxes.Cuts[a] = []int{0}
		for range parts {
			least := max(1, c.width[a])
			if parts == 1 { // alone along the axis
				least = 1
			}
			n := rapid.IntRange(least, max(1, c.width[a])+2).Draw(t, "cells")
			c.boxes.Cuts[a] = append(c.boxes.Cuts[a], c.boxes.Cuts[a][len(c.boxes.Cuts[a])-1]+n)
		}
	}
	if rapid.Bool().Draw(t, "not by straight cuts") {
		n := c.boxes.cells()
		c.boxes.Cuts = [3][]int{{0, n[0]}, {0, n[1]}, {0, n[2]}}
		c.boxes.Parts = randomParts(t, Box{Hi: n}, rapid.IntRange(1, 8).Draw(t, "parts in all"))
		c.ranks = len(c.boxes.Parts)
	}
	return c
}

// randomParts divides a box again and again into at most n boxes, at random, of one cell at least.
func randomParts(t *rapid.T, b Box, n int) []Box {
	axis := rapid.IntRange(0, 2).Draw(t, "axis")
	if n == 1 || b.Hi[axis]-b.Lo[axis] == 1 {
		return []Box{b}
	}
	at := rapid.IntRange(b.Lo[axis]+1, b.Hi[axis]-1).Draw(t, "cut")
	below, above := b, b
	below.Hi[axis], above.Lo[axis] = at, at
	return append(randomParts(t, below, n/2), randomParts(t, above, n-n/2)...)
}

// TestBoxExchangeFillsGhosts: for random divisions, widths, periods and schedules, with messages delayed and
// reordered, each ghost within the width and the grid, or beyond the grid with outer ghosts, gets its owner's cell, at
// corners too, in all fields. All other cells do not change.
func TestBoxExchangeFillsGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomBoxes(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		comms := local.New(c.ranks, local.Delay(uint64(c.ghost), 20*time.Microsecond))
		err := onAllRanks(comms, func(comm dist.Comm) error {
			return exchangeAndCompare(ctx, c, comm, Direct, false)
		})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
	})
}

// unchanged marks the cells that an exchange must not change.
const unchanged = -1

// exchangeAndCompare exchanges three arrays in one message, or with single one array of structs.
func exchangeAndCompare(ctx context.Context, c boxCase, comm dist.Comm, kind string, single bool) error {
	plan, err := NewBoxPlan(c.boxes, comm.Rank(), c.ghost, c.width, c.schedule)
	if err == nil && c.outer {
		plan, err = plan.WithOuterGhosts(c.schedule)
	}
	if err != nil {
		return err
	}
	bytes := 8 + 4 + 24 + 16 // larger than needed
	if single {
		bytes = 24
	}
	return onDevice(ctx, kind, plan, comm, bytes, single, func(x Exchanger, sync func() error) error {
		return exchangeRounds(ctx, c, plan, x, single, sync)
	})
}

func exchangeRounds(ctx context.Context, c boxCase, plan *BoxPlan, x Exchanger, single bool,
	sync func() error) error {
	size := plan.Shape[0] * plan.Shape[1] * plan.Shape[2]
	doubles, floats, structs := make([]float64, size), make([]float32, size), make([]cell, size)
	for round := range 2 {
		for i := range size {
			g, owned, _ := c.globalCell(plan, i)
			if !owned {
				g = unchanged
			}
			doubles[i], floats[i], structs[i] = float64(g), float32(g+round), cell{float64(round), 2, int32(g)}
		}
		fields := []Field{FieldOf(doubles), FieldOf(floats), FieldOf(structs)}
		if single {
			fields = fields[2:]
		}
		if err := errors.Join(Exchange(ctx, x, fields...), sync()); err != nil {
			return err
		}
		for i := range size {
			g, owned, filled := c.globalCell(plan, i)
			if !owned && !filled {
				g = unchanged
			}
			same := single || doubles[i] == float64(g) && floats[i] == float32(g+round)
			if !same || structs[i] != (cell{float64(round), 2, int32(g)}) {
				return fmt.Errorf("rank %d, element %d: %v, %v, %v, want %d", plan.Rank, i, doubles[i], floats[i], structs[i], g)
			}
		}
	}
	return nil
}

// globalCell returns the global cell of an element of an array, whether the rank owns it, and whether an exchange
// must fill it.
func (c boxCase) globalCell(plan *BoxPlan, i int) (global int, owned, filled bool) {
	local := [3]int{i % plan.Shape[0], i / plan.Shape[0] % plan.Shape[1], i / plan.Shape[0] / plan.Shape[1]}
	owned, filled = true, true
	stride := 1
	boxLo, size := c.boxes.Box(plan.Rank)
	for a, cells := range c.boxes.cells() {
		lo, hi := boxLo[a], boxLo[a]+size[a]
		g := lo + local[a]
		if a < c.boxes.Dim {
			g -= c.ghost
		}
		first, end := lo, hi
		beyond := 0 // the layers beyond the grid that count
		if c.outer && a < c.boxes.Dim && !c.boxes.Periodic[a] {
			beyond = c.width[a]
		}
		if lo == 0 {
			first -= beyond
		}
		if hi == cells {
			end += beyond
		}
		owned = owned && g >= first && g < end
		filled = filled && g >= lo-c.width[a] && g < hi+c.width[a]
		if c.boxes.Periodic[a] {
			g = (g + 8*cells) % cells // g is more than -8·cells
		}
		filled = filled && g >= -beyond && g < cells+beyond
		global += (g + beyond) * stride
		stride *= cells + 2*beyond
	}
	return global, owned, filled && !owned
}

// TestOwnNeighbour: a single rank with periods is its own neighbour, and needs no transport. Ghosts repeat its cells
// several times if it has fewer than they have layers.
func TestOwnNeighbour(t *testing.T) {
	for _, cells := range [][3]int{{3, 4, 5}, {1, 4, 5}, {4, 1, 1}, {2, 3, 1}, {1, 1, 1}} {
		c := boxCase{ghost: 3, width: [3]int{3, 3, 3}, ranks: 1, boxes: Boxes{Dim: 3, Periodic: [3]bool{true, true, true}}}
		for a := range 3 {
			c.boxes.Cuts[a] = []int{0, cells[a]}
		}
		for _, c.schedule = range []Schedule{AxisByAxis, AllNeighbours} {
			if err := exchangeAndCompare(context.Background(), c, noComm{}, Direct, false); err != nil {
				t.Errorf("%v cells: %v", cells, err)
			}
		}
	}
}

// noComm is a communicator of one rank that must not exchange messages.
type noComm struct{ dist.Comm }

func (noComm) Rank() int                                                           { return 0 }
func (noComm) Size() int                                                           { return 1 }
func (noComm) Irecv(context.Context, int, int, []byte) (r dist.Request, err error) { return r, nil }
func (noComm) Wait(_ context.Context, reqs []dist.Request) error {
	if len(reqs) > 0 {
		return errors.New("a wait for a message on one rank")
	}
	return nil
}

// squares returns a grid of 2×2 boxes of n×n cells, periodic along both axes.
func squares(n int) Boxes {
	cuts := []int{0, n, 2 * n}
	return Boxes{Dim: 2, Cuts: [3][]int{cuts, cuts, {0, 1}}, Periodic: [3]bool{true, true, false}}
}

func TestBoxExchangeAllocatesNothing(t *testing.T) {
	for _, schedule := range []Schedule{AxisByAxis, AllNeighbours} {
		comms := local.New(4)
		ctx := context.Background()
		const runs = 100
		err := onAllRanks(comms, func(c dist.Comm) error {
			plan, err := NewBoxPlan(squares(16), c.Rank(), 2, [3]int{2, 2, 0}, schedule)
			if err != nil {
				return err
			}
			x, a, b := NewHostExchanger(plan, c, 1, 12), make([]float64, 400), make([]float32, 400)
			exchange := func() {
				if err := x.Exchange(ctx, FieldOf(a), FieldOf(b)); err != nil {
					panic(err)
				}
			}
			if c.Rank() > 0 {
				for range runs + 1 { // AllocsPerRun warms up with one more
					exchange()
				}
				return nil
			}
			if n := testing.AllocsPerRun(runs, exchange); n != 0 {
				t.Errorf("%v: an exchange allocates %v times", schedule, n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBoxMisuseIsRefused(t *testing.T) {
	plan, err := NewBoxPlan(squares(4), 0, 1, [3]int{1, 1, 0}, AxisByAxis)
	if err != nil {
		t.Fatal(err)
	}
	x := NewHostExchanger(plan, noComm{}, 1, 8)
	if err := x.Start(context.Background(), FieldOf(make([]float64, 35))); err == nil {
		t.Error("a field of the wrong length is accepted")
	}
	if err := x.Start(context.Background(), FieldOf(make([]float64, 36)), FieldOf(make([]int32, 36))); err == nil {
		t.Error("fields wider than the buffers are accepted")
	}
}

// TestOverlap: cells further inside than the width may change between Start and Finish; ghosts get the values from
// before.
func TestOverlap(t *testing.T) {
	for _, schedule := range []Schedule{AxisByAxis, AllNeighbours} {
		err := onAllRanks(local.New(4), func(c dist.Comm) error {
			plan, err := NewBoxPlan(squares(5), c.Rank(), 2, [3]int{2, 2, 0}, schedule)
			if err != nil {
				return err
			}
			x, field := NewHostExchanger(plan, c, 1, 8), slices.Repeat([]float64{float64(c.Rank())}, 81)
			if err := x.Start(context.Background(), FieldOf(field)); err != nil {
				return err
			}
			field[4+9*4] = 100
			if err := x.Finish(context.Background()); err != nil {
				return err
			}
			for i, v := range field {
				if (v == 100) != (i == 4+9*4) || v != 100 && v > 3 {
					return fmt.Errorf("element %d is %v", i, v)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
