package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, bit by bit on random edges and
// cells: wet and dry, boundaries, friction.
func TestParity(t *testing.T) {
	l := kerneltest.Compile(t, ".")
	t.Run("float32", func(t *testing.T) { parity[float32](t, l, 1e-3) })
	t.Run("float64", func(t *testing.T) { parity[float64](t, l, 1e-7) })
}

func parity[F Float](t *testing.T, l *kerneltest.Library, tol F) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 30000
	m := &Mesh[F]{Owned: int32(n - 100)}
	w := make([]State[F], n)
	manning := make([]F, n)
	some := func() F {
		switch rng.IntN(12) {
		case 0:
			return 0
		case 1:
			return F(1e-7 * rng.Float64())
		case 2:
			return F(1e-5 * rng.Float64())
		}
		return F(5 * rng.Float64())
	}
	for i := range n {
		m.Sites = append(m.Sites, Site[F]{Depth: F(6 * rng.Float64()), Area: F(.01 + rng.Float64()), Edge: [3]int32{int32(rng.IntN(n)), ^int32(rng.IntN(n)), int32(i)}})
		w[i] = State[F]{some(), F(rng.NormFloat64()), F(rng.NormFloat64()), some(), F(rng.NormFloat64()), F(rng.NormFloat64())}
		right := int32(rng.IntN(n))
		if rng.IntN(10) == 0 {
			right = -1 - int32(rng.IntN(2))
		}
		c := rng.Float64()
		m.Edges = append(m.Edges, Edge[F]{Left: int32(i), Right: right, Nx: F(c), Ny: F(1 - c), Length: F(rng.Float64())})
		manning[i] = F(.05 * rng.Float64())
	}
	p := &Params[F]{Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-6, Tolerance: tol, Hyperbolic: true, Friction: true}
	clock := &Clock[F]{Dt: 1e-2}
	flux := [2][]Flux[F]{make([]Flux[F], n), make([]Flux[F], n)}
	var counters [2]Counters
	for name, run := range map[string]func(k int) loop{
		"PVM":   func(k int) loop { return NewFluxPVMLoop(p, m, clock, w, flux[k], &counters[k]) },
		"IRRoe": func(k int) loop { return NewFluxIRRoeLoop(p, m, clock, w, flux[k], &counters[k]) },
		"Roe":   func(k int) loop { return NewFluxRoeLoop(p, m, clock, w, flux[k], &counters[k]) },
	} {
		run(0).Range(0, n)
		l.Run(t, run(1), 0, n)
		kerneltest.Same(t, name, flux[0], flux[1], nil)
		kerneltest.Same(t, name+" counters", counters[:1], counters[1:], nil)
		for _, clock.Dt = range []F{0, 1e-2} { // 0 keeps all states sound, so that the reduced step is a number
			out := [2][]State[F]{make([]State[F], n), make([]State[F], n)}
			var least [2]atomics.Least[F]
			up := func(k int) loop { return NewUpdateCellLoop(p, m, clock, w, flux[k], manning, out[k], &least[k]) }
			up(0).Range(0, n)
			l.Run(t, up(1), 0, n)
			kerneltest.Same(t, name+" update", out[0], out[1], nil)
			if least[0] != least[1] {
				t.Errorf("%s: the longest step is %v in Go, %v translated", name, least[0].Value(), least[1].Value())
			}
			if dt := least[0].Value(); clock.Dt == 0 && !(dt > 0) {
				t.Errorf("%s: the longest step is %v", name, dt)
			}
		}
		clock.Dt = 1e-2
	}
}
