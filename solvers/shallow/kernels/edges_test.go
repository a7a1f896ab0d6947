package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// TestVectorsOfAnyNumbers proves that each kernel marked lanes has the bits of Go for edges and cells with arbitrary
// values: dry, ±0, denormal, huge, infinite and NaN. `make parity` runs it for a million.
func TestVectorsOfAnyNumbers(t *testing.T) {
	cudatest.Vectors(t, func(t *testing.T, r cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { anyNumbers[float32](t, r, 3e-4) })
		t.Run("float64", func(t *testing.T) { anyNumbers[float64](t, r, 1e-8) })
	})
}

func anyNumbers[F num.Float](t *testing.T, r cudatest.Runner, tol F) {
	const n = 1 << 13
	rng := rand.New(rand.NewPCG(5, 6))
	m := &Mesh[F]{Owned: n - 100, EdgeCells: make([]EdgeCells, n), Normals: make([]Normal[F], n), Beds: make([]Bed[F], n),
		CellEdges: make([]CellEdges, n), Stencils: make([]Stencil[F], n), Arms: make([]Arms[F], n)}
	m.FluxAt, m.SlopesAt = permutation(rng, n), permutation(rng, n)
	m.Boundary = Boundary[F]{Outlets: []Outlet[F]{{Manning: .03}}, ConditionOf: []int32{0},
		Conditions: []Condition{{Value: 1, Wave: 2}}, Prescribed: []F{0, 1.5, .3}, Conveyances: []F{1}, Sums: []F{2}}
	w, before, slopes, flux := make([]State[F], n), make([]State[F], n), make([]Slopes[F], n), ofBothLayers[F](n)
	manning, clock := make([]F, n), &Clock[F]{Dt: 1e-2}
	for round := range kerneltest.Rounds(t, n) {
		kerneltest.FillEdgeCases[F](rng, w)
		kerneltest.FillEdgeCases[F](rng, before)
		kerneltest.FillEdgeCases[F](rng, slopes)
		kerneltest.FillEdgeCases[F](rng, flux[0])
		kerneltest.FillEdgeCases[F](rng, flux[1])
		kerneltest.FillEdgeCases[F](rng, manning)
		kerneltest.FillEdgeCases[F](rng, m.Normals)
		kerneltest.FillEdgeCases[F](rng, m.Beds)
		kerneltest.FillEdgeCases[F](rng, m.Arms)
		m.Local = localSteps[F](n, round%3 == 1)
		m.Boundary.Conditions[0].Kind = int32(round) % (TotalTorrent + 1)
		for i := range n {
			m.EdgeCells[i] = EdgeCells{Left: int32(rng.IntN(n)), Right: int32(rng.IntN(n+n/8) - n/8)}
			m.EdgeCells[i].Right = max(m.EdgeCells[i].Right, Wall)
			m.CellEdges[i] = CellEdges{[3]int32{int32(rng.IntN(n)), ^int32(rng.IntN(n)), int32(rng.IntN(2*n) - n)}}
			s := &m.Stencils[i]
			for k := range s.Neighbours {
				s.Neighbours[k] = max(int32(rng.IntN(n+n/8)-n/8), -1-int32(k))
				s.Weight[k] = Vec2[F]{X: kerneltest.EdgeCase[F](rng), Y: kerneltest.EdgeCase[F](rng)}
			}
			for _, v := range []*Vec2[F]{&s.Arm[0], &s.Arm[1], &s.Bed} {
				*v = Vec2[F]{X: kerneltest.EdgeCase[F](rng), Y: kerneltest.EdgeCase[F](rng)}
			}
		}
		p := &Params[F]{Gravity: 9.81, DensityRatio: F(1-round%2) / 2, CFL: .9, DryDepth: 1e-6, Tolerance: tol,
			Hyperbolic: round%4 < 2, Friction: round%8 < 4}
		for _, scheme := range []Scheme{PVM, OneLayer} {
			sameVectors(t, r, scheme, p, m, clock, before, w, slopes, flux, manning)
		}
	}
}

// sameVectors compares all kernels of a scheme.
func sameVectors[F num.Float](t *testing.T, r cudatest.Runner, scheme Scheme, p *Params[F], m *Mesh[F],
	clock *Clock[F], before, w []State[F], slopes []Slopes[F], flux [2][]Flux[F], manning []F) {
	n, force, oneLayer := len(w), &Forcing[F]{}, scheme == OneLayer
	var fluxes, sloped [2][2][]Flux[F]
	var steep [2][]Slopes[F]
	var next, first, last [2][]State[F]
	var counters [2]Counters
	var least [3][2]atomics.Least[F]
	m.Boundary.Outlets = make([]Outlet[F], 1) // of cells with a transmissive edge
	for k := range 2 {
		run := func(l loop) {
			if k == 0 {
				l.Range(0, n)
			} else {
				r.Run(t, l, 0, n)
			}
		}
		fluxes[k], sloped[k], steep[k] = ofBothLayers[F](n), ofBothLayers[F](n), make([]Slopes[F], n)
		next[k], first[k], last[k] = make([]State[F], n), make([]State[F], n), make([]State[F], n)
		run(NewEdgeFluxLoop(scheme, p, m, clock, w, fluxes[k][0], fluxes[k][1], &counters[k]))
		run(NewUpdateCellLoop(oneLayer, p, m, clock, w, flux[0], flux[1], manning, force, next[k], &least[0][k]))
		run(NewCellSlopesLoop(oneLayer, p, m, w, steep[k]))
		run(NewSlopedFluxLoop(scheme, p, m, clock, slopes, sloped[k][0], sloped[k][1], &counters[k]))
		for i, out := range []([]State[F]){first[k], last[k]} {
			run(NewStageCellLoop(i == 1, oneLayer, p, m, clock, before, w, slopes, flux[0], flux[1], manning, force,
				out, &least[1+i][k]))
		}
	}
	for layer := range 2 {
		edge := func(i int) any { return m.EdgeCells[i] }
		kerneltest.Same(t, "EdgeFlux", fluxes[0][layer], fluxes[1][layer], edge)
		kerneltest.Same(t, "SlopedFlux", sloped[0][layer], sloped[1][layer], edge)
	}
	kerneltest.Same(t, "UpdateCell", next[0], next[1], nil)
	kerneltest.Same(t, "CellSlopes", steep[0], steep[1], nil)
	kerneltest.Same(t, "the first StageCell", first[0], first[1], nil)
	kerneltest.Same(t, "the last StageCell", last[0], last[1], nil)
	kerneltest.Same(t, "counters", counters[:1], counters[1:], nil)
	for k := range least {
		kerneltest.Same(t, "reduced", least[k][:1], least[k][1:], nil)
	}
}

// ofBothLayers returns arrays for the fluxes of the lower and of the upper layer through n edges.
func ofBothLayers[F num.Float](n int) [2][]Flux[F] {
	return [2][]Flux[F]{make([]Flux[F], n), make([]Flux[F], n)}
}
