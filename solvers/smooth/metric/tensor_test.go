package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// someTensor is a random positive definite tensor, with sizes over eight decades and a random frame.
func someTensor(rng *rand.Rand, dim int) Tensor {
	var s Spectrum
	s.Vectors = frame(rng, dim)
	for k := range dim {
		s.Values[k] = math.Pow(10, 8*rng.Float64()-4)
	}
	return s.Tensor(dim)
}

// frame returns a random orthonormal frame.
func frame(rng *rand.Rand, dim int) (out [3][3]float64) {
	for k := range dim {
		for {
			u := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			if dim == 2 {
				u[2] = 0
			}
			for _, v := range out[:k] {
				dot := u[0]*v[0] + u[1]*v[1] + u[2]*v[2]
				for i := range u {
					u[i] -= dot * v[i]
				}
			}
			if n := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2]); n > .1 {
				out[k] = [3]float64{u[0] / n, u[1] / n, u[2] / n}
				break
			}
		}
	}
	return out
}

func (t *Tensor) dense(dim int) *mat.SymDense {
	d := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i + 1 {
			d.SetSym(i, j, t.Get(i, j))
		}
	}
	return d
}

// generator draws the seed of a random generator and the dimension.
func generator(t *rapid.T) (*rand.Rand, int) {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.IntRange(2, 3).Draw(t, "dim")
}

// TestEigen compares eigenvalues, definiteness and √det with gonum, also for indefinite tensors.
func TestEigen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng, dim := generator(t)
		m := someTensor(rng, dim)
		if rng.IntN(2) == 0 {
			other := someTensor(rng, dim)
			for k := range m {
				m[k] -= other[k]
			}
		}
		if rng.IntN(5) == 0 {
			m[1], m[3], m[4] = 0, 0, 0
		}
		s := m.Eigen(dim)
		var want mat.EigenSym
		if !want.Factorize(m.dense(dim), false) {
			t.Skip("gonum finds none")
		}
		norm := 0.0
		for _, x := range want.Values(nil) {
			norm = max(norm, math.Abs(x))
		}
		for k, x := range want.Values(nil) {
			if !(math.Abs(s.Values[k]-x) <= 1e-13*norm) {
				t.Fatalf("%v: eigenvalues %v, want %v", m, s.Values, want.Values(nil))
			}
		}
		back := s.Tensor(dim)
		for k := range Components(dim) {
			if !(math.Abs(back[k]-m[k]) <= 1e-13*norm) {
				t.Fatalf("%v comes back as %v", m, back)
			}
		}
		definite := s.Values[0] > 0
		if math.Abs(s.Values[0]) > 1e-12*norm && (m.Check(dim) == nil) != definite {
			t.Fatalf("%v with eigenvalues %v: %v", m, s.Values, m.Check(dim))
		}
		if d, w := m.Density(dim), math.Sqrt(mat.Det(m.dense(dim))); definite && s.Values[0] > 1e-6*norm &&
			!(math.Abs(d-w) <= 1e-6*w) {
			t.Fatalf("%v: √det is %v, want %v", m, d, w)
		}
	})
}

// TestIntersection proves that in any direction the size is at most that of both metrics, that it is the smaller one
// in a common frame, and that the intersection is commutative.
func TestIntersection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng, dim := generator(t)
		a, b := someTensor(rng, dim), someTensor(rng, dim)
		ab, ba := Intersection(dim, a, b), Intersection(dim, b, a)
		for range 50 {
			u := frame(rng, dim)[0]
			la, lb, both, other := a.Length(dim, u), b.Length(dim, u), ab.Length(dim, u), ba.Length(dim, u)
			if !(both >= max(la, lb)*(1-1e-6)) || !(math.Abs(both-other) <= 1e-6*both) {
				t.Fatalf("along %v: %g and %g give %g and %g", u, la, lb, both, other)
			}
		}
		same := Spectrum{Vectors: frame(rng, dim)}
		p, q, want := same, same, same
		for k := range dim {
			p.Values[k], q.Values[k] = math.Pow(10, 4*rng.Float64()), math.Pow(10, 4*rng.Float64())
			want.Values[k] = max(p.Values[k], q.Values[k])
		}
		got, least := Intersection(dim, p.Tensor(dim), q.Tensor(dim)), want.Tensor(dim)
		for k := range Components(dim) {
			if !(math.Abs(got[k]-least[k]) <= 1e-9*1e4) {
				t.Fatalf("in one frame: %v, want %v", got, least)
			}
		}
	})
}

// TestStretch proves that no direction is stretched by more, and that in a common frame the worst axis is stretched
// by exactly that.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng, dim := generator(t)
		limits := Bounds{Min: .1, Max: 10}
		a, b := someTensor(rng, dim).Within(dim, limits), someTensor(rng, dim).Within(dim, limits)
		got, other := Stretch(dim, a, b), Stretch(dim, b, a)
		if !(math.Abs(got-other) <= 1e-6*(1+got)) {
			t.Fatalf("%v and %v differ by %g, in reverse order by %g", a, b, got, other)
		}
		for range 100 {
			u := frame(rng, dim)[0]
			la, lb := a.Length(dim, u), b.Length(dim, u)
			if most := max(la/lb, lb/la) - 1; !(most <= got*(1+1e-6)+1e-9) {
				t.Fatalf("%v and %v differ by %g, and along %v by %g", a, b, got, u, most)
			}
		}
		p := Spectrum{Vectors: frame(rng, dim)}
		q, want := p, 0.0
		for k := range dim {
			p.Values[k], q.Values[k] = math.Pow(10, 4*rng.Float64()), math.Pow(10, 4*rng.Float64())
			want = max(want, math.Sqrt(p.Values[k]/q.Values[k])-1, math.Sqrt(q.Values[k]/p.Values[k])-1)
		}
		if got := Stretch(dim, p.Tensor(dim), q.Tensor(dim)); !(math.Abs(got-want) <= 1e-6*(1+want)) {
			t.Fatalf("in one frame, %v and %v: %g, want %g", p.Values, q.Values, got, want)
		}
	})
}

// TestWithin proves that sizes and aspect ratio end within bounds, and that a metric within bounds keeps its bits.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng, dim := generator(t)
		b := Bounds{Min: .1, Max: 10, Aspect: 20}
		m := someTensor(rng, dim).Within(dim, b)
		s := m.Eigen(dim)
		least, most := 1/math.Sqrt(s.Values[dim-1]), 1/math.Sqrt(s.Values[0])
		if !(least >= .1*(1-1e-9) && most <= 10*(1+1e-9) && most/least <= 20*(1+1e-9)) {
			t.Fatalf("sizes from %g to %g", least, most)
		}
		if again := OfSize(dim, 2).Within(dim, b); again != OfSize(dim, 2) {
			t.Fatalf("%v has changed", again)
		}
	})
	for want, b := range map[string]Bounds{
		"sizes from 2 to 1": {Min: 2, Max: 1}, "sizes from -1": {Min: -1}, "sizes from NaN": {Min: math.NaN()},
		"aspect ratio of at most 0.5": {Aspect: .5}, "aspect ratio of at most NaN": {Aspect: math.NaN()},
	} {
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}

func TestCheckTensor(t *testing.T) {
	for _, c := range []struct {
		dim  int
		t    Tensor
		want string
	}{
		{2, Tensor{1, 2, 1}, "not positive definite"}, {2, Tensor{-1, 0, -1}, "not positive definite"},
		{2, Tensor{1, 1, 1}, "not positive definite"}, {2, Tensor{1, math.NaN(), 1}, "not finite"},
		{2, Tensor{math.Inf(1), 0, 1}, "not finite"}, {3, Tensor{1, 0, 1, 0, 0, -1}, "not positive definite"},
		{3, Tensor{1, 0, 1, 1, 1, 1}, "not positive definite"}, {3, Tensor{1, 0, 1, 0, 0, math.NaN()}, "not finite"},
	} {
		if err := c.t.Check(c.dim); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.t, err, c.want)
		}
	}
	if OfSize(3, 1e-6).Check(3) != nil || OfSize(2, 1e6).Check(2) != nil {
		t.Error("sizes are refused")
	}
}
