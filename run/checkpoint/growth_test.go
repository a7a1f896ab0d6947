package checkpoint

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// dealt is a rank's part of a state with one number in each of n cells, which are dealt to ranks at random.
func dealt(rank, ranks, n int, filled bool, seed uint64) *testSolver {
	rng := rand.New(rand.NewPCG(seed, 8))
	var keys []int64
	for _, key := range rng.Perm(n) {
		if rng.IntN(ranks) == rank {
			keys = append(keys, int64(key))
		}
	}
	s := &testSolver{marks: make([]int32, len(keys))}
	if filled {
		s.Now.Steps = 1
		for i, key := range keys {
			s.marks[i] = int32(key) * 7
		}
	}
	dev := cpu.New(1)
	space := &solvers.Space{Name: "cell", Owned: len(keys), Key: func(i int) int64 { return keys[i] }}
	s.Declared = []solvers.Field{{Name: "mark", Space: space, Saved: true, Hashed: true, View: func() solvers.View {
		return solvers.ViewOf[int32](dev, s.marks, 0)
	}}}
	return s
}

// allocatedBy returns the bytes that all ranks together allocate in a restart of n cells, and the most bytes of
// blocks that one reads over the mean.
func allocatedBy(t *testing.T, ranks, n int) (bytes, excess float64) {
	fence := folder.Fence{Dir: t.TempDir()}
	if err := onRanks(t, ranks, func(comm dist.Comm) error {
		snapshot, err := solvers.Save(t.Context(), dealt(comm.Rank(), ranks, n, true, 1))
		if err != nil {
			return err
		}
		w, err := Begin(t.Context(), comm, fence, Info{}, snapshot, new(Layouts), nil)
		if err != nil {
			return err
		}
		return w.Finish(t.Context())
	}); err != nil {
		t.Fatal(err)
	}
	read := make([]int64, ranks)
	if err := onRanks(t, ranks, func(comm dist.Comm) error {
		s := dealt(comm.Rank(), ranks, n, false, 2)
		var before, after runtime.MemStats
		measure := func(into *runtime.MemStats) error {
			err := comm.Barrier(t.Context())
			if comm.Rank() == 0 {
				runtime.ReadMemStats(into)
			}
			return errors.Join(err, comm.Barrier(t.Context()))
		}
		if err := measure(&before); err != nil {
			return err
		}
		from, err := load(t.Context(), comm, Path(fence.Dir, 1))
		if err != nil {
			return err
		}
		err = solvers.Restore(t.Context(), s, from.Info.Clock(), nil, from)
		if err := errors.Join(err, measure(&after)); err != nil {
			return err
		}
		for i := range s.marks {
			if int64(s.marks[i]) != 7*s.Declared[0].Space.Key(i) {
				return errors.New("the restored state differs")
			}
		}
		for k := range from.held {
			read[comm.Rank()] += from.held[k].size()
		}
		if comm.Rank() == 0 {
			bytes = float64(after.TotalAlloc - before.TotalAlloc)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	sum, most := int64(0), int64(0)
	for _, n := range read {
		sum, most = sum+n, max(most, n)
	}
	return bytes, float64(most) * float64(ranks) / float64(sum)
}

// TestRestartAllocates proves that no rank makes an array as long as the state, nor one of the square of the number of
// ranks: a cell takes no more bytes, over all ranks, if there are more ranks, but for the longer way of a message, and
// without cells a rank takes bytes in proportion to their number. No rank reads 1.5 times as much as the mean.
func TestRestartAllocates(t *testing.T) {
	defer func(n int64) { minPerPass = n }(minPerPass)
	minPerPass = 1 << 17
	const few, many = 20_000, 100_000
	perCell := func(ranks int) float64 {
		a, _ := allocatedBy(t, ranks, few)
		b, excess := allocatedBy(t, ranks, many)
		if excess > 1.5 {
			t.Errorf("one of %d ranks reads %g times the mean", ranks, excess)
		}
		return (b - a) / (many - few)
	}
	of4, of64 := perCell(4), perCell(64)
	if of64 > 4*of4 { // messages go over 2 and 6 ranks; an array of all cells on each rank would be 16 times as long
		t.Errorf("a restart allocates %.0f bytes a cell on 4 ranks, %.0f on 64", of4, of64)
	}
	perRank := func(ranks int) float64 {
		bytes, _ := allocatedBy(t, ranks, 10)
		return bytes / float64(ranks)
	}
	of64, of256 := perRank(64), perRank(256)
	if of256 > 8*of64 { // 4 times as many, and 16 times for the square
		t.Errorf("a rank allocates %.0f bytes of 64, %.0f of 256", of64, of256)
	}
}
