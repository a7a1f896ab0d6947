package solid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// untangle visits vertex 0 and reports whether it has moved.
func (b *ball) untangle() bool {
	c := Control[float64]{}
	return Untangle(0, &b.set, params(), &b.m, &b.field, &c, b.v, nil, nil) > 0
}

// put moves vertex 0 to a position along its directions.
func (b *ball) put(p Vector[float64]) {
	v := &b.v[0]
	v.X, v.Y, v.Z = p.X, p.Y, p.Z
	if b.set.FirstSliding == 0 {
		s := step[float64]{frame: b.m.Frames[0]}
		t, u := s.directions()
		v.A, v.B = dot(t, p), dot(u, p)
	}
	b.updateMetrics()
}

// TestUntangle proves that a misplaced vertex, inside, on a plane and on a line, moves to where the least volume
// around it is greatest: neither a nearby position nor any position of a walk with larger and smaller steps is
// better.
func TestUntangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for axes := 1; axes <= 3; axes++ {
		mended := 0
		for n := range 200 {
			b := newBall(rng, axes, .45, constant(tensor(rng, 10)))
			var before, start Vector[float64]
			for _, d := range b.moveDirections() {
				start = shifted(start, d, 8*rng.NormFloat64())
			}
			b.put(start)
			before = b.position()
			if upright(0, before, 0, &b.m, b.v) {
				continue
			}
			if !b.untangle() {
				t.Fatalf("%d axes, case %d: a vertex at %v stays", axes, n, before)
			}
			best := leastVolume(0, b.position(), &b.m, b.v)
			if best > 0 {
				mended++
			}
			at, found := b.position(), best
			for step := 1.; step > 1e-7; step *= .97 {
				q := at
				for _, d := range b.moveDirections() {
					q = shifted(q, d, step*rng.NormFloat64())
				}
				if six := leastVolume(0, q, &b.m, b.v); six > found {
					at, found = q, six
				}
			}
			if found > best+1e-12 {
				t.Fatalf("%d axes, case %d: the least volume is %g, at %v it is %g", axes, n, best/6, at, found/6)
			}
			if b.untangle() && best > 1e-9 {
				t.Fatalf("%d axes, case %d: a vertex moves on where all is upright", axes, n)
			}
			if p := b.position(); axes < 3 && p.Z != 0 || axes < 2 && p.Y != 0 {
				t.Fatalf("%d axes, case %d: the vertex is at %v", axes, n, p)
			}
		}
		if mended < 100 {
			t.Errorf("%d axes: only %d cavities become upright", axes, mended)
		}
	}
}

// TestUntangleScales proves that the result scales with the cavity.
func TestUntangleScales(t *testing.T) {
	for _, scale := range []float64{0x1p-60, 0x1p60} {
		b, c := newBall(rand.New(rand.NewPCG(33, 34)), 3, .3, constant(Tensor[float64]{M11: 1, M22: 1, M33: 1})), ball{}
		b.put(Vector[float64]{X: 5, Y: -3, Z: 9})
		c = *b
		c.v = append([]Vertex[float64]{}, b.v...)
		for k := range c.v {
			c.v[k].X, c.v[k].Y, c.v[k].Z = scale*c.v[k].X, scale*c.v[k].Y, scale*c.v[k].Z
		}
		b.untangle()
		c.untangle()
		p, q := b.position(), c.position()
		if q.X != scale*p.X || q.Y != scale*p.Y || q.Z != scale*p.Z || math.Abs(p.Z) > 1 {
			t.Errorf("to %v, and %g times as large to %v", p, scale, q)
		}
	}
}

// TestUntangleNothing proves that a vertex whose moves change no volume does not move, and neither does one with
// non-finite neighbours.
func TestUntangleNothing(t *testing.T) {
	for _, x := range []float64{0, math.NaN(), math.Inf(1)} {
		b := newBall(rand.New(rand.NewPCG(35, 36)), 3, .3, constant(Tensor[float64]{M11: 1, M22: 1, M33: 1}))
		for k := range b.v {
			b.v[k].X = x
		}
		b.v[0].X = 0
		if x == 0 {
			for k := range b.v {
				b.v[k].Y = 0
			}
		}
		if before := b.v[0]; b.untangle() || b.v[0] != before {
			t.Errorf("among neighbours at x = %g the vertex moves to %v", x, b.v[0])
		}
	}
}

// TestInvert proves that a matrix times its inverse is the identity, and that one with dependent rows has none.
func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for range 1000 {
		n := 2 + rng.IntN(3)
		var a [16]float64
		for k := range a {
			a[k] = rng.NormFloat64() * float64(rng.IntN(3)) // zeros make rows be exchanged
		}
		in := a
		if !invert(&in, n) {
			continue
		}
		size := 0.0
		for _, x := range in {
			size = max(size, math.Abs(x))
		}
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum += a[4*i+k] * in[4*k+j]
				}
				if i == j {
					sum--
				}
				if math.Abs(sum) > 1e-13*(1+size) {
					t.Fatalf("%d rows: the product differs by %g from 1 at %d, %d", n, sum, i, j)
				}
			}
		}
	}
	if a := [16]float64{1, 2, 0, 0, 2, 4}; invert(&a, 2) {
		t.Error("a singular matrix is inverted")
	}
}
