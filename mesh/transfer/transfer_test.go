package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// pair returns two random meshes of the same rectangle, far from the origin.
func pair(t *testing.T, r *rand.Rand) (from, to *mesh.Mesh) {
	t.Helper()
	x, y := 1e4*r.Float64(), 1e4*r.Float64()
	width, height := 1+10*r.Float64(), 1+10*r.Float64()
	var all [2]*mesh.Mesh
	for k := range all {
		m, err := mesh.Rectangle(x, y, x+width, y+height, 20+r.IntN(3000), r.Uint64())
		if err == nil && r.IntN(2) == 0 {
			_, err = m.FlipToDelaunay()
		}
		if err != nil {
			t.Fatal(err)
		}
		all[k] = m
	}
	return all[0], all[1]
}

func overlapOf(t *testing.T, from, to *mesh.Mesh) *Overlap {
	t.Helper()
	o, err := Intersect(NewFinder(from), to)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// integral is the exact sum of a field times the areas of cells.
func integral(m *mesh.Mesh, values []float64) float64 {
	var sum dist.Accumulator
	for i, v := range values {
		sum.Add(v * m.Area(i))
	}
	return sum.Float64()
}

// TestMeansConserve proves, for random meshes and fields, that means keep the integral to rounding, with and without
// slopes, that they create no new extremes, and that they keep a constant.
func TestMeansConserve(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		from, to := pair(t, r)
		o := overlapOf(t, from, to)
		nb, err := from.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		values, ones := make([]float64, len(from.Cells)), make([]float64, len(from.Cells))
		low, high := math.Inf(1), math.Inf(-1)
		for i := range values {
			values[i], ones[i] = r.ExpFloat64(), 7
			low, high = min(low, values[i]), max(high, values[i])
		}
		before := integral(from, values)
		for name, slopes := range map[string][][2]float64{"without slopes": nil,
			"with slopes": Slopes(from, nb, values, nil)} {
			means := o.Means(from, to, values, slopes)
			if change := integral(to, means)/before - 1; math.Abs(change) > 1e-13 {
				t.Errorf("seed %d, %s: the integral changes by %g of it", seed, name, change)
			}
			for i, v := range means {
				if !(v >= low-1e-7 && v <= high+1e-7) { // areas of cells at 10⁴ are known to 10⁻¹² m²
					t.Errorf("seed %d, %s: cell %d has %g, the old values are %g to %g", seed, name, i, v, low, high)
				}
			}
		}
		for i, v := range o.Means(from, to, ones, Slopes(from, nb, ones, nil)) {
			if math.Abs(v-7) > 1e-7 {
				t.Errorf("seed %d: the constant 7 becomes %g in cell %d", seed, v, i)
			}
		}
	}
}

// TestSlopesAreSecondOrder proves that the means of a smooth field are accurate to second order: on meshes of a quarter
// of the size the error is less than a third.
func TestSlopesAreSecondOrder(t *testing.T) {
	field := func(x, y float64) float64 { return 3 + math.Sin(3*x)*math.Cos(2*y) }
	errorOf := func(cells int) float64 {
		from, err := mesh.Rectangle(0, 0, 2, 1, cells, 1)
		if err != nil {
			t.Fatal(err)
		}
		to, err := mesh.Rectangle(0, 0, 2, 1, cells*5/4, 2)
		if err != nil {
			t.Fatal(err)
		}
		nb, err := from.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, len(from.Cells))
		for i := range values {
			values[i] = field(from.Centroid(i))
		}
		means := overlapOf(t, from, to).Means(from, to, values, Slopes(from, nb, values, nil))
		for i := range means {
			means[i] = math.Abs(means[i] - field(to.Centroid(i)))
		}
		return integral(to, means)
	}
	coarse, fine := errorOf(800), errorOf(3200)
	if !(fine < coarse/3) {
		t.Errorf("the error is %g, and %g on meshes of four times as many cells", coarse, fine)
	}
}

// TestFind proves that a position is found in a cell that contains it, and that the interpolation of a linear field is
// exact.
func TestFind(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		m, _ := pair(t, r)
		f := NewFinder(m)
		linear := make([]float64, len(m.X))
		for v := range linear {
			linear[v] = 2*m.X[v] - 3*m.Y[v]
		}
		for range 100 {
			cell := r.IntN(len(m.Cells))
			a, b := r.Float64(), r.Float64()
			if a+b > 1 {
				a, b = 1-a, 1-b
			}
			v := m.Cells[cell]
			x := m.X[v[0]] + a*(m.X[v[1]]-m.X[v[0]]) + b*(m.X[v[2]]-m.X[v[0]])
			y := m.Y[v[0]] + a*(m.Y[v[1]]-m.Y[v[0]]) + b*(m.Y[v[2]]-m.Y[v[0]])
			found, share := f.Find(x, y)
			if min(a, b, 1-a-b) > 1e-6 && int(found) != cell {
				t.Errorf("seed %d: a position in cell %d is found in %d with shares %v", seed, cell, found, share)
			}
			if got, want := f.Interpolate(linear, x, y), 2*x-3*y; math.Abs(got-want) > 1e-8 {
				t.Errorf("seed %d: the linear field at (%g, %g) is %g, want %g", seed, x, y, got, want)
			}
		}
		if cell, share := f.Find(m.X[0]-100, m.Y[0]-100); math.Abs(share[0]+share[1]+share[2]-1) > 1e-12 ||
			min(share[0], share[1], share[2]) < 0 {
			t.Errorf("seed %d: outside: cell %d, shares %v", seed, cell, share)
		}
	}
}

// TestOtherDomain proves that meshes of different domains are refused.
func TestOtherDomain(t *testing.T) {
	large, err := mesh.Rectangle(0, 0, 2, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	small, err := mesh.Rectangle(0, 0, 1.5, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, meshes := range [][2]*mesh.Mesh{{large, small}, {small, large}} {
		if _, err := Intersect(NewFinder(meshes[0]), meshes[1]); err == nil {
			t.Error("meshes of different domains have an overlap")
		}
	}
}

func BenchmarkIntersect(b *testing.B) {
	from, err := mesh.Rectangle(0, 0, 2, 1, 20000, 1)
	if err != nil {
		b.Fatal(err)
	}
	to, err := mesh.Rectangle(0, 0, 2, 1, 20000, 2)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Intersect(NewFinder(from), to); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/cell")
}
