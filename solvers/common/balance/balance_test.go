package balance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// dot is an entity that changes ranks.
type dot struct{ Cell, Value int64 }

// cloud is a solver that takes no steps of its own: a value in each cell, and dots. Its work is that of the dots.
type cloud struct {
	Inner // nil: what is not implemented is not called
	comm  dist.Comm
	block *domain.Block
	clock solvers.Clock
	value []float64 // saved
	start []float64 // carried
	dots  []dot
	keys  []int64
	space *solvers.Space
	moved *solvers.Space
}

func valueOf(key int64) float64 { return float64(3*key + 1) }

func newCloud(comm dist.Comm, b *domain.Block) *cloud {
	c := &cloud{comm: comm, block: b, value: make([]float64, b.Cells()), start: make([]float64, b.Cells())}
	c.space = b.Space()
	c.moved = &solvers.Space{Name: "dot", Key: func(i int) int64 { return c.keys[i] },
		TakeOwnership: func(keys []int64) error {
			c.keys, c.dots = slices.Clone(keys), make([]dot, len(keys))
			c.moved.Owned = len(keys)
			return nil
		},
		Owner: func(entity []byte) int { return halo.NewFinder(&b.Boxes).Rank(c.CellOf(entity)) }}
	return c
}

// put adds dots in a cell, if the block has it.
func (c *cloud) put(key int64, count int) {
	n := c.block.Grid.N
	k := int(key)
	if !c.block.Has([3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}) {
		return
	}
	for i := range count {
		c.keys = append(c.keys, key<<20|int64(i))
		c.dots = append(c.dots, dot{key, key ^ int64(i)})
	}
	c.moved.Owned = len(c.dots)
}

func (c *cloud) Workload() Model               { return c }
func (c *cloud) Model() any                    { return c }
func (c *cloud) Clock() solvers.Clock          { return c.clock }
func (c *cloud) Size() solvers.Size            { return solvers.Size{} }
func (c *cloud) Shapes() []solvers.Shape       { return nil }
func (c *cloud) Flows() []solvers.Flow         { return nil }
func (c *cloud) Outlines() []solvers.Outline   { return nil }
func (c *cloud) Phases() map[string]float64    { return map[string]float64{"steps": 1} }
func (c *cloud) Quiesce(context.Context) error { return nil }
func (c *cloud) Close()                        {}
func (c *cloud) Work(context.Context) (int64, error) {
	return int64(c.block.Cells() + 10*len(c.dots)), nil
}
func (c *cloud) Scalars(context.Context) (m map[string]float64, err error) { return }

func (c *cloud) Restore(_ context.Context, at solvers.Clock, _ map[string]float64, fill func() error) error {
	c.clock = at
	return fill()
}

func (c *cloud) AddWork(_ context.Context, to *partition.Bins) error {
	b := c.block
	to.AddBox(1, b.Lo, [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]})
	for _, d := range c.dots {
		*to.At(c.cell(d)) += 10
	}
	return nil
}

func (c *cloud) cell(d dot) [3]int {
	n := c.block.Grid.N
	k := int(d.Cell)
	return [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}
}

func (c *cloud) CellOf(entity []byte) [3]int {
	return c.cell(dot{Cell: int64(binary.NativeEndian.Uint64(entity))})
}

func (c *cloud) field(name string, of *[]float64) solvers.Field {
	return solvers.Field{Name: name, Space: c.space,
		View: func() solvers.View { return solvers.ViewOf[float64](cpu.New(1), *of, 0) }}
}

func (c *cloud) Fields() []solvers.Field {
	value := c.field("value", &c.value)
	value.Saved = true
	return []solvers.Field{value, {Name: "dot", Space: c.moved, Saved: true, Components: []string{"cell", "value"},
		View: func() solvers.View { return solvers.ViewOf[int64](cpu.New(1), c.dots, 0) }}}
}

func (c *cloud) Carried() ([]solvers.Field, error) {
	return []solvers.Field{c.field("start", &c.start)}, nil
}

// check returns an error unless cells and dots are those of the block.
func (c *cloud) check(counts map[int64]int) error {
	want := 0
	for i := range c.block.Cells() {
		key := c.block.Number(i)
		if c.value[i] != valueOf(key) || c.start[i] != -valueOf(key) {
			return fmt.Errorf("cell %d has %g and %g", key, c.value[i], c.start[i])
		}
		want += counts[key]
	}
	if len(c.dots) != want {
		return fmt.Errorf("%d dots, want %d", len(c.dots), want)
	}
	for i, d := range c.dots {
		if key := c.keys[i]; d.Cell != key>>20 || d.Value != d.Cell^key&(1<<20-1) || !c.block.Has(c.cell(d)) {
			return fmt.Errorf("dot %d is %+v", key, d)
		}
	}
	return nil
}

// run makes a solver of clouds on all ranks, and calls f with each.
func run(t failer, g *grid.Grid, ranks int, counts map[int64]int, build func(b *domain.Block) error,
	f func(s *Solver) error) error {
	cut := func(rank int) (*domain.Block, error) {
		bins := partition.NewBins(g.N, ranks)
		bins.AddCells(1)
		boxes, err := domain.EqualBoxes(g, bins, ranks, 1)
		if err != nil {
			return nil, err
		}
		return domain.BlockOf(g, boxes, 1, rank)
	}
	_, err := local.Each(ranks, func(comm dist.Comm) (bool, error) {
		block, err := cut(comm.Rank())
		if err != nil {
			return false, err
		}
		p := Problem{Every: 4, Price: 2, Fits: func(*domain.Block, int64, int64) error { return nil }}
		p.Build = func(_ context.Context, b *domain.Block, carried *Carried) (Inner, error) {
			c := newCloud(comm, b)
			if carried != nil {
				c.start = NumbersOf[float64](carried, "start")
				return c, build(b)
			}
			for i := range c.value {
				c.value[i] = valueOf(b.Number(i))
				c.start[i] = -c.value[i]
			}
			for key, n := range counts {
				c.put(key, n)
			}
			return c, nil
		}
		s, err := New(context.Background(), solvers.Env{Comm: comm}, block, p)
		if err != nil {
			return false, err
		}
		if err := f(s); err != nil {
			comm.Abort(1, err)
			return false, err
		}
		return true, nil
	})
	return err
}

type failer interface {
	Fatalf(format string, args ...any)
}

func fine(*domain.Block) error            { return nil }
func nothing(context.Context) error       { return nil }
func cloudOf(s *Solver) *cloud            { return s.Inner.(*cloud) }
func (c *cloud) advance(steps int) *cloud { c.clock.Steps += steps; return c }

// TestNothingIsLost proves that cells and entities are, after moves, on the ranks whose blocks they are in, with all
// their numbers, and that the work is divided better.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dim := rapid.IntRange(2, 3).Draw(rt, "dim")
		n, hi := [3]int{1, 1, 1}, [3]float64{}
		for a := range dim {
			n[a], hi[a] = rapid.IntRange(3, 12).Draw(rt, "n"), 1
		}
		g, err := grid.New(dim, n, [3]float64{}, hi, [3]bool{})
		if err != nil {
			rt.Fatalf("%v", err)
		}
		counts := map[int64]int{}
		for range rapid.IntRange(0, 20).Draw(rt, "crowded cells") {
			counts[int64(rapid.IntRange(0, g.Cells()-1).Draw(rt, "cell"))] = rapid.IntRange(1, 50).Draw(rt, "dots")
		}
		ranks := rapid.IntRange(2, 7).Draw(rt, "ranks")
		err = run(rt, g, ranks, counts, fine, func(s *Solver) error {
			for range 3 {
				cloudOf(s).advance(40)
				if !s.RebalanceDue() {
					return errors.New("no look is due")
				}
				if _, err := s.Rebalance(context.Background(), nothing); err != nil {
					return err
				}
				if err := cloudOf(s).check(counts); err != nil {
					return err
				}
				if owned := s.Fields()[1].Space.Owned; owned != len(cloudOf(s).dots) {
					return fmt.Errorf("the space has %d dots, the block %d", owned, len(cloudOf(s).dots))
				}
			}
			if b := s.Balance(); b.Moves > 0 && b.After < b.Before*1.04 {
				return fmt.Errorf("moves have not improved the balance: %+v", b)
			}
			return nil
		})
		if err != nil && !strings.Contains(err.Error(), "room") {
			rt.Fatalf("%v", err)
		}
	})
}

// crowd is a grid with all dots in a corner.
func crowd(t *testing.T) (*grid.Grid, map[int64]int) {
	g, err := grid.New(2, [3]int{16, 16, 1}, [3]float64{}, [3]float64{1, 1}, [3]bool{})
	if err != nil {
		t.Fatal(err)
	}
	return g, map[int64]int{0: 20, 1: 20, 17: 20, 18: 20, 34: 20, 35: 20, 50: 20}
}

// TestMovesWhenItPays proves that blocks move when what ranks have lost is more than a move costs, and not before.
func TestMovesWhenItPays(t *testing.T) {
	g, counts := crowd(t)
	err := run(t, g, 4, counts, fine, func(s *Solver) error {
		settled := 0
		look := func() (bool, error) {
			return s.Rebalance(context.Background(), func(context.Context) error { settled++; return nil })
		}
		s.Price = 100
		cloudOf(s).advance(4)
		if moved, err := look(); err != nil || moved || settled > 0 {
			return fmt.Errorf("moved %v, settled %d: %v, want no move after few steps", moved, settled, err)
		}
		if s.RebalanceDue() {
			return errors.New("two looks before a step")
		}
		cloudOf(s).advance(400)
		if moved, err := look(); err != nil || !moved || settled != 1 {
			return fmt.Errorf("moved %v, settled %d: %v, want a move after many steps", moved, settled, err)
		}
		cloudOf(s).advance(4000)
		if moved, err := look(); err != nil || moved {
			return fmt.Errorf("moved %v: %v, want no move of what is balanced", moved, err)
		}
		if b := s.Balance(); b.Moves != 1 || b.Before > .5 || b.After < .8 {
			return fmt.Errorf("%+v", b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFewLooks proves that the work is looked at less often where no move can be worth it soon, and at each opportunity
// where one can.
func TestFewLooks(t *testing.T) {
	g, counts := crowd(t)
	for crowding, most := range map[float64]int{0: 100, 64: 13} { // every 4, and every 32 steps
		err := run(t, g, 4, counts, fine, func(s *Solver) error {
			s.env.Crowding, s.Price = crowding, 1<<40
			if crowding == 0 {
				s.Price = 0
			}
			looks := 0
			for range 400 {
				cloudOf(s).advance(1)
				if !s.RebalanceDue() {
					continue
				}
				looks++
				if _, err := s.Rebalance(context.Background(), nothing); err != nil {
					return err
				}
			}
			if looks > most || looks < most {
				return fmt.Errorf("%d looks in 400 steps, every %d, want %d", looks, s.Every, most)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%g threads share a processor: %v", crowding, err)
		}
	}
}

// TestNoMovesForBusyProcessors proves that blocks do not move as long as ranks that share processors keep these busy,
// however long they wait for each other, and that they move where ranks wait for one that computes alone.
func TestNoMovesForBusyProcessors(t *testing.T) {
	g, counts := crowd(t) // the rank with most has more than twice the mean, and at most all of four ranks
	for crowding, moves := range map[float64]bool{0: true, 1.5: true, 2: true, 4: false, 64: false} {
		err := run(t, g, 4, counts, fine, func(s *Solver) error {
			s.env.Crowding = crowding
			for _, steps := range []int{40, 400, 4000} {
				cloudOf(s).advance(steps)
				if _, err := s.Rebalance(context.Background(), nothing); err != nil {
					return err
				}
			}
			if moved := s.Balance().Moves > 0; moved != moves {
				return fmt.Errorf("moved %v, want %v", moved, moves)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%g threads share a processor: %v", crowding, err)
		}
	}
}

// TestResumes proves that a run that continues has the blocks of the division in its checkpoint, also on a rank that
// held other cells, and that another number of ranks keeps its own.
func TestResumes(t *testing.T) {
	g, counts := crowd(t)
	var saved []byte
	var boxes [4]string
	err := run(t, g, 4, counts, fine, func(s *Solver) error {
		cloudOf(s).advance(4000)
		moved, err := s.Rebalance(context.Background(), nothing)
		if err != nil || !moved {
			return fmt.Errorf("moved %v: %w", moved, err)
		}
		text, err := s.Division()
		boxes[s.env.Comm.Rank()] = fmt.Sprint(s.block.Box())
		if s.env.Comm.Rank() == 0 {
			saved = text
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{4, 3} {
		err := run(t, g, ranks, counts, fine, func(s *Solver) error {
			moved, err := s.Resume(context.Background(), saved)
			if err != nil || moved != (ranks == 4) {
				return fmt.Errorf("moved %v: %w", moved, err)
			}
			if err := cloudOf(s).check(counts); err != nil {
				return err
			}
			again, err := s.Division()
			if ranks == 4 && (!bytes.Equal(again, saved) || fmt.Sprint(s.block.Box()) != boxes[s.env.Comm.Rank()]) {
				return fmt.Errorf("division %s, want %s", again, saved)
			}
			return err
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// TestDamagedDivision proves that a division that does not cover the grid is refused.
func TestDamagedDivision(t *testing.T) {
	g, counts := crowd(t)
	for _, text := range []string{`{"blocks": 1}`,
		`{"blocks": [{"Lo": [0,0,0], "Hi": [3,3,1]}, {"Lo": [0,0,0], "Hi": [16,16,1]}]}`} {
		err := run(t, g, 2, counts, fine, func(s *Solver) error {
			_, err := s.Resume(context.Background(), []byte(text))
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "division of the grid") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFailureInAMoveEndsAllRanks proves that a rank that cannot make its solver on a new block ends the run, and that
// no rank waits for it.
func TestFailureInAMoveEndsAllRanks(t *testing.T) {
	g, counts := crowd(t)
	broken := errors.New("no memory")
	err := run(t, g, 4, counts, func(b *domain.Block) error {
		if b.Plan.Rank == 2 {
			return broken
		}
		return nil
	}, func(s *Solver) error {
		cloudOf(s).advance(4000)
		if _, err := s.Rebalance(context.Background(), nothing); err != nil {
			return err
		}
		return s.env.Comm.Barrier(context.Background())
	})
	if err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("error %v, want that of rank 2", err)
	}
}

// FuzzParcel proves that a damaged parcel is an error.
func FuzzParcel(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, parcel []byte) {
		e := &entities{sizes: []int{16}, fields: []string{"dot"}, bytes: make([][]byte, 1)}
		rest := parcel
		err := e.open(func(n int) ([]byte, error) {
			if n < 0 || n > len(rest) {
				return nil, errParcel
			}
			part := rest[:n]
			rest = rest[n:]
			return part, nil
		})
		if err == nil && len(e.bytes[0]) != int(unsafe.Sizeof(dot{}))*len(e.keys) {
			t.Fatal("entities without numbers")
		}
	})
}
