package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// TestOneLayer proves that OneLayer gives the bits of PVM where no cell has an upper layer, at first order. At second
// order one layer has sheet flow besides.
func TestOneLayer(t *testing.T) {
	t.Run("float32", oneLayer[float32])
	t.Run("float64", oneLayer[float64])
}

func oneLayer[F num.Float](t *testing.T) {
	const n = 5000
	rng := rand.New(rand.NewPCG(7, 8))
	m := &Mesh[F]{Owned: n, FluxAt: permutation(rng, n)}
	w, manning := make([]State[F], n), make([]F, n)
	for i := range n {
		m.Beds = append(m.Beds, Bed[F]{Depth: F(3 * rng.Float64()), Area: F(.01 + rng.Float64())})
		m.CellEdges = append(m.CellEdges, CellEdges{[3]int32{int32(rng.IntN(n)), ^int32(rng.IntN(n)), int32(i)}})
		right := int32(rng.IntN(n+n/10) - n/10)
		m.EdgeCells = append(m.EdgeCells, EdgeCells{int32(i), max(right, Wall)})
		c := rng.Float64()
		m.Normals = append(m.Normals, Normal[F]{X: F(c), Y: F(1 - c), Length: F(rng.Float64())})
		if w[i].H2 = F(rng.Float64()); i%4 == 0 {
			w[i].H2 *= F(2e-6)
		}
		w[i].Q2x, w[i].Q2y = w[i].H2*F(rng.NormFloat64()), w[i].H2*F(rng.NormFloat64())
		manning[i] = F(.05 * rng.Float64())
	}
	p := &Params[F]{Gravity: 9.81, DensityRatio: 1, CFL: .9, DryDepth: 1e-6, Tolerance: 1e-4, Friction: true}
	clock, force := &Clock[F]{Dt: 1e-4}, &Forcing[F]{}
	var lower, upper [2][]Flux[F]
	var next [2][]State[F]
	var counters [2]Counters
	for k, scheme := range []Scheme{PVM, OneLayer} {
		var least atomics.Least[F]
		one := scheme == OneLayer
		if lower[k], next[k] = make([]Flux[F], n), make([]State[F], n); !one {
			upper[k] = make([]Flux[F], n)
		}
		NewEdgeFluxLoop(scheme, p, m, clock, w, lower[k], upper[k], &counters[k]).Range(0, n)
		NewUpdateCellLoop(one, p, m, clock, w, lower[k], upper[k], manning, force, next[k], &least).Range(0, n)
	}
	kerneltest.Same(t, "after a step of first order", next[0], next[1], nil)
	kerneltest.Same(t, "counters", counters[:1], counters[1:], nil)
	for e := range n {
		if lower[0][e] != lower[1][e] || upper[0][e] != (Flux[F]{}) { // as numbers: zeros may differ in sign
			t.Fatalf("edge %d: %+v and %+v for PVM, %+v for one layer", e, lower[0][e], upper[0][e], lower[1][e])
		}
	}
}
