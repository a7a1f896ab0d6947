package solid

import (
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// ball is vertex 0 and its cavity: the faces of a cube around it, or of its half z ≥ 0 or its quarter y, z ≥ 0, each
// split in two.
type ball struct {
	set   Set
	m     Mesh[float64]
	field Field[float64]
	v     []Vertex[float64]
}

// newBall returns a cavity around a vertex near the origin that moves along a number of axes, distorted by up to
// shift.
func newBall(rng *rand.Rand, axes int, shift float64, field Field[float64]) *ball {
	b := &ball{set: Set{FirstSliding: 1, Owned: 1}, field: field}
	b.v = []Vertex[float64]{{}}
	low := [3]float64{-1, -1, -1}
	for k := range 3 - axes {
		low[2-k] = 0
	}
	ids := map[[3]float64]int32{{}: 0}
	id := func(p [3]float64) int32 {
		if _, ok := ids[p]; !ok {
			ids[p] = int32(len(b.v))
			q := p
			for k := range q {
				if q[k] != 0 || low[k] < 0 { // what lies on the boundary stays there
					q[k] += shift * (2*rng.Float64() - 1)
				}
			}
			b.v = append(b.v, Vertex[float64]{X: q[0], Y: q[1], Z: q[2]})
		}
		return ids[p]
	}
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		for _, at := range []float64{-1, 1} {
			if low[k] == 0 && at < 0 {
				continue
			}
			corner := func(s, t float64) int32 {
				var p [3]float64
				p[k], p[i], p[j] = at, s, t
				return id(p)
			}
			a, c, d, e := corner(low[i], low[j]), corner(1, low[j]), corner(1, 1), corner(low[i], 1)
			if at < 0 {
				c, e = e, c
			}
			b.m.CavityFaces = append(b.m.CavityFaces, Face{a, c, d}, Face{a, d, e})
		}
	}
	for n := range int32(len(b.v) - 1) {
		b.m.Neighbours = append(b.m.Neighbours, n+1)
	}
	b.m.Spans = []Span{{}, {int32(len(b.m.Neighbours)), int32(len(b.m.CavityFaces))}}
	if axes < 3 {
		b.set.FirstSliding = 0
		f := Frame[float64]{Axes: int32(axes), Tx: 1, Reach: math.Inf(1)}
		if axes == 2 { // turned in the plane
			s, c := math.Sincos(rng.Float64())
			f.Tx, f.Ty, f.Ux, f.Uy = c, s, -s, c
		}
		b.m.Frames = []Frame[float64]{f}
	}
	b.updateMetrics()
	return b
}

func (b *ball) updateMetrics() {
	for i := range b.v {
		v := &b.v[i]
		m := b.field.At(Vector[float64]{X: v.X, Y: v.Y, Z: v.Z})
		v.M11, v.M12, v.M13, v.M22, v.M23, v.M33 = m.M11, m.M12, m.M13, m.M22, m.M23, m.M33
	}
}

type kernel func(i int, set *Set, p *Params[float64], m *Mesh[float64], field *Field[float64], c *Control[float64],
	v []Vertex[float64], moved, seen []int32, n *Counters) float64

func (b *ball) visit(k kernel, p *Params[float64]) (float64, Counters) {
	var n Counters
	moveSquare := k(0, &b.set, p, &b.m, &b.field, &Control[float64]{Floor: .9}, b.v, nil, nil, &n)
	return moveSquare, n
}

func (b *ball) position() Vector[float64] {
	return Vector[float64]{X: b.v[0].X, Y: b.v[0].Y, Z: b.v[0].Z}
}

// objective returns ½Σ u'Mu over the edges of vertex 0 with that vertex at p, where M is the sum of the metrics at
// both ends.
func (b *ball) objective(p Vector[float64]) float64 {
	own, sum := b.field.At(p), 0.0
	for _, j := range b.m.Neighbours {
		u, m := b.v[j].from(p), b.v[j].metric()
		sum += own.product(u, u)/2 + m.product(u, u)/2
	}
	return sum
}

func params() *Params[float64] {
	return &Params[float64]{Relax: 1, Excess: .01, Gain: 1e-12, Flat: 0x1p-49, Climbs: 60, Shortest: 1e-10}
}

// tensor is a random metric whose lengths differ by up to the given ratio.
func tensor(rng *rand.Rand, aspect float64) Tensor[float64] {
	// M = R diag R' for a rotation R by a random unit quaternion.
	var q [4]float64
	norm := 0.0
	for k := range q {
		q[k] = rng.NormFloat64()
		norm += q[k] * q[k]
	}
	for k := range q {
		q[k] /= math.Sqrt(norm)
	}
	w, x, y, z := q[0], q[1], q[2], q[3]
	r := [3][3]float64{{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)}, {2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)}}
	scale := math.Exp(rng.NormFloat64())
	var m [3][3]float64
	for k := range 3 {
		d := scale * math.Exp(rng.Float64()*2*math.Log(aspect))
		for i := range 3 {
			for j := range 3 {
				m[i][j] += d * r[i][k] * r[j][k]
			}
		}
	}
	return Tensor[float64]{m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]}
}

// constant is a field of one tensor on [-10, 10]³.
func constant(t Tensor[float64]) Field[float64] {
	f := Field[float64]{Nx: 1, Ny: 1, Nz: 1, X: -10, Y: -10, Z: -10, PerX: .05, PerY: .05, PerZ: .05, Scale: 1}
	for range 8 {
		f.Samples = append(f.Samples, Sample[float64](t))
	}
	return f
}

// varying is a random field on a grid over [-10, 10]³, smooth near the origin.
func varying(rng *rand.Rand, aspect float64) Field[float64] {
	f := constant(Tensor[float64]{})
	f.Nx, f.Ny, f.Nz, f.PerX, f.PerY, f.PerZ, f.Scale = 3, 3, 1, .15, .15, .05, .3+rng.Float64()
	f.Samples = nil
	for range 4 * 4 * 2 {
		f.Samples = append(f.Samples, Sample[float64](tensor(rng, aspect)))
	}
	return f
}

// graded is a random field of Product over [-10, 10]³.
func graded(rng *rand.Rand) Field[float64] {
	piece := func() lookup.Piece[float64] {
		return lookup.Piece[float64]{A: 1 + rng.Float64(), B: rng.Float64() / 3, C: rng.Float64() / 3, D: rng.Float64() / 3}
	}
	return Field[float64]{Kind: lookup.Product, Nx: 2, Ny: 1, Nz: 3, X: -10, Y: -10, Z: -10, PerX: .1, PerY: .05,
		PerZ:  .15,
		Scale: .3 + rng.Float64(), SizesX: []lookup.Piece[float64]{piece(), piece()},
		SizesY: []lookup.Piece[float64]{piece()},
		SizesZ: []lookup.Piece[float64]{piece(), piece(), piece()}}
}
