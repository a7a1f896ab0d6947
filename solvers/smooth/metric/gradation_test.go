package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/medit"
)

// excess is the largest relative amount by which a's size is smaller than b's in any direction.
func excess(dim int, a, b Tensor) float64 {
	inverse := b.withEigenvalues(dim, func(x float64) float64 { return 1 / math.Sqrt(x) })
	inner := a.congruent(dim, inverse)
	return inner.Eigen(dim).Values[dim-1] - 1
}

// TestGraded proves that no size grows, that every edge satisfies the bound in both directions, that grading twice
// changes nothing, and that a metric within the bound keeps its bits.
func TestGraded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng, dim := generator(t)
		m := box(dim, 3, 1, .4)
		before := make(Field, m.Vertices())
		for v := range before {
			s := Spectrum{Vectors: frame(rng, dim)}
			for k := range dim {
				s.Values[k] = math.Pow(10, 5*rng.Float64()-1)
			}
			before[v] = s.Tensor(dim)
		}
		growth := 1 + 2*rng.Float64()
		f := slices.Clone(before)
		count, err := f.Graded(m, growth)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for v := range f {
			if f[v] != before[v] {
				changed++
			}
			if by := excess(dim, before[v], f[v]); by > 1e-7 {
				t.Fatalf("vertex %d: a size has become larger by %g", v, by)
			}
		}
		if changed != count {
			t.Fatalf("%d vertices have changed, and %d are reported", changed, count)
		}
		for _, e := range m.edges() {
			for _, way := range [][2]int32{e, {e[1], e[0]}} {
				grown := Grown(dim, f[way[0]], m.edgeVector(way[0], way[1]), math.Log(growth))
				if by := excess(dim, grown, f[way[1]]); by > 1e-7 {
					t.Fatalf("edge %v exceeds the bound by %g", way, by)
				}
			}
		}
		again := slices.Clone(f)
		if n, err := again.Graded(m, growth); err != nil || n != 0 || !slices.Equal(again, f) {
			t.Fatalf("once more changes %d vertices: %v", n, err)
		}
	})
}

// TestGradedSpike proves that around one small size, sizes grow with the distance as the bound allows.
func TestGradedSpike(t *testing.T) {
	m := box(2, 10, 1, 0)
	f := make(Field, m.Vertices())
	for v := range f {
		f[v] = OfSize(2, 10)
	}
	f[0] = OfSize(2, .01)
	if _, err := f.Graded(m, 1.5); err != nil {
		t.Fatal(err)
	}
	h := .01
	for i := range 11 { // along the bottom: h grows by log 1.5 times the distance
		if got := 1 / math.Sqrt(f[i][0]); math.Abs(got-h) > 1e-6*h {
			t.Errorf("size %d is %g, want %g", i, got, h)
		}
		h += .1 * math.Log(1.5)
	}
}

func TestGradedRefuses(t *testing.T) {
	m := box(2, 2, 1, 0)
	f := make(Field, m.Vertices())
	for v := range f {
		f[v] = OfSize(2, 1)
	}
	for _, g := range []float64{1, .5, math.NaN(), math.Inf(1)} {
		if _, err := f.Graded(m, g); err == nil || !strings.Contains(err.Error(), "a gradation of") {
			t.Errorf("%g: %v", g, err)
		}
	}
	f[3] = Tensor{}
	if _, err := f.Graded(m, 2); err == nil || !strings.Contains(err.Error(), "vertex 3 at") {
		t.Error(err)
	}
}

// TestFromSolution converts tensors and sizes of a Medit file, and covers what is refused.
func TestFromSolution(t *testing.T) {
	m := box(3, 1, 1, 0)
	f := make(Field, m.Vertices())
	for v := range f {
		f[v] = someTensor(rand.New(rand.NewPCG(1, uint64(v))), 3)
	}
	back, err := FromSolution(m, f.Solution(3))
	if err != nil || !slices.Equal(back, f) {
		t.Errorf("%v, %v", back, err)
	}
	scalar := func(h ...float64) *medit.Solution {
		return &medit.Solution{Dim: 3, Vertices: len(h), Fields: []medit.SolutionField{{Kind: medit.Scalar, Values: h}}}
	}
	sizes, err := FromSolution(m, scalar(1, 2, 1, 1, 1, 1, 1, .5))
	if err != nil || sizes[1] != (Tensor{.25, 0, .25, 0, 0, .25}) || sizes[7] != (Tensor{4, 0, 4, 0, 0, 4}) {
		t.Errorf("%v, %v", sizes, err)
	}
	inSpace := &medit.Solution{Dim: 3, Vertices: 4, Fields: []medit.SolutionField{{Values: []float64{2, 2, 2, 2}}}}
	inSpace.Fields[0].Kind = medit.Scalar // as of a plane mesh with third coordinates
	if plane, err := FromSolution(box(2, 1, 1, 0), inSpace); err != nil || plane[3] != (Tensor{.25, 0, .25}) {
		t.Errorf("%v, %v", plane, err)
	}
	indefinite := f.Solution(3)
	indefinite.Fields[0].Values[6*5] *= -1
	two := scalar(1, 1, 1, 1, 1, 1, 1, 1)
	two.Fields = append(two.Fields, two.Fields[0])
	vector := scalar(make([]float64, 24)...)
	vector.Fields[0].Kind, vector.Vertices = medit.Vector, 8
	for want, s := range map[string]*medit.Solution{
		"vertex 5 at": indefinite, "vertex 2 (": scalar(1, 1, 0, 1, 1, 1, 1, 1), "values for 3 vertices": scalar(1, 1, 1),
		"has 2 fields": two, "1 fields, the first of kind 2": vector, "is of dimension 2": {Dim: 2, Vertices: 8},
	} {
		if _, err := FromSolution(m, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestField proves that bounds and intersections of fields are those of their tensors.
func TestField(t *testing.T) {
	m := box(2, 2, 1, 0)
	f, err := Sample(m, func(x, y, _ float64) Tensor { return OfSize(2, .01+x) })
	if err != nil {
		t.Fatal(err)
	}
	g, err := Sample(m, func(_, y, _ float64) Tensor { return OfSize(2, .01+y) })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Intersect(2, g); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Within(2, Bounds{Min: .1}); err != nil || n != 5 {
		t.Fatal(err)
	}
	for v := range f {
		want := max(.1, .01+min(m.X[0][v], m.X[1][v]))
		if h := 1 / math.Sqrt(f[v][0]); math.Abs(h-want) > 1e-12 {
			t.Errorf("vertex %d: size %g, want %g", v, h, want)
		}
	}
	if err := f.Intersect(2, g[1:]); err == nil {
		t.Error("fields of different meshes are intersected")
	}
	if _, err := f.Within(2, Bounds{Min: -1}); err == nil {
		t.Error("a negative bound is accepted")
	}
	if _, err := Sample(m, func(x, _, _ float64) Tensor { return OfSize(2, x) }); err == nil ||
		!strings.Contains(err.Error(), "vertex 0 at") {
		t.Error(err)
	}
}
