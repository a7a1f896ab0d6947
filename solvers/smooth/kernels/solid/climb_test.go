package solid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQualityGradient compares the gradient of the quality, including the metric's dependence on the moving corner,
// with central differences: tetrahedra of any size and stretch, in constant and varying metrics.
func TestQualityGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	checked := 0
	for n := range 3000 {
		f := varying(rng, 10)
		switch n % 3 {
		case 1:
			f = graded(rng)
		case 2:
			f = constant(tensor(rng, 10))
		}
		size := math.Pow(10, -1+2*rng.Float64()) / 2
		var v [4]Vertex[float64]
		for k := range v {
			v[k].X, v[k].Y, v[k].Z = -5+size*rng.Float64(), 2+size*rng.Float64(), 1+size*rng.Float64()
			m := f.At(Vector[float64]{X: v[k].X, Y: v[k].Y, Z: v[k].Z})
			v[k].M11, v[k].M12, v[k].M13, v[k].M22, v[k].M23, v[k].M33 = m.M11, m.M12, m.M13, m.M22, m.M23, m.M33
		}
		measure := func(p Vector[float64]) Tetrahedron[float64] {
			at := f.At(p)
			return Measure(p, &at, &v[1], &v[2], &v[3])
		}
		p := Vector[float64]{X: v[0].X, Y: v[0].Y, Z: v[0].Z}
		tet := measure(p)
		if math.Abs(tet.Quality()) < .01 || math.Abs(tet.perimeter/6-1) < .01 {
			continue // differences are inaccurate for almost flat tetrahedra, and near the jump of the third derivative
		}
		checked++
		own := f.At(p)
		if q := quality(p, &own, &v[1], &v[2], &v[3]); math.Abs(q-tet.Quality()) > 1e-12*math.Abs(q) {
			t.Fatalf("case %d: a quality of %g, and by fewer operations %g", n, tet.Quality(), q)
		}
		mx, my, mz := f.Gradient(p)
		g := tet.Gradient(&mx, &my, &mz)
		h := 2e-5 * size
		for k, got := range [3]float64{g.X, g.Y, g.Z} {
			d := [3]Vector[float64]{{X: 1}, {Y: 1}, {Z: 1}}[k]
			more, less := measure(shifted(p, d, h)), measure(shifted(p, d, -h))
			want := (more.Quality() - less.Quality()) / (2 * h)
			scale := math.Sqrt(dot(g, g)) + math.Abs(tet.Quality())/size
			if math.Abs(got-want) > 2e-6*scale {
				t.Fatalf("case %d, axis %d: %g, by differences %g", n, k, got, want)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d tetrahedra were compared", checked)
	}
}

// TestClimb proves that the optimiser never decreases the worst quality around a vertex, inverts no tetrahedron, and
// ends where no nearby position along the directions of the vertex is better.
func TestClimb(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const step = 1e-3
	better, positions := 0, 0
	for axes := 1; axes <= 3; axes++ {
		for n := range 150 {
			field := varying(rng, 10)
			if n%3 == 0 {
				field = constant(tensor(rng, 300))
			}
			b := newBall(rng, axes, .3, field)
			before := worst(0, b.position(), lowest, &b.m, &b.field, b.v)
			sound := upright(0, b.position(), 0, &b.m, b.v)
			b.visit(Optimise[float64], params())
			after := worst(0, b.position(), lowest, &b.m, &b.field, b.v)
			if sound && (after < before || !upright(0, b.position(), 0, &b.m, b.v)) {
				t.Fatalf("%d axes: the worst quality went from %g to %g", axes, before, after)
			}
			if !sound {
				continue
			}
			own := b.v[0].metric()
			for range 30 {
				q := b.position()
				for _, d := range b.moveDirections() {
					q = shifted(q, d, step*rng.NormFloat64()/own.length(d))
				}
				positions++
				if upright(0, q, 0, &b.m, b.v) && worst(0, q, lowest, &b.m, &b.field, b.v) > after*(1+2e-3) {
					better++
				}
			}
		}
	}
	if positions < 5000 || better > positions/100 {
		t.Errorf("%d of %d positions near the results are better", better, positions)
	}
}

// TestAscentDirection proves that the direction of steepest ascent is the point of minimum norm in the hull of
// gradients, found among all points, segments and triangles; none exists if the hull contains 0.
func TestAscentDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	outside, inside := 0, 0
	for range 3000 {
		act := activeSet[float64]{n: 1 + rng.IntN(24), least: 1}
		shift := 3 * rng.Float64()
		for k := range act.n {
			act.q[k] = 1
			act.g[k] = Vector[float64]{X: rng.NormFloat64() + shift, Y: rng.NormFloat64(), Z: rng.NormFloat64()}
			if k > 0 && rng.IntN(5) == 0 {
				act.g[k] = act.g[k-1]
			}
		}
		want := math.Inf(1)
		try := func(x Vector[float64]) {
			for k := range act.n {
				if dot(act.g[k], x) < dot(x, x)-1e-10 {
					return
				}
			}
			want = min(want, math.Sqrt(dot(x, x)))
		}
		for i := range act.n {
			try(act.g[i])
			for j := range i {
				if x, ok := onSegment(act.g[i], act.g[j]); ok {
					try(x)
				}
				for k := range j {
					if x, ok := onTriangle(act.g[i], act.g[j], act.g[k]); ok {
						try(x)
					}
				}
			}
		}
		d, rate := act.ascentDirection()
		if math.IsInf(want, 1) || want < 1e-6 {
			inside++
			if rate > 1e-6 {
				t.Fatalf("a rate of %g where the gradients surround 0", rate)
			}
			continue
		}
		outside++
		if math.Abs(rate-want) > 1e-3*want || math.Abs(dot(d, d)-1) > 1e-12 {
			t.Fatalf("a rate of %g along %v, the least norm is %g", rate, d, want)
		}
	}
	if outside < 500 || inside < 100 {
		t.Errorf("%d hulls with 0 outside, %d with 0 inside", outside, inside)
	}
}

// TestManyWorst proves that if more tetrahedra are the worst than the optimiser considers, none gets worse.
func TestManyWorst(t *testing.T) {
	moves := 0
	for n := range 200 {
		b := newBall(rand.New(rand.NewPCG(27, uint64(n))), 3, .3, constant(Tensor[float64]{M11: 1, M22: 1, M33: 1}))
		for len(b.m.CavityFaces) <= 20*MaxWorst {
			b.m.CavityFaces = append(b.m.CavityFaces, b.m.CavityFaces...)
		}
		b.m.Spans[1].FirstFace = int32(len(b.m.CavityFaces))
		before := worst(0, b.position(), lowest, &b.m, &b.field, b.v)
		if far, _ := b.visit(Optimise[float64], params()); far > 0 {
			moves++
		}
		if after := worst(0, b.position(), lowest, &b.m, &b.field, b.v); after < before {
			t.Fatalf("the worst quality went from %g to %g", before, after)
		}
	}
	if moves < 150 {
		t.Errorf("%d vertices of 200 move", moves)
	}
}

// TestCull proves that a vertex is not visited unless it or a neighbour has moved since its last visit.
func TestCull(t *testing.T) {
	p := params()
	p.Cull, p.Tolerance = true, 1e-6
	b := newBall(rand.New(rand.NewPCG(29, 30)), 3, .3, constant(Tensor[float64]{M11: 1, M22: 1, M33: 1}))
	lastMove, lastVisit := make([]int32, len(b.v)), make([]int32, len(b.v))
	var n Counters
	c := Control[float64]{}
	b.set.Sets = 1
	visit := func() float64 {
		far := PainExact(0, &b.set, p, &b.m, &b.field, &c, b.v, lastMove, lastVisit, &n)
		c.Sweep++
		return far
	}
	if visit() == 0 || lastMove[0] != 1 || lastVisit[0] != 1 {
		t.Fatalf("after the first sweep lastMove is %d, lastVisit %d", lastMove[0], lastVisit[0])
	}
	visit() // it has moved itself
	if visit(); lastVisit[0] != 2 {
		t.Errorf("visited in sweep %d, with nothing moved", lastVisit[0])
	}
	b.v[3].X += .3
	lastMove[3] = c.Sweep
	if visit() == 0 || lastVisit[0] != c.Sweep {
		t.Error("not visited after a neighbour moved")
	}
}
