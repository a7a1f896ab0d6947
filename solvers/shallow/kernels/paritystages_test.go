package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

// permutation returns the numbers below n in random order.
func permutation(rng *rand.Rand, n int) []int32 {
	p := make([]int32, n)
	for i, at := range rng.Perm(n) {
		p[i] = int32(at)
	}
	return p
}

// makeStencils appends stencils of n cells to a mesh, with random neighbours and boundaries.
func makeStencils[F num.Float](rng *rand.Rand, m *Mesh[F], n int) {
	arrow := func() Vec2[F] { return Vec2[F]{X: F(rng.NormFloat64() / 4), Y: F(rng.NormFloat64() / 4)} }
	if len(m.Boundary.Outlets) == 0 {
		m.Boundary.Outlets = []Outlet[F]{{Manning: .03}}
	}
	for range n {
		s := Stencil[F]{Outlet: int32(rng.IntN(len(m.Boundary.Outlets)))}
		for k := range 3 {
			if s.Neighbours[k] = int32(rng.IntN(n)); rng.IntN(10) == 0 {
				s.Neighbours[k] = -1 - int32(rng.IntN(3))
			}
			s.Weight[k] = arrow()
		}
		s.Arm[0], s.Arm[1], s.Bed = arrow(), arrow(), arrow()
		m.Stencils, m.Arms = append(m.Stencils, s), append(m.Arms, Arms[F]{Left: arrow(), Right: arrow()})
	}
}

// parityOfSlopes compares the kernels of second order, on cells with random neighbours, of one layer or two.
func parityOfSlopes[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, oneLayer bool, p *Params[F],
	m *Mesh[F], w []State[F], manning []F, forces [2]*Forcing[F]) {
	n := len(w)
	clock := &Clock[F]{Dt: 1e-2}
	var slopes [2][]Slopes[F]
	var flux [2][2][]Flux[F]
	var counters [2]Counters
	for k := range 2 {
		slopes[k], flux[k] = make([]Slopes[F], n), ofBothLayers[F](n)
	}
	NewCellSlopesLoop(oneLayer, p, m, w, slopes[0]).Range(0, n)
	l.Run(t, NewCellSlopesLoop(oneLayer, p, m, w, slopes[1]), 0, n)
	table := parityOfTables(t, l, oneLayer, p, m, w, slopes[0])
	kerneltest.Same(t, "slopes", slopes[0], slopes[1], nil)
	for name, scheme := range allSchemes {
		if oneLayer != (scheme == OneLayer) {
			continue
		}
		run := func(k int) loop {
			return NewSlopedFluxLoop(scheme, p, m, clock, slopes[k], flux[k][0], flux[k][1], &counters[k])
		}
		run(0).Range(0, n)
		l.Run(t, run(1), 0, n)
		kerneltest.Same(t, name+" with slopes", flux[0][0], flux[1][0], nil)
		kerneltest.Same(t, name+" with slopes, upper layer", flux[0][1], flux[1][1], nil)
		kerneltest.Same(t, name+" counters", counters[:1], counters[1:], nil)
	}
	for _, last := range []bool{false, true} {
		var out [2][]State[F]
		var least [2]atomics.Least[F]
		run := func(k int) loop {
			out[k] = make([]State[F], n)
			return NewStageCellLoop(last, oneLayer, p, m, clock, w, w, slopes[k], flux[k][0], flux[k][1], manning, forces[k],
				out[k], &least[k])
		}
		run(0).Range(0, n)
		l.Run(t, run(1), 0, n)
		kerneltest.Same(t, "stage", out[0], out[1], nil)
		kerneltest.Same(t, "stage's losses", forces[0].Lost, forces[1].Lost, nil)
		if least[0] != least[1] {
			t.Errorf("the longest step is %v in Go, %v translated", least[0].Value(), least[1].Value())
		}
		parityOfObservations(t, l, p, m.Beds, w, last)
	}
	parityOfTiledStages(t, l, oneLayer, p, tiled(rng, m), w, table, manning, forces)
}

// parityOfTiledStages compares the stages of second order with tiles.
func parityOfTiledStages[F num.Float](t *testing.T, l cudatest.Runner, oneLayer bool, p *Params[F],
	tiles *TiledMesh[F], w []State[F], slopes *SlopeTable[F], manning []F, forces [2]*Forcing[F]) {
	type parts struct {
		clock, next    [1]Clock[F]
		limit, cleared atomics.Least[F] // limit of the step; minimum that the stage clears for a later step
		out            []State[F]
		least          atomics.Least[F]
		counters       [1]Counters
		marks          wet.Stage
	}
	for name, scheme := range allSchemes {
		if oneLayer != (scheme == OneLayer) {
			continue
		}
		for n := range 4 {
			last, skip := n%2 == 1, n >= 2
			var x [2]parts
			run := func(k int) loop {
				x := &x[k]
				x.clock[0] = Clock[F]{Limit: 1e-2, Dt: 1e-2, LastDt: 2e-2, Until: 1, Pending: true}
				x.out = make([]State[F], len(w))
				x.limit.Take(2e-3)
				x.cleared.Take(1)
				x.marks = marksOf(tiles)
				return NewTileStageLoop(scheme, last, skip, p, tiles, &x.clock[0], &x.next[0], &x.limit, &x.cleared, &x.marks, w, w,
					slopes, manning, forces[0], x.out, &x.counters[0], &x.least)
			}
			run(0).Range(0, len(tiles.Tiles)-1)
			l.Run(t, run(1), 0, len(tiles.Tiles)-1)
			kerneltest.Same(t, name+" stage", x[0].out, x[1].out, nil)
			kerneltest.Same(t, name+" stage's marks", x[0].marks.To, x[1].marks.To, nil)
			kerneltest.Same(t, name+" stage's counters", x[0].counters[:], x[1].counters[:], nil)
			kerneltest.Same(t, name+" stage's clock", x[0].next[:], x[1].next[:], nil)
			if x[0].least != x[1].least || x[0].cleared != x[1].cleared {
				t.Errorf("%s: the longest step is %v in Go, %v translated", name, x[0].least.Value(), x[1].least.Value())
			}
			if handed := x[0].next[0].Pending; handed != last || x[0].out[0] == (State[F]{}) {
				t.Errorf("%s, last %v: the clock was handed on: %v; the state of cell 0 %+v", name, last, handed, x[0].out[0])
			}
		}
	}
}
