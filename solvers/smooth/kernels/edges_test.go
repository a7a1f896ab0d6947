package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// TestVectorsOfAnyNumbers proves that each kernel marked lanes has the bits of Go for rings of any degree, closed and
// open, in fields of all kinds, if some coordinates and metrics are ±0, denormal, huge, infinite or NaN. make parity
// tests a million.
func TestVectorsOfAnyNumbers(t *testing.T) {
	cudatest.Vectors(t, func(t *testing.T, r cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { anyNumbers[float32](t, r) })
		t.Run("float64", func(t *testing.T) { anyNumbers[float64](t, r) })
	})
}

// anyRings has movers, the last of which slide, and a pool of other vertices, which are their neighbours.
const movers, sliding, pool = 1 << 11, 1 << 8, 1 << 11

func anyNumbers[F num.Float](t *testing.T, r cudatest.Runner) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range kerneltest.Rounds(t, movers) {
		field := randomField[F](rng, 1, []int32{lookup.Grid, lookup.Product, lookup.OnMesh}[round%3])
		m, v := anyRings[F](rng)
		p := &Params[F]{Relax: 1.2, Excess: .01, Tolerance: 1e-6, Shortest: 1e-5, Flat: 0x1p-51, Margin: 1e-12,
			Shape: F(max(0, rng.Float64()-.5)), Guard: int32(rng.IntN(3)), Cull: round%4 == 3}
		c := &Control[F]{Floor: F(.01 + .2*rng.Float64()), Sweep: 3, Doublings: int32(rng.IntN(4)), Rising: rng.IntN(4) == 0}
		sameMoves(t, r, p, c, field, m, v)
		sameRatings(t, r, rng, v)
	}
}

// anyRings returns vertices and their rings: mostly fans of neighbours around a vertex, else of neighbours from
// anywhere in the pool, with numbers of any kind.
func anyRings[F num.Float](rng *rand.Rand) (*Mesh[F], []Vertex[F]) {
	m := &Mesh[F]{Rings: make([]Ring, movers), More: []int32{-1}, Rails: make([]Rail[F], sliding)}
	kerneltest.FillEdgeCases[F](rng, m.Rails)
	v := make([]Vertex[F], movers+pool)
	kerneltest.FillEdgeCases[F](rng, v)
	for i := range v {
		if rng.IntN(8) > 0 {
			a, b, angle := 9+rng.Float64(), 9+90*rng.Float64(), math.Pi*rng.Float64()
			s, c := math.Sincos(angle)
			v[i] = Vertex[F]{X: F(rng.Float64()), Y: F(rng.Float64()), M11: F(a*c*c + b*s*s), M12: F((a - b) * s * c),
				M22: F(a*s*s + b*c*c)}
		}
	}
	for i := range m.Rings {
		n, fan := 2+rng.IntN(8), rng.IntN(8) > 0
		if rng.IntN(64) == 0 {
			n = MaxDegree
		}
		for k := range m.Rings[i].At {
			m.Rings[i].At[k] = -1
		}
		for k := range n {
			j := int32(movers + rng.IntN(pool))
			if fan {
				s, c := math.Sincos(2 * math.Pi * (float64(k) + .9*rng.Float64()) / float64(n))
				far := .2 + .2*rng.Float64()
				w := v[j]
				w.X, w.Y = v[i].X+F(far*c), v[i].Y+F(far*s)
				j, v = int32(len(v)), append(v, w)
			}
			if k < 7 {
				m.Rings[i].At[k] = j
				continue
			}
			if k == 7 {
				m.Rings[i].At[7] = int32(len(m.More))
			}
			m.More = append(m.More, j)
		}
		m.More = append(m.More, -1)
	}
	return m, v
}

// sameMoves compares the kernels that move vertices.
func sameMoves[F num.Float](t *testing.T, r cudatest.Runner, p *Params[F], c *Control[F], field *Field[F],
	m *Mesh[F], v []Vertex[F]) {
	set := &Set{FirstSliding: movers - sliding, Index: 2, Sets: 5, Owned: movers / 2}
	for name, with := range map[string]func(v []Vertex[F], moved, seen []int32, n *Counters, most *atomics.Most[F]) loop{
		"Barrier": func(v []Vertex[F], moved, seen []int32, n *Counters, most *atomics.Most[F]) loop {
			return NewBarrierLoop(set, p, m, field, c, v, moved, seen, n, most)
		},
		"Pain": func(v []Vertex[F], moved, seen []int32, n *Counters, most *atomics.Most[F]) loop {
			return NewPainLoop(set, p, m, field, c, v, moved, seen, n, most)
		},
		"PainExact": func(v []Vertex[F], moved, seen []int32, n *Counters, most *atomics.Most[F]) loop {
			return NewPainExactLoop(set, p, m, field, c, v, moved, seen, n, most)
		},
	} {
		var of [2]struct {
			v           []Vertex[F]
			moved, seen []int32
			n           [1]Counters
			most        [1]atomics.Most[F]
		}
		for k := range of {
			s := &of[k]
			s.v, s.moved, s.seen = append([]Vertex[F]{}, v...), make([]int32, len(v)), make([]int32, len(v))
			for i := range s.moved {
				s.moved[i], s.seen[i] = int32(i*7%9), int32(i*5%9)
			}
			if l := with(s.v, s.moved, s.seen, &s.n[0], &s.most[0]); k == 0 {
				l.Range(0, movers)
			} else {
				r.Run(t, l, 0, movers)
			}
		}
		input := func(i int) any { return []any{v[min(i, len(v)-1)], p.Guard, c.Doublings, field.Kind} }
		kerneltest.Same(t, name, of[0].v, of[1].v, input)
		kerneltest.Same(t, name+": moved", of[0].moved, of[1].moved, input)
		kerneltest.Same(t, name+": seen", of[0].seen, of[1].seen, input)
		kerneltest.Same(t, name+": counters", of[0].n[:], of[1].n[:], nil)
		kerneltest.Same(t, name+": longest move", of[0].most[:], of[1].most[:], nil)
	}
}

// sameRatings compares the kernels that measure triangles and edges.
func sameRatings[F num.Float](t *testing.T, r cudatest.Runner, rng *rand.Rand, v []Vertex[F]) {
	cells := make([]Cell, movers)
	for i := range cells {
		for k := range cells[i].At {
			cells[i].At[k] = int32(rng.IntN(len(v)))
		}
	}
	var least [2][]atomics.Least[F]
	var shapes [2][]Shape[F]
	for k := range 2 {
		least[k], shapes[k] = make([]atomics.Least[F], len(cells)/64), make([]Shape[F], len(cells))
		for from := 0; from < len(cells); from += 64 { // each minimum is that of a few triangles, since a NaN wins
			rate, measure := NewRateCellLoop(cells, v, &least[k][from/64]), NewMeasureCellLoop(cells, v, shapes[k])
			if k == 0 {
				rate.Range(from, from+64)
				measure.Range(from, from+64)
			} else {
				r.Run(t, rate, from, from+64)
				r.Run(t, measure, from, from+64)
			}
		}
	}
	kerneltest.Same(t, "RateCell", least[0], least[1], nil)
	kerneltest.Same(t, "MeasureCell", shapes[0], shapes[1], func(i int) any { return cells[i] })
	edges := make([]Edge, movers)
	for i := range edges {
		edges[i] = Edge{int32(rng.IntN(len(v))), int32(rng.IntN(len(v)))}
	}
	lengths := [2][]EdgeLengths[F]{make([]EdgeLengths[F], movers), make([]EdgeLengths[F], movers)}
	NewMeasureEdgeLoop(edges, v, lengths[0]).Range(0, movers)
	r.Run(t, NewMeasureEdgeLoop(edges, v, lengths[1]), 0, movers)
	kerneltest.Same(t, "MeasureEdge", lengths[0], lengths[1], func(i int) any {
		return []Vertex[F]{v[edges[i].A], v[edges[i].B]}
	})
}
