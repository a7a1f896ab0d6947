// Package tiers lets the cells of a mesh take steps of different lengths: local time steps.
//
// A cell of tier k takes steps of 2^k times the shortest one, and all cells arrive at the end of the longest one, which
// is the step of the run, at the same time. Within it there is a *substep* for each shortest step. A substep computes
// the cells that begin a step with it, and those of longer steps near them: these repeat their whole step from the
// state at its start, with what the others are by then. In the end such a cell takes the mean of all its repetitions,
// so that what passes an edge is the same for both of its cells. At second order this is the multirate method of E. M.
// Constantinescu and A. Sandu, "Multirate timestepping methods for hyperbolic conservation laws", J. Sci. Comput. 33,
// 2007: of second order, conservative, and as a mean of the steps that a mesh with equal steps takes it keeps
// thicknesses nonnegative; at first order that of S. Osher and R. Sanders, Math. Comput. 41, 1983.
//
// The *pace* of a cell is the tier in whose steps it is computed: the least tier of the cells whose state at the start
// of their steps its own step depends on. All other cells would compute what they have computed before.
//
// Tiers and paces depend on the limits of cells and on their neighbours alone, not on ranks or the order of cells.
package tiers

import (
	"context"
	"math"
	"math/bits"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/local"
)

// Tiers are those of a rank's cells.
type Tiers[F num.Float] struct {
	Part     *mesh.Part
	Pinned   []int32 // owned cells of the lowest tier
	Activity *bands.Activity
	Clocks   []kernels.Clock[F] // of each substep
	Ahead    []F                // where the series of substeps leave what is not needed
	// Uncounted are the counters of all substeps but the first, in which cells may be computed more often than they must.
	Uncounted kernels.Counters

	most     int // the highest tier
	reach    int // how many neighbours away the end of a step depends on the state at its start
	steps    local.Steps[F]
	tier     []int32
	pace     []int32
	pieces   []int32                 // the least pace of each piece of core cells
	found    [2]*engine.Array[int32] // what is exchanged while tiers are chosen
	exchange [2]*engine.Exchange
	sum      []kernels.State[F] // of the repetitions of a cell
}

// Declare declares the arrays for a number of lengths of steps, of owned cells and of all that the rank holds.
func Declare[F num.Float](t *engine.Table, lengths, order, owned, held int) *Tiers[F] {
	const what = "local steps"
	reach := 1 // first order: the fluxes of a cell depend on its neighbours
	if order == 2 {
		reach = 4 // in each of two stages its neighbours' slopes depend on their neighbours
	}
	all := &Tiers[F]{most: lengths - 1, reach: reach, Clocks: make([]kernels.Clock[F], 1<<(lengths-1)),
		tier: engine.Add[int32](t, what, owned).Data, pace: engine.Add[int32](t, what, owned).Data,
		sum:   engine.Add[kernels.State[F]](t, what, owned).Data,
		steps: local.Steps[F]{Of: engine.Add[F](t, what, held).Data, Longest: engine.Add[F](t, what, owned).Data}}
	for k := range all.found {
		all.found[k] = engine.Add[int32](t, what, held)
	}
	return all
}

// Steps are those that kernels read.
func (t *Tiers[F]) Steps() local.Steps[F] { return t.steps }

// Substeps is the number of substeps of a step.
func (t *Tiers[F]) Substeps() int { return 1 << t.most }

// Connect sets up the exchanges of what tiers follow from. All ranks call it.
func (t *Tiers[F]) Connect(ctx context.Context, ghosts *engine.Ghosts) (err error) {
	for k := range t.exchange {
		if t.exchange[k], err = ghosts.Of(ctx, t.found[k]); err != nil {
			return err
		}
	}
	return nil
}

// Choose chooses the tiers for a step by the limits that the last one has found, and the clocks of substeps. A cell has
// the tier that its own limit and those of its neighbours allow, so that on both sides of an edge the longer step of
// both is allowed, and tiers of neighbours differ by one at most.
func (t *Tiers[F]) Choose(p *engine.Program, clock *kernels.Clock[F]) {
	p.Run(engine.Whole(serial(func() { t.begin(clock) }), 1))
	owned := t.Part.Owned
	p.Run(engine.Whole(cells(func(i int) { t.found[0].Data[i] = t.allowed(i, clock.Dt) }), owned))
	now := 0
	lower := func(slope int32) {
		t.share(p, now)
		from, to := t.found[now].Data, t.found[1-now].Data
		p.Run(engine.Whole(cells(func(i int) { to[i] = t.least(i, from, slope) }), owned))
		now = 1 - now
	}
	lower(0)
	for range t.most {
		lower(1)
	}
	chosen := now
	lower(0) // shares the tiers of ghosts before
	p.Run(engine.Whole(cells(func(i int) { t.setStep(i, t.found[chosen].Data[i]) }), len(t.steps.Of)))
	for range t.reach - 1 {
		lower(0)
	}
	p.Run(engine.Whole(cells(func(i int) { t.pace[i] = t.found[now].Data[i] }), owned))
	if t.pieces == nil {
		t.pieces = make([]int32, t.Activity.Pieces())
	}
	p.Run(engine.Whole(cells(t.findPiece), len(t.pieces)))
}

// begin sets the clocks of the substeps of a step.
func (t *Tiers[F]) begin(clock *kernels.Clock[F]) {
	dt := clock.Dt / F(len(t.Clocks))
	for j := range t.Clocks {
		c := *clock
		c.Time, c.Dt, c.Full = clock.Time+float64(j)*float64(dt), dt, 0
		if c.Limit > 0 {
			c.Limit = dt // the end of the substep follows from it
		}
		t.Clocks[j] = c
	}
	for _, i := range t.Pinned {
		t.steps.Longest[i] = 0
	}
}

func (t *Tiers[F]) share(p *engine.Program, k int) {
	p.Share(t.exchange[k])
	p.Await(t.exchange[k])
}

// allowed returns the tier that the limit of a cell allows, where a step of the run takes dt.
func (t *Tiers[F]) allowed(i int, dt F) (tier int32) {
	longest := t.steps.Longest[i]
	for step := dt / F(int(1)<<(t.most-1)); int(tier) < t.most && longest >= step; step *= 2 {
		tier++
	}
	return tier
}

// least returns the least of the value of a cell and those of its neighbours plus a slope.
func (t *Tiers[F]) least(i int, values []int32, slope int32) int32 {
	v := values[i]
	for _, o := range t.Part.Neighbour[i] {
		if o >= 0 {
			v = min(v, values[o]+slope)
		}
	}
	return v
}

// setStep stores the tier of a cell, and its step as a share of that of the run.
func (t *Tiers[F]) setStep(i int, tier int32) {
	if i < len(t.tier) {
		t.tier[i] = tier
	}
	t.steps.Of[i] = F(int(1)<<tier) / F(int(1)<<t.most)
}

func (t *Tiers[F]) findPiece(k int) {
	least := int32(t.most)
	for _, pace := range t.pace[k*bands.Piece : min((k+1)*bands.Piece, t.Part.Core)] {
		least = min(least, pace)
	}
	t.pieces[k] = least
}

// begins reports whether steps of a tier begin with a substep, and ends whether they end with it.
func begins(substep int, tier int32) bool { return substep&(1<<tier-1) == 0 }
func ends(substep int, tier int32) bool   { return begins(substep+1, tier) }

// Due returns which pieces of cells a substep computes.
func (t *Tiers[F]) Due(substep int) func(piece int) bool {
	highest := int32(t.most)
	if substep > 0 {
		highest = int32(bits.TrailingZeros(uint(substep)))
	}
	return func(piece int) bool { return t.pieces[piece] <= highest }
}

// Unbounded notes that nothing limits the steps of some cells, since there is no water.
func (t *Tiers[F]) Unbounded(lo, hi int) {
	for i := lo; i < hi; i++ {
		t.steps.Longest[i] = F(math.Inf(1))
	}
}
