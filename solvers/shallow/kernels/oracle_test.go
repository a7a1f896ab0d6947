package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/eigen"
)

// These tests compute with explicit matrices and eigenvectors, by the definitions of the paper, what the kernels
// compute with closed forms.

// randomFace returns a random face. The larger shear, the more faces have complex internal eigenvalues.
func randomFace(rng *rand.Rand, p *Params[float64], shear float64) Face[float64] {
	draw := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	randomSide := func() side[float64] {
		s := side[float64]{h1: draw(.1, 5), h2: draw(.1, 5), u1: draw(-1, 1) * shear, u2: draw(-1, 1) * shear,
			t1: draw(-2, 2), t2: draw(-2, 2), depth: draw(-1, 8)}
		s.q1, s.q2 = s.h1*s.u1, s.h2*s.u2
		return s
	}
	f := Face[float64]{l: randomSide(), r: randomSide()}
	for _, s := range []*side[float64]{&f.l, &f.r} {
		s.computeLevels()
	}
	f.levelJumps()
	f.roeMean(p.Gravity)
	f.computeResidual(p.DensityRatio)
	return f
}

// matrix returns the Roe matrix of a face for density ratio r, without tangential velocities.
func (f *Face[F]) matrix(r F) *mat.Dense {
	c1, c2, u1, u2 := float64(f.c1), float64(f.c2), float64(f.u1), float64(f.u2)
	return mat.NewDense(4, 4, []float64{
		0, 1, 0, 0,
		c1 - u1*u1, 2 * u1, c1, 0,
		0, 0, 0, 1,
		float64(r) * c2, 0, c2 - u2*u2, 2 * u2,
	})
}

// matrix6 is the Roe matrix of the 6×6 system in the frame of the normal, with the tangential Roe velocities v1, v2.
func (f *Face[F]) matrix6(r, v1, v2 F) *mat.Dense {
	c1, c2, u1, u2 := float64(f.c1), float64(f.c2), float64(f.u1), float64(f.u2)
	w1, w2 := float64(v1), float64(v2)
	return mat.NewDense(6, 6, []float64{
		0, 1, 0, 0, 0, 0,
		c1 - u1*u1, 2 * u1, 0, c1, 0, 0,
		-u1 * w1, w1, u1, 0, 0, 0,
		0, 0, 0, 0, 1, 0,
		float64(r) * c2, 0, 0, c2 - u2*u2, 2 * u2, 0,
		0, 0, 0, -u2 * w2, w2, u2,
	})
}

// apply returns K g(λ) K⁻¹ v, where λ are the eigenvalues of a and the columns of K its eigenvectors.
func apply(a *mat.Dense, g func(complex128) complex128, v []float64) []float64 {
	n := len(v)
	var eig mat.Eigen
	if !eig.Factorize(a, mat.EigenRight) {
		panic("no eigenvalues")
	}
	values := eig.Values(nil)
	var k mat.CDense
	eig.VectorsTo(&k)
	// Solve K x = v by the real system of twice the size, which gonum can factorise.
	big := mat.NewDense(2*n, 2*n, nil)
	rhs := mat.NewVecDense(2*n, nil)
	for i := range n {
		for j := range n {
			z := k.At(i, j)
			big.Set(i, j, real(z))
			big.Set(i, n+j, -imag(z))
			big.Set(n+i, j, imag(z))
			big.Set(n+i, n+j, real(z))
		}
		rhs.SetVec(i, v[i])
	}
	var x mat.VecDense
	if err := x.SolveVec(big, rhs); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			panic(err)
		}
	}
	out := make([]float64, n)
	for i := range n {
		var s complex128
		for j := range n {
			s += k.At(i, j) * g(values[j]) * complex(x.AtVec(j), x.AtVec(n+j))
		}
		out[i] = real(s)
	}
	return out
}

func roeOf(f *Face[float64], p *Params[float64], ev *eigen.Values[float64]) vector[float64] {
	f.waves = *ev
	f.roe(p)
	return f.viscosity
}

func pvmOf(f *Face[float64], r float64, ev *eigen.Values[float64]) vector[float64] {
	f.waves = *ev
	f.pvm(r)
	return f.viscosity
}

func signOf(z complex128) complex128 { return complex(num.Sign(real(z)), 0) }

func (v vector[F]) slice() []float64 {
	return []float64{float64(v.h1), float64(v.q1), float64(v.h2), float64(v.q2)}
}

func near(a, b []float64, tol float64) bool {
	var diff, size float64
	for i := range a {
		diff = math.Max(diff, math.Abs(a[i]-b[i]))
		size = math.Max(size, math.Abs(b[i]))
	}
	return diff <= tol*math.Max(1, size)
}

var testRatios = []float64{1e-6, .3, .5, .9, .98, .9999, 1}

func testParams(r float64) *Params[float64] {
	return &Params[float64]{Gravity: 9.81, DensityRatio: r, CFL: .9, DryDepth: 1e-6, Tolerance: 1e-8}
}

// TestResidualIsTheRoeMatrixTimesTheJump checks A ΔW - S Δdepth against the pressure form, and with it Roe's property.
func TestResidualIsTheRoeMatrixTimesTheJump(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, r := range testRatios {
		p := testParams(r)
		for range 100 {
			f := randomFace(rng, p, 3)
			dw := mat.NewVecDense(4, []float64{f.r.h1 - f.l.h1, f.r.q1 - f.l.q1, f.r.h2 - f.l.h2, f.r.q2 - f.l.q2})
			var want mat.VecDense
			want.MulVec(f.matrix(r), dw)
			dd := f.r.depth - f.l.depth
			want.SetVec(1, want.AtVec(1)-f.c1*dd)
			want.SetVec(3, want.AtVec(3)-f.c2*dd)
			if got := f.residual().slice(); !near(got, want.RawVector().Data, 1e-12) {
				t.Fatalf("r=%g: residual %v, A ΔW - S Δdepth = %v", r, got, want.RawVector().Data)
			}
		}
	}
}

func TestRoeIsTheSignMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	seen := map[string]int{}
	for _, r := range testRatios[1:6] {
		p := testParams(r)
		for range 300 {
			f := randomFace(rng, p, 5)
			var ev eigen.Values[float64]
			ev.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			// Where eigenvalues are close K is nearly singular; where one is near 0 its sign is round-off.
			if gap := 1e-3 * (ev.L4 - ev.L1); !ev.Complex && (ev.L3-ev.L2 < gap || ev.L2-ev.L1 < gap || ev.L4-ev.L3 < gap ||
				math.Abs(ev.L2) < 1e-9 || math.Abs(ev.L3) < 1e-9) {
				continue
			}
			switch {
			case ev.Complex:
				seen["complex"]++
			case ev.L2*ev.L3 < 0:
				seen["opposite"]++
			default:
				seen["one sign"]++
			}
			want := apply(f.matrix(r), signOf, f.residual().slice())
			if got := roeOf(&f, p, &ev).slice(); !near(got, want, 1e-8) {
				t.Fatalf("r=%g %+v: sgn(A)R = %v, K sgn K⁻¹ R = %v", r, ev, got, want)
			}
		}
	}
	for _, k := range []string{"complex", "opposite", "one sign"} {
		if seen[k] == 0 {
			t.Errorf("no face with internal eigenvalues of kind %q", k)
		}
	}
}

// TestHartenFix checks sgn(A)R + Σ(|λ|_ε - |λ|)E_λ jump.
func TestHartenFix(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	active := 0
	for _, r := range testRatios[1:5] {
		p := testParams(r)
		p.EntropyFix = .1
		for range 200 {
			f := randomFace(rng, p, 2)
			var ev eigen.Values[float64]
			ev.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			if ev.Complex || ev.L3-ev.L2 < 2e-3*(ev.L4-ev.L1) {
				continue
			}
			eps := p.EntropyFix * (ev.L4 - ev.L1)
			want := apply(f.matrix(r), signOf, f.residual().slice())
			extra := apply(f.matrix(r), func(z complex128) complex128 {
				a := math.Abs(real(z))
				if a >= eps {
					return 0
				}
				active++
				return complex((a*a+eps*eps)/(2*eps)-a, 0)
			}, f.stateJump().slice())
			for i := range want {
				want[i] += extra[i]
			}
			if got := roeOf(&f, p, &ev).slice(); !near(got, want, 1e-8) {
				t.Fatalf("r=%g %+v: with Harten's fix %v, want %v", r, ev, got, want)
			}
		}
	}
	if active == 0 {
		t.Error("the fix was never active")
	}
}

func TestPVMIsTheParabola(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, r := range testRatios {
		p := testParams(r)
		for range 200 {
			f := randomFace(rng, p, 2)
			var ev eigen.Values[float64]
			ev.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			x := math.Max(math.Abs(ev.L2), math.Abs(ev.L3))
			if ev.L1+ev.L4 < 0 {
				x = -x
			}
			if x-ev.L1 < 1e-3 || ev.L4-x < 1e-3 {
				continue
			}
			// Equation (5), solved as it stands.
			vandermonde := mat.NewDense(3, 3, []float64{1, ev.L1, ev.L1 * ev.L1, 1, ev.L4, ev.L4 * ev.L4, 1, x, x * x})
			var a mat.VecDense
			if err := a.SolveVec(vandermonde, mat.NewVecDense(3,
				[]float64{math.Abs(ev.L1), math.Abs(ev.L4), math.Abs(x)})); err != nil {
				t.Fatal(err)
			}
			res, jump := mat.NewVecDense(4, f.residual().slice()), f.stateJump().slice()
			var ar mat.VecDense
			ar.MulVec(f.matrix(r), res)
			want := make([]float64, 4)
			for i := range want {
				want[i] = a.AtVec(0)*jump[i] + a.AtVec(1)*res.AtVec(i) + a.AtVec(2)*ar.AtVec(i)
			}
			if got := pvmOf(&f, r, &ev).slice(); !near(got, want, 1e-9) {
				t.Fatalf("r=%g: PVM %v, want %v", r, got, want)
			}
			for _, l := range []float64{ev.L1, ev.L2, ev.L3, ev.L4} {
				if q := a.AtVec(0) + l*(a.AtVec(1)+l*a.AtVec(2)); q < math.Abs(l)*(1-1e-9)-1e-9 {
					t.Fatalf("r=%g: the parabola at λ = %g is %g, below |λ|: unstable", r, l, q)
				}
			}
		}
	}
}

// TestContactCompletesThe6x6System checks the classical scheme's tangential flux against the 6×6 matrix.
func TestContactCompletesThe6x6System(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, r := range testRatios[1:5] {
		p := testParams(r)
		for range 200 {
			f := randomFace(rng, p, 2)
			var ev eigen.Values[float64]
			ev.Solve(f.u1, f.u2, f.c1, f.c2, r, p.Tolerance)
			if ev.Complex || ev.L3-ev.L2 < 1e-2 {
				continue
			}
			mean := func(hl, tl, hr, tr float64) float64 {
				return (math.Sqrt(hl)*tl + math.Sqrt(hr)*tr) / (math.Sqrt(hl) + math.Sqrt(hr))
			}
			l, rt := &f.l, &f.r
			v1, v2 := mean(l.h1, l.t1, rt.h1, rt.t1), mean(l.h2, l.t2, rt.h2, rt.t2)
			j1, j2 := rt.q1*rt.t1-l.q1*l.t1, rt.q2*rt.t2-l.q2*l.t2
			res := []float64{f.r1, f.r2, j1, f.r3, f.r4, j2}
			m := apply(f.matrix6(r, v1, v2), signOf, res)
			want := []float64{(j1-m[2])/2 + l.q1*l.t1, (j2-m[5])/2 + l.q2*l.t2}
			v := roeOf(&f, p, &ev)
			got := []float64{
				contact(l.q1, l.t1, rt.q1, rt.t1, f.u1, (l.h1*l.t1+f.g1*rt.t1)*f.w1, v.h1),
				contact(l.q2, l.t2, rt.q2, rt.t2, f.u2, (l.h2*l.t2+f.g2*rt.t2)*f.w2, v.h2),
			}
			if !near(got, want, 1e-7) {
				t.Fatalf("r=%g: tangential fluxes %v, 6×6 system %v", r, got, want)
			}
		}
	}
}
