package kernels

import (
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// fan is vertex 0 and its cavity. Its ring is the vertices 1 to n. In an open cavity vertex 0 is on the boundary,
// on a rail.
type fan struct {
	set   Set
	m     Mesh[float64]
	field Field[float64]
	v     []Vertex[float64]
}

// newFan returns a cavity around a vertex at a position, counter-clockwise.
func newFan(x, y float64, ring [][2]float64, field Field[float64]) *fan {
	f := &fan{set: Set{FirstSliding: 1, Sets: 1, Owned: 1}, field: field}
	f.m.Rings = make([]Ring, 1)
	setRing(&f.m, len(ring))
	for _, p := range append([][2]float64{{x, y}}, ring...) {
		f.v = append(f.v, Vertex[float64]{X: p[0], Y: p[1]})
	}
	f.updateMetrics()
	return f
}

// setRing makes vertices 1 to n the neighbours of vertex 0.
func setRing[F num.Float](m *Mesh[F], n int) {
	r := &m.Rings[0]
	for k := range r.At {
		r.At[k] = -1
	}
	for k := range n {
		switch {
		case k < inline:
			r.At[k] = int32(k + 1)
		default:
			r.At[inline] = 0
			m.More = append(m.More, int32(k+1))
		}
	}
	m.More = append(m.More, -1)
}

func (f *fan) updateMetrics() {
	for i := range f.v {
		at := f.field.At(f.v[i].X, f.v[i].Y)
		f.v[i].M11, f.v[i].M12, f.v[i].M22 = at.M11, at.M12, at.M22
	}
}

// slide puts vertex 0 on a rail of a direction, as a vertex of the boundary.
func (f *fan) slide(angle float64) {
	f.set.FirstSliding = 0
	f.m.Rails = []Rail[float64]{{X: f.v[0].X, Y: f.v[0].Y, Tx: math.Cos(angle), Ty: math.Sin(angle),
		Low: math.Inf(-1), High: math.Inf(1)}}
}

type kernel func(i int, set *Set, p *Params[float64], m *Mesh[float64], field *Field[float64], c *Control[float64],
	v []Vertex[float64], moved, seen []int32, n *Counters) float64

func (f *fan) visit(k kernel, p *Params[float64]) (float64, Counters) {
	var n Counters
	lastMove, lastVisit := make([]int32, len(f.v)), make([]int32, len(f.v))
	moveSquare := k(0, &f.set, p, &f.m, &f.field, &Control[float64]{Floor: 2}, f.v, lastMove, lastVisit, &n)
	return moveSquare, n
}

func (f *fan) worst() float64 {
	return worst(0, f.set.FirstSliding > 0, f.v[0].X, f.v[0].Y, &f.m, &f.field, f.v)
}

func params() *Params[float64] {
	return &Params[float64]{Relax: 1, Excess: .01, Gain: 1e-12, Shortest: 1e-10, Flat: 0x1p-51, Climbs: 60}
}

// constant is a field of one tensor on [-10, 10]².
func constant(m11, m12, m22 float64) Field[float64] {
	t := Sample[float64]{M11: m11, M12: m12, M22: m22}
	return Field[float64]{Nx: 1, Ny: 1, X: -10, Y: -10, PerX: .05, PerY: .05, Scale: 1,
		Samples: []Sample[float64]{t, t, t, t}}
}

// tensor is a random metric whose lengths differ by up to the given ratio.
func tensor(rng *rand.Rand, aspect float64) (m11, m12, m22 float64) {
	a, b := math.Exp(rng.NormFloat64()), math.Exp(rng.Float64()*2*math.Log(aspect))
	b *= a
	s, c := math.Sincos(rng.Float64() * math.Pi)
	return a*c*c + b*s*s, (a - b) * s * c, a*s*s + b*c*c
}

// varying is a random field on a grid over [-10, 10]².
func varying(rng *rand.Rand, aspect float64) Field[float64] {
	f := constant(1, 0, 1)
	f.Nx, f.Ny, f.PerX, f.PerY, f.Scale = 3, 2, .15, .1, .3+rng.Float64()
	f.Samples = nil
	for range 12 {
		m11, m12, m22 := tensor(rng, aspect)
		f.Samples = append(f.Samples, Sample[float64]{M11: m11, M12: m12, M22: m22})
	}
	return f
}

// graded is a random field of Product over [-10, 10]².
func graded(rng *rand.Rand) Field[float64] {
	piece := func() lookup.Piece[float64] {
		return lookup.Piece[float64]{A: 1 + rng.Float64(), B: rng.Float64() / 3, C: rng.Float64() / 3, D: rng.Float64() / 3}
	}
	return Field[float64]{Kind: lookup.Product, Nx: 2, Ny: 1, X: -10, Y: -10, PerX: .1, PerY: .05,
		Scale:  .3 + rng.Float64(),
		SizesX: []lookup.Piece[float64]{piece(), piece()}, SizesY: []lookup.Piece[float64]{piece()}}
}

// randomRing returns n points around the origin, counter-clockwise, visible from it, at distances in [minRadius,
// 1].
func randomRing(rng *rand.Rand, n int, minRadius float64) [][2]float64 {
	var ring [][2]float64
	for k := range n {
		s, c := math.Sincos(2 * math.Pi * (float64(k) + .8*rng.Float64()) / float64(n))
		r := minRadius + (1-minRadius)*rng.Float64()
		ring = append(ring, [2]float64{r * c, r * s})
	}
	return ring
}
