package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// box is an irregular mesh of the unit square or cube, scaled: boxes divided into simplices (Kuhn), with inner
// vertices displaced.
func box(dim, n int, size float64, shake float64) *Mesh {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	m := &Mesh{Dim: dim}
	nz := n
	if dim == 2 {
		nz = 0
	}
	inner := func(k int) float64 {
		if k == 0 || k == n {
			return 0
		}
		return shake * (rng.Float64() - .5)
	}
	for k := range nz + 1 {
		for j := range n + 1 {
			for i := range n + 1 {
				m.X[0] = append(m.X[0], size*(float64(i)+inner(i))/float64(n))
				m.X[1] = append(m.X[1], size*(float64(j)+inner(j))/float64(n))
				if dim == 3 {
					m.X[2] = append(m.X[2], size*(float64(k)+inner(k))/float64(n))
				}
			}
		}
	}
	step := [3]int{1, n + 1, (n + 1) * (n + 1)}
	orders := [][]int{{0, 1}, {1, 0}}
	if dim == 3 {
		orders = [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}
	}
	for k := range max(nz, 1) {
		for j := range n {
			for i := range n {
				for o, order := range orders {
					v := int32(i*step[0] + j*step[1] + k*step[2])
					cell := []int32{v}
					for _, axis := range order {
						v += int32(step[axis])
						cell = append(cell, v)
					}
					if o >= len(orders)/2 { // odd permutations have the opposite orientation
						cell[1], cell[2] = cell[2], cell[1]
					}
					m.Cells = append(m.Cells, cell...)
				}
			}
		}
	}
	return m
}

func values(m *Mesh, f func(p [3]float64) float64) []float64 {
	all := make([]float64, m.Vertices())
	for v := range all {
		all[v] = f(m.coordinates(v))
	}
	return all
}

// TestRecoveredQuadratics proves that the second derivatives of a quadratic are exact at all vertices, corners
// included, on meshes of any size and for cells with aspect ratios up to 1000.
func TestRecoveredQuadratics(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for _, size := range []float64{1e-6, 1, 1e6} {
			for _, thin := range []float64{1, 1e-3} {
				m := box(dim, 5, size, .5)
				for k := range m.X[1] {
					m.X[1][k] *= thin
				}
				want := Tensor{2, -3 / thin, 5 / (thin * thin), .5, 1 / thin, -7}
				if dim == 2 {
					want[3], want[4], want[5] = 0, 0, 0
				}
				got, err := Recovered(m, values(m, func(p [3]float64) float64 {
					return want.Product(dim, p, p)/2 + p[0] - 3*p[1]/thin + 2*p[2]
				}))
				if err != nil {
					t.Fatal(err)
				}
				for v, h := range got {
					for k := range h {
						unit := []float64{1, thin, thin * thin, 1, thin, 1}[k]
						// Values are rounded, and second differences lose digits by cancellation.
						if !(math.Abs(h[k]-want[k])*unit <= 1e-9*(1+1/size)*(1+1/size)*size*(1+size)) {
							t.Fatalf("%dD, size %g, thin %g, vertex %d: %v, want %v", dim, size, thin, v, h, want)
						}
					}
				}
			}
		}
	}
}

// TestRecoveredConverges proves that for a smooth field the error falls by more than half if the mesh is twice as
// fine.
func TestRecoveredConverges(t *testing.T) {
	for _, dim := range []int{2, 3} {
		var off [2]float64
		for k, n := range []int{6, 12} {
			m := box(dim, n, 1, .3)
			got, err := Recovered(m, values(m, func(p [3]float64) float64 { return math.Sin(2*p[0]) * math.Exp(p[1]+p[2]) }))
			if err != nil {
				t.Fatal(err)
			}
			for v, h := range got {
				p := m.coordinates(v)
				want := -4 * math.Sin(2*p[0]) * math.Exp(p[1]+p[2])
				off[k] = max(off[k], math.Abs(h[0]-want))
			}
		}
		if !(off[1] < .65*off[0]) {
			t.Errorf("%dD: off by %g, and %g on a mesh twice as fine", dim, off[0], off[1])
		}
	}
}

// TestLayer proves that for a boundary layer tanh(y/δ) the metric has cells that are thin across it and long along
// it, within bounds, with the requested complexity, on domains of any size.
func TestLayer(t *testing.T) {
	const aspect = 50
	for _, dim := range []int{2, 3} {
		var first Field
		for _, size := range []float64{1, 1e-6, 1e6} {
			m := box(dim, 12, size, 0)
			field := values(m, func(p [3]float64) float64 { return math.Tanh((p[1] - .3*size) / (.1 * size)) })
			h, err := Recovered(m, field)
			if err != nil {
				t.Fatal(err)
			}
			c := HessianOptions{Norm: 2, Complexity: 5000, Bounds: Bounds{Min: size / 1000, Max: size, Aspect: aspect}}
			f, r, err := FromHessian(m, h, c)
			if err != nil {
				t.Fatal(err)
			}
			if total := f.Complexity(m); math.Abs(total-5000) > 1e-6*5000 || math.Abs(r.Complexity-total) > 1e-6*total {
				t.Errorf("%dD, size %g: a complexity of %g, reported as %g", dim, size, total, r.Complexity)
			}
			if r.Raised == 0 || r.Bounded == 0 {
				t.Errorf("%dD: the field is constant along the layer, and the report is %+v", dim, r)
			}
			across, along := [3]float64{0, size, 0}, [3]float64{size, 0, 0}
			thinnest := 0.0
			for v := range f {
				thinnest = max(thinnest, f[v].Length(dim, across)/f[v].Length(dim, along))
			}
			if !(thinnest > .99*aspect && thinnest < 1.01*aspect) {
				t.Errorf("%dD, size %g: sizes differ by %g", dim, size, thinnest)
			}
			if first == nil {
				first = f
			}
			for v := range f { // in units of the domain the metric is the same, up to round-off in fits
				a, b := first[v].Length(dim, [3]float64{0, 1, 0}), f[v].Length(dim, across)
				if !(math.Abs(a-b) < 1e-4*a) {
					t.Fatalf("%dD, size %g, vertex %d: %g, want %g", dim, size, v, b, a)
				}
			}
		}
	}
}

// TestNorms proves that a constant Hessian gives a constant metric, and that a high p concentrates cells where
// derivatives are large.
func TestNorms(t *testing.T) {
	m := box(2, 10, 1, .3)
	constant := make([]Tensor, m.Vertices())
	varying := make([]Tensor, m.Vertices())
	for v := range constant {
		constant[v] = Tensor{-4, 0, 1}
		varying[v] = OfSize(2, .1+m.X[0][v])
	}
	f, r, err := FromHessian(m, constant, HessianOptions{Norm: 1, Complexity: 100})
	if err != nil || r.Raised+r.Bounded != 0 {
		t.Fatal(r, err)
	}
	for v := range f {
		if want := (Tensor{200, 0, 50}); math.Abs(f[v][0]-want[0]) > 1e-9 || math.Abs(f[v][2]-want[2]) > 1e-9 {
			t.Fatalf("vertex %d: %v, want %v", v, f[v], want)
		}
	}
	last := 0.0
	for _, p := range []float64{1, 2, 4, math.Inf(1)} {
		f, _, err := FromHessian(m, varying, HessianOptions{Norm: p, Complexity: 100})
		if err != nil {
			t.Fatal(err)
		}
		top := 0.0
		for v := range f {
			top = max(top, f[v].Density(2))
			// det^(-1/(2p+2)) h^-2 with det = h^-4, relative to the first vertex, where h = 0.1.
			want := f[0][0] * math.Pow((.1+m.X[0][v])/.1, 2/(p+1)-2)
			if !(math.Abs(f[v][0]-want) <= 1e-9*want) {
				t.Fatalf("p = %g, vertex %d: %g, want %g", p, v, f[v][0], want)
			}
		}
		if !(top > last) {
			t.Errorf("p = %g: the largest density is %g, after %g", p, top, last)
		}
		last = top
	}
}

// TestThin proves that without bounds, for a field that varies in one direction only, cells become as thin as the
// floor allows, rotated or not, and that the metric stays positive definite.
func TestThin(t *testing.T) {
	for _, dim := range []int{2, 3} {
		m := box(dim, 2, 1, .2)
		h := make([]Tensor, m.Vertices())
		for v := range h {
			s := Spectrum{Values: [3]float64{7}, Vectors: frame(rand.New(rand.NewPCG(1, uint64(v))), dim)}
			h[v] = s.Tensor(dim)
		}
		f, r, err := FromHessian(m, h, HessianOptions{Norm: 2, Complexity: 1000})
		if err != nil || r.Raised != len(h) {
			t.Fatalf("%dD: %+v, %v", dim, r, err)
		}
		if total := f.Complexity(m); math.Abs(total-1000) > 1 {
			t.Errorf("%dD: a complexity of %g", dim, total)
		}
	}
}

// TestLinearField proves that the second derivatives of a linear field are zero however large it is, and that the
// least significant derivative is kept exactly.
func TestLinearField(t *testing.T) {
	for _, dim := range []int{2, 3} {
		m := box(dim, 6, 1, .3)
		for _, offset := range []float64{0, 1, -1e6} {
			second, err := Recovered(m, values(m, func(x [3]float64) float64 { return 3*x[0] - 7*x[1] + offset }))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = FromHessian(m, second, HessianOptions{Norm: 2, Complexity: 10})
			if err == nil || !strings.Contains(err.Error(), "a linear field determines no metric") {
				t.Errorf("dimension %d, offset %g: error %v", dim, offset, err)
			}
		}
		second, err := Recovered(m, values(m, func(x [3]float64) float64 { return 1e-7 * x[0] * x[0] }))
		if err != nil || math.Abs(second[0][0]-2e-7) > 1e-15 {
			t.Errorf("dimension %d: second derivative %g, %v", dim, second[0][0], err)
		}
	}
}

func TestHessianRefuses(t *testing.T) {
	m := box(2, 3, 1, 0)
	flat := box(2, 3, 1, 0)
	flat.Cells[0], flat.Cells[1] = flat.Cells[1], flat.Cells[0]
	lone := &Mesh{Dim: 2, X: [3][]float64{{0, 1, 0}, {0, 0, 1}}, Cells: []int32{0, 1, 2}}
	infinite := values(m, func([3]float64) float64 { return 1 })
	infinite[4] = math.Inf(1)
	for want, c := range map[string]struct {
		m *Mesh
		f []float64
	}{
		"vertex 4 at":                             {m, infinite},
		"3 values for 16 vertices":                {m, make([]float64, 3)},
		"cell 0 at vertex 1 is inverted":          {flat, make([]float64, 16)},
		"its 2 nearest vertices do not determine": {lone, make([]float64, 3)},
	} {
		if _, err := Recovered(c.m, c.f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	good := make([]Tensor, 16)
	for v := range good {
		good[v] = OfSize(2, 1)
	}
	bad := append([]Tensor{}, good...)
	bad[3][1] = math.NaN()
	for want, c := range map[string]struct {
		h []Tensor
		c HessianOptions
	}{
		"vertex 3 at":                         {bad, HessianOptions{Norm: 2, Complexity: 10}},
		"p = 0":                               {good, HessianOptions{Complexity: 10}},
		"p = NaN":                             {good, HessianOptions{Norm: math.NaN(), Complexity: 10}},
		"complexity of 0":                     {good, HessianOptions{Norm: 1}},
		"at 2 vertices":                       {good[:2], HessianOptions{Norm: 1, Complexity: 1}},
		"is impossible with":                  {good, HessianOptions{Norm: 1, Complexity: 1e9, Bounds: Bounds{Min: .1}}},
		"sizes from 3 to 1":                   {good, HessianOptions{Norm: 1, Complexity: 1, Bounds: Bounds{Min: 3, Max: 1}}},
		"a linear field determines no metric": {make([]Tensor, 16), HessianOptions{Norm: 1, Complexity: 1}},
	} {
		if _, _, err := FromHessian(m, c.h, c.c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
