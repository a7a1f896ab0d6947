package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, bit by bit: cavities of any
// degree inside the mesh and on its boundary, valid and inverted, in fields of all kinds with aspect ratios up to
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

// compareKernels runs every kernel on many disjoint cavities, each a set with its own range.
func compareKernels[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, size float64, kind int32) {
	const movers, slide = 300, 200
	field := randomField[F](rng, size, kind)
	mesh := &Mesh[F]{Rings: make([]Ring, movers)}
	v := make([]Vertex[F], movers)
	newVertex := func(x, y float64) Vertex[F] {
		at := field.At(F(x), F(y))
		return Vertex[F]{X: F(x), Y: F(y), M11: at.M11, M12: at.M12, M22: at.M22}
	}
	for i := range movers {
		cx, cy := size*rng.Float64(), size*rng.Float64()
		if i%50 == 0 {
			cx = 0
		}
		n := 3 + rng.IntN(8)
		if i%40 == 0 {
			n = MaxDegree
		}
		v[i] = newVertex(cx, cy)
		r := &mesh.Rings[i]
		for k := range r.At {
			r.At[k] = -1
		}
		angle := 2 * math.Pi
		if i >= slide {
			angle = math.Pi
		}
		for k := range n {
			s, c := math.Sincos(angle * (float64(k) + .9*rng.Float64()) / float64(n))
			distance := size / 50 * (.3 + .7*rng.Float64())
			if i%30 == 7 { // some triangles are inverted, or flat
				distance = size / 50 * float64(rng.IntN(3)-1)
			}
			v = append(v, newVertex(cx+distance*c, cy+distance*s))
			if k < 7 {
				r.At[k] = int32(len(v) - 1)
				continue
			}
			if k == 7 {
				r.At[7] = int32(len(mesh.More))
			}
			mesh.More = append(mesh.More, int32(len(v)-1))
		}
		mesh.More = append(mesh.More, -1)
		if i >= slide {
			s, c := math.Sincos(2 * math.Pi * rng.Float64())
			rail := Rail[F]{X: v[i].X, Y: v[i].Y, Tx: F(c), Ty: F(s), Low: -1, High: 1}
			if i%2 == 0 { // curved
				rail.Bx, rail.By, rail.Low, rail.High = F(3*s), F(2*c), -F(size/200*s*s), F(size/200*c*c)
			}
			mesh.Rails = append(mesh.Rails, rail)
		}
	}
	set := &Set{FirstSliding: slide, Index: 2, Sets: 5, Owned: movers / 2}
	control := &Control[F]{Floor: .4, Sweep: 3}
	p := &Params[F]{Relax: 1.2, Excess: .01, Tolerance: 1e-6, Gain: 1e-6, Shortest: 1e-5, Flat: 0x1p-51, Climbs: 20}
	for _, guard := range []int32{NoGuard, Halve, Clip} {
		p.Guard, p.Cull = guard, guard == Halve
		type state struct {
			v           []Vertex[F]
			moved, seen []int32
			n           [1]Counters
			most        atomics.Most[F]
		}
		newState := func() *state {
			s := &state{v: append([]Vertex[F]{}, v...), moved: make([]int32, len(v)), seen: make([]int32, len(v))}
			rng := rand.New(rand.NewPCG(7, uint64(guard)))
			for i := range s.moved {
				s.moved[i], s.seen[i] = int32(rng.IntN(9)), int32(rng.IntN(9))
			}
			return s
		}
		for name, newLoop := range map[string]func(s *state) loop{
			"Laplace": func(s *state) loop {
				return NewLaplaceLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Pain": func(s *state) loop {
				return NewPainLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"PainExact": func(s *state) loop {
				return NewPainExactLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Smart": func(s *state) loop {
				return NewSmartLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Optimise": func(s *state) loop {
				return NewOptimiseLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Hybrid": func(s *state) loop {
				return NewHybridLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.n[0], &s.most)
			},
			"Barrier": func(s *state) loop { // with powers 1, 2 and 4, one for each guard
				return NewBarrierLoop(set, p, mesh, field, &Control[F]{Floor: .01, Doublings: guard, Rising: guard == Halve}, s.v,
					s.moved, s.seen, &s.n[0], &s.most)
			},
			"Untangle": func(s *state) loop {
				return NewUntangleLoop(set, p, mesh, field, control, s.v, s.moved, s.seen, &s.most)
			},
		} {
			inGo, translated, end := newState(), newState(), movers
			if name == "Untangle" { // vertices of the boundary stay
				end = slide
			}
			newLoop(inGo).Range(0, end)
			l.Run(t, newLoop(translated), 0, end)
			kerneltest.Same(t, name, inGo.v, translated.v, nil)
			kerneltest.Same(t, name+": moved", inGo.moved, translated.moved, nil)
			kerneltest.Same(t, name+": seen", inGo.seen, translated.seen, nil)
			kerneltest.Same(t, name+": counters", inGo.n[:], translated.n[:], nil)
			if inGo.most != translated.most {
				t.Errorf("%s: the longest move is %v in Go, %v translated", name, inGo.most.Value(), translated.most.Value())
			}
			moved := 0
			for i := range movers {
				if inGo.v[i] != v[i] {
					moved++
				}
			}
			if moved < movers/50 && size == 1 {
				t.Errorf("%s moves only %d of %d vertices", name, moved, movers)
			}
		}
	}
	compareMeasures(t, l, rng, v)
}

func compareMeasures[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, v []Vertex[F]) {
	var cells []Cell
	var edges []Edge
	for range 3000 {
		cells = append(cells, Cell{[3]int32{rng.Int32N(int32(len(v))), rng.Int32N(int32(len(v))),
			rng.Int32N(int32(len(v)))}})
		edges = append(edges, Edge{rng.Int32N(int32(len(v))), rng.Int32N(int32(len(v)))})
	}
	shapes, sides := [2][]Shape[F]{}, [2][]EdgeLengths[F]{}
	for k := range 2 {
		shapes[k], sides[k] = make([]Shape[F], len(cells)), make([]EdgeLengths[F], len(edges))
	}
	NewMeasureCellLoop(cells, v, shapes[0]).Range(0, len(cells))
	l.Run(t, NewMeasureCellLoop(cells, v, shapes[1]), 0, len(cells))
	kerneltest.Same(t, "cells", shapes[0], shapes[1], nil)
	var least [2]atomics.Least[F]
	NewRateCellLoop(cells, v, &least[0]).Range(0, len(cells))
	l.Run(t, NewRateCellLoop(cells, v, &least[1]), 0, len(cells))
	if least[0] != least[1] {
		t.Errorf("the least quality is %v in Go, %v translated", least[0].Value(), least[1].Value())
	}
	NewMeasureEdgeLoop(edges, v, sides[0]).Range(0, len(edges))
	l.Run(t, NewMeasureEdgeLoop(edges, v, sides[1]), 0, len(edges))
	kerneltest.Same(t, "edges", sides[0], sides[1], nil)
	control := [2]Control[F]{{Floor: .5, Sweep: 7}, {Floor: .5, Sweep: 7}}
	NewCountLoop(&control[0]).Range(0, 1)
	l.Run(t, NewCountLoop(&control[1]), 0, 1)
	if want := (Control[F]{Floor: .5, Sweep: 8}); control[0] != want || control[1] != want {
		t.Errorf("after a sweep: Go has %+v, the translation %+v, want %+v", control[0], control[1], want)
	}
	for _, worst := range []F{.75, .25, F(math.NaN())} { // raised, kept, and no number
		var took [2]atomics.Least[F]
		var longest [2]atomics.Most[F]
		for k := range 2 {
			took[k].Take(worst)
			longest[k].Take(1)
		}
		NewRaiseFloorLoop(&control[0], &took[0], &longest[0]).Range(0, 1)
		l.Run(t, NewRaiseFloorLoop(&control[1], &took[1], &longest[1]), 0, 1)
		want := [1]F{max(.75, worst)}
		kerneltest.Same(t, "RaiseFloor", []F{control[0].Floor}, want[:], nil)
		kerneltest.Same(t, "RaiseFloor", []F{control[1].Floor}, want[:], nil)
		if took != [2]atomics.Least[F]{} || longest != [2]atomics.Most[F]{} {
			t.Errorf("after a worst quality of %v: %v and %v are not empty", worst, took, longest)
		}
	}
}

// randomField returns a field over [0, size]² for triangles of a tenth of its size, with aspect ratios up to 1e4.
func randomField[F num.Float](rng *rand.Rand, size float64, kind int32) *Field[F] {
	f := &Field[F]{Kind: kind, Nx: 4, Ny: 2, PerX: F(4 / size), PerY: F(2 / size), Scale: F(.5 + rng.Float64())}
	for range 15 {
		a := 100 / (size * size)
		b := a * math.Pow(10, 8*rng.Float64())
		s, c := math.Sincos(math.Pi * rng.Float64())
		f.Samples = append(f.Samples, Sample[F]{M11: F(a*c*c + b*s*s), M12: F((a - b) * s * c), M22: F(a*s*s + b*c*c)})
	}
	piece := func() lookup.Piece[F] {
		h := F(size * math.Pow(10, -1-4*rng.Float64()))
		return lookup.Piece[F]{A: h, B: h / 2, C: h / 3, D: h / 4}
	}
	for range 4 {
		f.SizesX, f.SizesY = append(f.SizesX, piece()), append(f.SizesY, piece())
	}
	if kind == lookup.OnMesh {
		addBackground(f, size)
	}
	return f
}

// addBackground gives the field a background mesh over [0, size]², with a hole: 4 × 2 boxes of two triangles, of
// which one is missing. Positions are found by walks from triangle to triangle or, behind the hole, by a search of
// all triangles. The walk of the first box starts far away.
func addBackground[F num.Float](f *Field[F], size float64) {
	triangle := func(i, j, upper int) int32 {
		if i < 0 || j < 0 || i > 3 || j > 1 || i == 2 && j == 0 && upper == 0 {
			return -1
		}
		t := int32(4*j+i)*2 + int32(upper)
		if t > 4 {
			t--
		}
		return t
	}
	for j := range 3 {
		for i := range 5 {
			m := f.Samples[5*j+i]
			f.Nodes = append(f.Nodes, Node[F]{X: F(size * float64(i) / 4), Y: F(size * float64(j) / 2), M11: m.M11, M12: m.M12,
				M22: m.M22})
		}
	}
	node := func(i, j int) int32 { return int32(5*j + i) }
	for j := range 2 {
		for i := range 4 {
			if triangle(i, j, 0) >= 0 {
				f.Background = append(f.Background, BackgroundCell{[3]int32{node(i, j), node(i+1, j), node(i+1, j+1)},
					[3]int32{triangle(i, j-1, 1), triangle(i+1, j, 1), triangle(i, j, 1)}})
			}
			f.Background = append(f.Background, BackgroundCell{[3]int32{node(i, j), node(i+1, j+1), node(i, j+1)},
				[3]int32{triangle(i, j, 0), triangle(i, j+1, 0), triangle(i-1, j, 0)}})
		}
	}
	f.Steps = 20
	for box := range 8 {
		f.Lists = append(f.Lists, int32(len(f.Listed)))
		f.Starts = append(f.Starts, int32(box+2))
		for t := range f.Background {
			f.Listed = append(f.Listed, int32(t))
		}
	}
	f.Lists = append(f.Lists, int32(len(f.Listed)))
	f.Starts[0] = int32(len(f.Background) - 1)
}
