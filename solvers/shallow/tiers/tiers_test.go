package tiers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// choose chooses tiers on one rank for random limits, and returns what may be checked.
func choose(t *testing.T, rng *rand.Rand, cells, lengths, order int) *Tiers[float64] {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, 1, 1, cells, rng.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: partition.Random, Method: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	var all *Tiers[float64]
	err = d.Each(func(_ int, part *mesh.Part, plan *halo.Plan) error {
		dev, comm := cpu.New(2), local.New(1)[0]
		defer dev.Close()
		table := engine.NewTable(dev)
		all = Declare[float64](table, lengths, order, part.Owned, len(part.Cells))
		e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
		defer e.Close()
		ctx := context.Background()
		if err := all.Connect(ctx, e.MeshGhosts(plan, 1)); err != nil {
			return err
		}
		all.Part, all.Activity = part, bands.NewActivity(part.Core, nil, 1)
		all.Pinned = []int32{int32(rng.IntN(part.Owned))}
		for i := range all.steps.Longest {
			all.steps.Longest[i] = math.Exp2(rng.Float64() * float64(1+rng.IntN(9)))
		}
		clock := kernels.Clock[float64]{Dt: float64(all.Substeps()), Limit: 1, Time: 7}
		err := e.Do(ctx, func(p *engine.Program) { all.Choose(p, &clock) })
		for _, list := range []*[]int32{&all.tier, &all.pace, &all.pieces} {
			*list = append([]int32(nil), *list...) // the device frees its memory
		}
		all.steps.Of = append([]float64(nil), all.steps.Of...)
		all.steps.Longest = append([]float64(nil), all.steps.Longest...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestChoose proves for random meshes and limits that no cell takes a longer step than it and its neighbours may, that
// tiers of neighbours differ by one at most, that no lower tiers would do, and that a cell is computed whenever a cell
// on whose state its step depends begins one.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		lengths, order := 2+rng.IntN(5), 1+rng.IntN(2)
		all := choose(t, rng, 2+rng.IntN(400), lengths, order)
		for i := range all.tier {
			allowed := int32(all.most)
			all.visit(i, 1, func(o, _ int) {
				allowed = min(allowed, int32(max(0, math.Floor(math.Log2(all.steps.Longest[o])))))
			})
			want, pace := allowed, all.tier[i]
			for _, o := range all.Part.Neighbour[i] {
				if o < 0 {
					continue
				}
				if want = min(want, all.tier[o]+1); all.tier[i]-all.tier[o] > 1 {
					t.Fatalf("tiers %d and %d of neighbours", all.tier[i], all.tier[o])
				}
			}
			all.visit(i, all.reach, func(o, _ int) { pace = min(pace, all.tier[o]) })
			if all.tier[i] != want || all.pace[i] != pace {
				t.Fatalf("tier %d and pace %d, want %d and %d", all.tier[i], all.pace[i], want, pace)
			}
			if step := all.steps.Of[i] * float64(all.Substeps()); step != math.Exp2(float64(all.tier[i])) {
				t.Fatalf("a step of %g in tier %d", step, all.tier[i])
			}
		}
		if all.tier[all.Pinned[0]] != 0 {
			t.Fatalf("a pinned cell has tier %d", all.tier[all.Pinned[0]])
		}
		for substep := range all.Substeps() {
			if all.Clocks[substep].Time != 7+float64(substep) || all.Clocks[substep].Dt != 1 {
				t.Fatalf("the clock of substep %d: %+v", substep, all.Clocks[substep])
			}
			for i, pace := range all.pace[:all.Part.Core] {
				if begins(substep, pace) && !all.Due(substep)(i/bands.Piece) {
					t.Fatalf("a cell of pace %d is not computed in substep %d", pace, substep)
				}
			}
		}
	}
}

// visit calls f with all cells that are at most so many neighbours away, some of them several times.
func (t *Tiers[F]) visit(cell, away int, f func(cell, away int)) {
	f(cell, away)
	if away == 0 {
		return
	}
	for _, o := range t.Part.Neighbour[cell] {
		if o >= 0 {
			t.visit(int(o), away-1, f)
		}
	}
}

// TestMeans proves that a cell whose step is repeated ends with the mean of the repetitions, and that the others keep
// what was computed, in the substep with which their steps end.
func TestMeans(t *testing.T) {
	all := &Tiers[float64]{Part: &mesh.Part{Core: 3, Owned: 4}, most: 2, tier: []int32{0, 1, 2, 2},
		pace: []int32{0, 0, 1, 2}, sum: make([]kernels.State[float64], 4)}
	all.steps.Of = []float64{.25, .5, 1, 1}
	all.Activity = bands.NewActivity(3, nil, 2)
	from, to := make([]kernels.State[float64], 4), make([]kernels.State[float64], 4)
	for substep, computed := range [][]float64{{1, 10, 100, 1000}, {2, 20, 100, 1000}, {3, 30, 300, 1000},
		{4, 50, 300, 1000}} {
		for i, h := range computed {
			to[i].H2 = h
		}
		task := all.Finish(substep, &kernels.Clock[float64]{Dt: 1}, &kernels.Forcing[float64]{},
			States[float64]{From: from, To: to, ToAt: 1})
		task.Loop.Range(task.Lo, task.Hi)
		want := [][]float64{{1, 0, 0, 0}, {2, 15, 0, 0}, {3, 15, 0, 0}, {4, 40, 200, 1000}}[substep]
		got := from
		if substep == 3 {
			got = to
		}
		for i, h := range want {
			if got[i].H2 != h {
				t.Errorf("substep %d, cell %d: %g, want %g", substep, i, got[i].H2, h)
			}
		}
	}
}
