package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/eigen"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEigenvaluesAreThoseOfTheRoeMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	complexPairs := 0
	for _, r := range testRatios {
		p := testParams(r)
		for i := range 900 {
			f := randomFace(rng, p, []float64{.5, 6, 30}[i%3])
			if i%2 == 0 { // one layer far thinner than the other
				f.c1 *= 1e-3
			}
			var ev eigen.Values[float64]
			ev.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			var eig mat.Eigen
			eig.Factorize(f.matrix(r), mat.EigenNone)
			want := eig.Values(nil)
			sort.Slice(want, func(i, j int) bool { return real(want[i]) < real(want[j]) })
			// A double root is known to the square root of rounding only.
			tol := 1e-9
			if ev.L3-ev.L2 < 1e-4*(ev.L4-ev.L1) {
				tol = 1e-6
			}
			if ev.Complex {
				complexPairs++
			}
			got := []float64{ev.L1, ev.L2, ev.L3, ev.L4}
			var re []float64
			isComplex := false
			for _, z := range want {
				re = append(re, real(z))
				isComplex = isComplex || math.Abs(imag(z)) > 1e-6*cmplx.Abs(want[3])
			}
			sort.Float64s(re)
			if isComplex && !ev.Complex {
				t.Fatalf("r=%g: complex pair %v not seen: %+v", r, want, ev)
			}
			if !near(got, re, tol) {
				t.Fatalf("r=%g: eigenvalues %v, gonum's %v", r, got, want)
			}
		}
	}
	if complexPairs == 0 {
		t.Error("no face had a complex pair: the test does not cover them")
	}
}

func TestEigenvaluesInSinglePrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, r := range testRatios {
		p := testParams(r)
		for range 300 {
			f := randomFace(rng, p, 2)
			var want eigen.Values[float64]
			want.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			var got eigen.Values[float32]
			got.Solve(float32(f.u1), float32(f.u2), float32(f.c1), float32(f.c2), float32(r), 1e-3)
			// The closer two roots are, the less accurate: the error grows to a few square roots of the rounding error.
			near1 := (want.L4 - want.L1) / min(want.L4-want.L3, want.L2-want.L1)
			tol := min(2e-6*max(1, near1*near1), 2e-3)
			if !near([]float64{float64(got.L1), float64(got.L4)}, []float64{want.L1, want.L4}, tol) {
				t.Fatalf("r=%g: float32 external %v %v, float64 %v %v", r, got.L1, got.L4, want.L1, want.L4)
			}
			if want.L3-want.L2 > .2 && !near([]float64{float64(got.L2), float64(got.L3)}, []float64{want.L2, want.L3},
				max(1e-4, tol)) {
				t.Fatalf("r=%g: float32 internal %v %v, float64 %v %v", r, got.L2, got.L3, want.L2, want.L3)
			}
		}
	}
}
