package solid_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, bit by bit: valid and
// inverted cavities, of vertices inside and on the boundary, in fields of all three kinds with aspect ratios up to
// 1e4, on domains of size 1e-6 to 1e6.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { parity[float32](t, l) })
		t.Run("float64", func(t *testing.T) { parity[float64](t, l) })
	})
}

func parity[F num.Float](t *testing.T, l cudatest.Runner) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []float64{1e-6, 1, 1e6} {
		for _, kind := range []int32{lookup.Grid, lookup.Product, lookup.OnMesh} {
			compareKernels[F](t, l, rng, size, kind)
		}
	}
}

// randomField returns a field over [0, size]³ for tetrahedra of a tenth of its size, with aspect ratios up to 1e4.
func randomField[F num.Float](rng *rand.Rand, size float64, kind int32) *Field[F] {
	f := &Field[F]{Kind: kind, Nx: 2, Ny: 1, Nz: 3, PerX: F(2 / size), PerY: F(1 / size), PerZ: F(3 / size),
		Scale: F(.5 + rng.Float64())}
	for range 3 * 2 * 4 {
		a := 100 / (size * size)
		s, c := math.Sincos(math.Pi * rng.Float64())
		b := a * math.Pow(10, 8*rng.Float64())
		f.Samples = append(f.Samples, Sample[F]{M11: F(a*c*c + b*s*s), M13: F((a - b) * s * c),
			M22: F(a * (1 + rng.Float64())), M33: F(a*s*s + b*c*c)})
	}
	piece := func() lookup.Piece[F] {
		h := F(size * math.Pow(10, -1-4*rng.Float64()))
		return lookup.Piece[F]{A: h, B: h / 2, C: h / 3, D: h / 4}
	}
	for range 3 {
		f.SizesX, f.SizesY, f.SizesZ = append(f.SizesX, piece()), append(f.SizesY, piece()), append(f.SizesZ, piece())
	}
	if kind == lookup.OnMesh { // two tetrahedra that share a face: a corner of a cube and one beyond it
		for k, at := range [5][3]float64{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}} {
			m := &f.Samples[k]
			f.Nodes = append(f.Nodes, Node[F]{X: F(size * at[0]), Y: F(size * at[1]), Z: F(size * at[2]), M11: m.M11, M13: m.M13,
				M22: m.M22, M33: m.M33})
		}
		f.Background = []BackgroundCell{{[4]int32{0, 1, 2, 3}, [4]int32{1, -1, -1, -1}}, {[4]int32{4, 1, 3, 2}, [4]int32{0,
			-1, -1, -1}}}
		f.Steps = 8
		for box := range int32(6) {
			f.Starts, f.Lists = append(f.Starts, box%2), append(f.Lists, 2*box)
			f.Listed = append(f.Listed, 0, 1)
		}
		f.Lists = append(f.Lists, 12)
	}
	return f
}

// compareKernels runs every kernel on many disjoint cavities.
func compareKernels[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, size float64, kind int32) {
	const movers, slide = 160, 100
	field := randomField[F](rng, size, kind)
	m := &Mesh[F]{}
	v := make([]Vertex[F], movers)
	newVertex := func(p [3]float64) Vertex[F] {
		q := Vector[F]{X: F(p[0]), Y: F(p[1]), Z: F(p[2])}
		at := field.At(q)
		return Vertex[F]{X: q.X, Y: q.Y, Z: q.Z, M11: at.M11, M12: at.M12, M13: at.M13, M22: at.M22, M23: at.M23, M33: at.M33}
	}
	for i := range movers {
		p := [3]float64{size * rng.Float64(), size * rng.Float64(), size * rng.Float64()}
		if i%50 == 0 {
			p[0] = 0
		}
		v[i] = newVertex(p)
		m.Spans = append(m.Spans, Span{int32(len(m.Neighbours)), int32(len(m.CavityFaces))})
		// An octahedron around the vertex.
		first := int32(len(v))
		for k := range 6 {
			q := p
			distance := size / 50 * (.3 + .7*rng.Float64())
			if i%30 == 7 { // some tetrahedra are inverted, or flat
				distance = size / 50 * float64(rng.IntN(3)-1)
			}
			q[k/2] += distance * float64(1-2*(k%2))
			q[(k/2+1)%3] += distance / 3 * rng.Float64()
			v = append(v, newVertex(q))
			m.Neighbours = append(m.Neighbours, first+int32(k))
		}
		for k := range int32(8) {
			a, b, c := first+k&1, first+2+k>>1&1, first+4+k>>2&1
			if (k&1+k>>1&1+k>>2&1)%2 == 1 {
				b, c = c, b
			}
			m.CavityFaces = append(m.CavityFaces, Face{a, b, c})
		}
		if i >= slide {
			s, c := math.Sincos(2 * math.Pi * rng.Float64())
			f := Frame[F]{X: v[i].X, Y: v[i].Y, Z: v[i].Z, Tx: F(c), Ty: F(s), Axes: int32(1 + i%2), Reach: 1}
			if f.Axes == 2 {
				f.Ux, f.Uy = -F(s), F(c)
			}
			if i%3 == 0 { // curved
				f.Px, f.Py, f.Pz, f.Reach = F(s/2), F(c/3), F(s*c), F(size/100*s*s)
				if f.Axes == 2 {
					f.Qx, f.Qz, f.Rx, f.Ry = F(c), F(s/3), F(c*c), F(s*s)
				}
			}
			m.Frames = append(m.Frames, f)
		}
	}
	m.Spans = append(m.Spans, Span{int32(len(m.Neighbours)), int32(len(m.CavityFaces))})
	set := &Set{FirstSliding: slide, Owned: movers / 2}
	p := &Params[F]{Relax: 1.2, Excess: .01, Flat: 0x1p-49, Climbs: 60, Shortest: 1e-5}
	c := &Control[F]{Floor: .5, Sweep: 3}
	for _, guard := range []int32{NoGuard, Halve, Clip} {
		p.Guard, p.Cull, p.Shape = guard, guard == Clip, F(.1*float64(guard))
		type state struct {
			v           []Vertex[F]
			moved, seen []int32
			n           [1]Counters
			most        atomics.Most[F]
		}
		for name, newLoop := range map[string]func(s *state) loop{
			"Laplace": func(s *state) loop {
				return NewLaplaceLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Pain": func(s *state) loop { return NewPainLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most) },
			"PainExact": func(s *state) loop {
				return NewPainExactLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Untangle": func(s *state) loop {
				return NewUntangleLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.most)
			},
			"Smart": func(s *state) loop { return NewSmartLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most) },
			"Optimise": func(s *state) loop {
				return NewOptimiseLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Hybrid": func(s *state) loop {
				return NewHybridLoop(set, p, m, field, c, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Barrier": func(s *state) loop { // with powers -1, 1 and 2, one for each guard
				return NewBarrierLoop(set, p, m, field, &Control[F]{Floor: .01, Doublings: guard - 1, Rising: guard == Halve}, s.v,
					s.moved, s.seen, &s.n[0], &s.most)
			},
		} {
			newState := func() *state {
				s := &state{v: append([]Vertex[F]{}, v...), moved: make([]int32, len(v)), seen: make([]int32, len(v))}
				for i := range movers {
					s.seen[i] = int32(i % 3)
					if name == "Untangle" { // far from their position in the cavity
						s.v[i].X, s.v[i].Y = s.v[i].X+F(size*rng.NormFloat64()/9), s.v[i].Y+F(size*rng.NormFloat64()/9)
					}
				}
				return s
			}
			inGo := newState()
			translated := &state{v: append([]Vertex[F]{}, inGo.v...), moved: make([]int32, len(v)),
				seen: append([]int32{}, inGo.seen...)}
			before := append([]Vertex[F]{}, inGo.v...)
			newLoop(inGo).Range(0, movers)
			l.Run(t, newLoop(translated), 0, movers)
			kerneltest.Same(t, name, inGo.v, translated.v, nil)
			kerneltest.Same(t, name+": moved", inGo.moved, translated.moved, nil)
			kerneltest.Same(t, name+": seen", inGo.seen, translated.seen, nil)
			kerneltest.Same(t, name+": counters", inGo.n[:], translated.n[:], nil)
			if inGo.most != translated.most {
				t.Errorf("%s: the longest move is %v in Go, %v translated", name, inGo.most.Value(), translated.most.Value())
			}
			moved := 0
			for i := range movers {
				if inGo.v[i] != before[i] {
					moved++
				}
			}
			if moved < movers/100 && size == 1 {
				t.Errorf("%s moves only %d of %d vertices", name, moved, movers)
			}
		}
	}
	compareMeasures(t, l, rng, v)
}

func compareMeasures[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, v []Vertex[F]) {
	const n = 2000
	cells, edges, faces := make([]Cell, n), make([]Edge, n), make([]Face, n)
	id := func() int32 { return rng.Int32N(int32(len(v))) }
	for i := range n {
		cells[i], edges[i], faces[i] = Cell{[4]int32{id(), id(), id(), id()}}, Edge{id(), id()}, Face{id(), id(), id()}
	}
	var shapes [2][]Shape[F]
	var lengths, areas [2][]F
	for k := range 2 {
		shapes[k], lengths[k], areas[k] = make([]Shape[F], n), make([]F, n), make([]F, n)
	}
	NewMeasureCellLoop(cells, v, shapes[0]).Range(0, n)
	l.Run(t, NewMeasureCellLoop(cells, v, shapes[1]), 0, n)
	kerneltest.Same(t, "cells", shapes[0], shapes[1], nil)
	var least [2]atomics.Least[F]
	NewRateCellLoop(cells, v, &least[0]).Range(0, n)
	l.Run(t, NewRateCellLoop(cells, v, &least[1]), 0, n)
	if least[0] != least[1] {
		t.Errorf("the least quality is %v in Go, %v translated", least[0].Value(), least[1].Value())
	}
	NewMeasureEdgeLoop(edges, v, lengths[0]).Range(0, n)
	l.Run(t, NewMeasureEdgeLoop(edges, v, lengths[1]), 0, n)
	kerneltest.Same(t, "edges", lengths[0], lengths[1], nil)
	NewMeasureFaceLoop(faces, v, areas[0]).Range(0, n)
	l.Run(t, NewMeasureFaceLoop(faces, v, areas[1]), 0, n)
	kerneltest.Same(t, "faces", areas[0], areas[1], nil)
	control := [2]Control[F]{{Floor: .5, Sweep: 7}, {Floor: .5, Sweep: 7}}
	NewCountLoop(&control[0]).Range(0, 1)
	l.Run(t, NewCountLoop(&control[1]), 0, 1)
	if want := (Control[F]{Floor: .5, Sweep: 8}); control[0] != want || control[1] != want {
		t.Errorf("after a sweep: Go has %+v, the translation %+v, want %+v", control[0], control[1], want)
	}
}
