package solvers_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	. "github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/solverstest"
)

// water is a solver state with three entities of a rank, and one ghost.
type water struct {
	solverstest.Plain
	on     *Space
	depths []struct{ H, Q float32 }
	marks  []int64
}

// newWater returns the share of one of two ranks: entities 0, 2, 4 or 1, 3, 5.
func newWater(rank int) *water {
	w := &water{depths: make([]struct{ H, Q float32 }, 4), marks: make([]int64, 4)}
	w.on = &Space{Name: "pond", Owned: 3, Held: 4, Key: func(i int) int64 {
		if i == 3 {
			return int64(1 - rank) // the first of the other rank
		}
		return int64(2*i + rank)
	}, Position: func(i int) []float64 { return []float64{float64(2*i + rank), .5} }}
	for i := range w.depths {
		key := w.on.Key(i)
		w.depths[i].H, w.depths[i].Q, w.marks[i] = float32(key)/2, float32(-key), 10*key
	}
	w.Declared = []Field{
		{Name: "h", Space: w.on, Hashed: true, Saved: true, NotNegative: []string{"h"},
			View: func() View { return ViewOf[float32](nil, w.depths, 0) }},
		{Name: "q", Space: w.on, Hashed: true, Saved: true, View: func() View { return ViewOf[float32](nil, w.depths, 4) }},
		{Name: "mark", Space: w.on, Saved: true, View: func() View { return ViewOf[int64](nil, w.marks, 0) }},
	}
	return w
}

func (*water) Advance(context.Context, float64, float64, int) (done bool, err error) {
	return true, nil
}

// TestViews proves that numbers are read, picked and hashed where the view of their field says.
func TestViews(t *testing.T) {
	w := newWater(1)
	for k, want := range [][]float64{{.5, 1.5, 2.5}, {-1, -3, -5}, {10, 30, 50}} {
		f := &w.Declared[k]
		all, err := f.Read(t.Context())
		one := make([]float64, 1)
		if err := errors.Join(err, f.Pick(t.Context(), []int{2}, one)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(all, want) || one[0] != want[2] {
			t.Errorf("%s: read %v, picked %v of the last", f.Name, all, one)
		}
	}
	states, err := w.State(t.Context())
	if err != nil || len(states) != 1 || states[0].Size != 8 || states[0].Owned != 3 {
		t.Fatalf("states %+v, error %v", states, err)
	}
	if b := states[0].Bytes(2); !slices.Equal(b, []byte{0, 0, 0x20, 0x40, 0, 0, 0xa0, 0xc0}) {
		t.Errorf("entity 2 has bytes %x", b)
	}
	g, err := grid.New(3, [3]int{4, 3, 2}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Block([3]int{1, 0, 0}, [3]int{2, 3, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	array := make([]float64, b.Len())
	for n := range b.Cells() {
		array[b.Index(n%2, n/2%3, n/6)] = float64(n + 1)
	}
	f := Field{Name: "T", Space: &Space{Owned: b.Cells()}, View: func() View { return BlockView(nil, array, b) }}
	values, err := f.Read(t.Context())
	if err != nil || len(values) != 12 || values[0] != 1 || values[5] != 6 || values[11] != 12 {
		t.Errorf("block: %v, error %v", values, err)
	}
}

// TestFirstInvalid proves that all ranks report the invalid number with the lowest key on any rank.
func TestFirstInvalid(t *testing.T) {
	for want, spoil := range map[string]func(rank int, w *water){
		"": func(int, *water) {},
		"rank 1: pond 3 at (3, 0.5), step 7: q is NaN in {q: NaN}, before the step {q: -3}": func(rank int, w *water) {
			w.depths[2].H = -1 // 4 or 5
			if rank == 1 {
				w.depths[1].Q = float32(math.NaN())
			}
		},
		"rank 0: pond 2 at (2, 0.5), step 7: h is -1 in {h: -1}, before the step {h: 1}": func(rank int, w *water) {
			w.depths[1].H = -1
			w.depths[3].Q = float32(math.Inf(1)) // a ghost, which only its owner checks
		},
	} {
		var texts [2]string
		var errs [2]error
		var ranks sync.WaitGroup
		for rank, comm := range local.New(2) {
			ranks.Go(func() {
				w := newWater(rank)
				spoil(rank, w)
				texts[rank], errs[rank] = FirstInvalid(t.Context(), comm, 7, w.Declared, newWater(rank).Declared)
				errs[rank] = errors.Join(errs[rank], comm.Close())
			})
		}
		ranks.Wait()
		if err := errors.Join(errs[:]...); err != nil || texts != [2]string{want, want} {
			t.Errorf("%q, error %v, want %q", texts, err, want)
		}
	}
}

// TestRestores proves that a state saved by two ranks can be restored, ghosts included, and that a missing share is
// an error.
func TestRestores(t *testing.T) {
	var shares []*Snapshot
	for rank := range 2 {
		w := newWater(rank)
		w.Now = Clock{Time: 3, Steps: 2, Dt: 1.5}
		share, err := Save(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, share)
	}
	w := newWater(1)
	clear(w.depths)
	clear(w.marks)
	if err := Restore(t.Context(), w, shares[0].Clock, nil, SourceOf(shares, 0)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.depths, newWater(1).depths) || !slices.Equal(w.marks, newWater(1).marks) || w.Now.Steps != 2 {
		t.Errorf("%v, %v at %v", w.depths, w.marks, w.Now)
	}
	err := Restore(t.Context(), w, shares[0].Clock, nil, SourceOf(shares[:1], 0))
	if err == nil || !strings.Contains(err.Error(), `field "h" of pond 1 is missing in the saved state`) {
		t.Errorf("error %v", err)
	}
}

// TestSavedNumbersAreFinite proves that a copied state names an entity with a number that is not finite, unless the
// field may have such numbers.
func TestSavedNumbersAreFinite(t *testing.T) {
	w := newWater(1)
	w.depths[2].Q, w.marks[1] = float32(math.Inf(-1)), -1 // all bits of this integer are 1
	for k, want := range []string{"", "rank 7: pond 5 at (5, 0.5), step 9: q is -Inf in {q: -Inf}", ""} {
		saved, err := SaveField(&w.Declared[k])
		if err != nil {
			t.Fatal(err)
		}
		const lo = 1
		numbers, err := saved.Numbers(lo, 3, new(ReadBuffer))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := saved.CheckFinite(7, 9, lo, numbers); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got error %q, want %q", saved.Name, got, want)
		}
		w.Declared[k].Never = "never"
		if err := saved.CheckFinite(7, 9, lo, numbers); err != nil {
			t.Errorf("%s: %v", saved.Name, err)
		}
	}
}

// BenchmarkHashBlock hashes a block of 16 million float64 cells with ghosts.
func BenchmarkHashBlock(b *testing.B) {
	g, err := grid.New(3, [3]int{256, 256, 256}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{})
	if err != nil {
		b.Fatal(err)
	}
	block, err := g.Whole(2)
	if err != nil {
		b.Fatal(err)
	}
	array := make([]float64, block.Len())
	for i := range array {
		array[i] = float64(i)
	}
	space := &Space{Owned: block.Cells(), Key: block.Number}
	p := &solverstest.Plain{Declared: []Field{{Name: "f", Hashed: true, Space: space,
		View: func() View { return BlockView(nil, array, block) }}}}
	comm := local.New(1)[0]
	defer comm.Close()
	for b.Loop() {
		if _, err := Hash(b.Context(), comm, p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(block.Cells())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}
