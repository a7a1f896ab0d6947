package conserve

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// meshes returns a random mesh of the unit square or cube, of which x = 1/2 divides the materials.
func meshes(t *testing.T, dim, cells int, seed uint64) (c Cells) {
	t.Helper()
	if dim == 2 {
		m, err := mesh.Rectangle(0, 0, 1, 1, cells, seed)
		if err != nil {
			t.Fatal(err)
		}
		c.Mesh = metric.FromTriangles(m)
	} else {
		s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, cells, seed)
		if err != nil {
			t.Fatal(err)
		}
		c.Mesh = metric.FromTetrahedra(s)
	}
	return c
}

// sampled returns the values of a function at the centres of cells.
func sampled(c Cells, f func(x [3]float64) float64) []float64 {
	values := make([]float64, c.Len())
	for i := range values {
		values[i] = f(c.centre(int32(i)))
	}
	return values
}

// TestPieces proves that the pieces of cells of either mesh have the volume and the centroid of the cell.
func TestPieces(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		from, to := meshes(t, dim, 300, 1), meshes(t, dim, 500, 2)
		o := Intersect(from, to)
		old := make([]float64, from.Len())
		moment := make([][3]float64, from.Len())
		for i, pieces := range o.pieces {
			sum := 0.0
			for _, p := range pieces {
				sum += p.volume
				old[p.old] += p.volume
				for k, x := range p.at {
					moment[p.old][k] += p.volume * x
				}
			}
			if want := to.Volume(i); math.Abs(sum-want) > 1e-12*want {
				t.Fatalf("dimension %d: pieces of cell %d have %g of %g", dim, i, sum, want)
			}
		}
		for i, got := range old {
			if want := from.Volume(i); math.Abs(got-want) > 1e-12*want {
				t.Fatalf("dimension %d: pieces of old cell %d have %g of %g", dim, i, got, want)
			}
			for k, x := range moment[i] {
				if math.Abs(x) > 1e-13*from.Volume(i) {
					t.Fatalf("dimension %d: the centroid of old cell %d is off by %g along %d", dim, i, x/from.Volume(i), k)
				}
			}
		}
	}
}

// TestOrder proves that the error of carried means of a smooth field is of second order in the size of cells, that the
// integral of each material is kept to rounding, and that no value is beyond those of the old cells by more than what
// is shared out.
func TestOrder(t *testing.T) {
	wave := func(x [3]float64) float64 { return 2 + math.Sin(3*x[0]+x[1])*math.Cos(2*x[1]-x[2]) }
	for dim := 2; dim <= 3; dim++ {
		var errors []float64
		for _, cells := range []int{400, 400 << dim} {
			from, to := meshes(t, dim, cells, 3), meshes(t, dim, cells*3/2, 4)
			values := sampled(from, wave)
			got := Intersect(from, to).Field(values)
			if a, b := from.Integral(values), to.Integral(got); math.Abs(b-a) > 1e-13*a {
				t.Errorf("dimension %d: the integral %.16g becomes %.16g", dim, a, b)
			}
			want, sum := sampled(to, wave), 0.0
			for i := range got {
				sum += math.Abs(got[i]-want[i]) * to.Volume(i)
				if got[i] > 3 || got[i] < 1 {
					t.Errorf("dimension %d: %g is beyond the values of the field", dim, got[i])
				}
			}
			errors = append(errors, sum)
		}
		if ratio := errors[0] / errors[1]; ratio < 3 {
			t.Errorf("dimension %d: errors %g, ratio %.3g, with twice the cells along each axis", dim, errors, ratio)
		}
	}
}

// TestMaterials proves that a field that jumps between materials does not leak across the interface, although that
// moves, that integrals are kept nevertheless, and that cells without a value stay without.
func TestMaterials(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		from, to := meshes(t, dim, 300, 5), meshes(t, dim, 700, 6)
		for _, c := range []*Cells{&from, &to} {
			for i := range c.Len() { // irregular interfaces, which differ
				m := int32(7)
				if c.centre(int32(i))[0] > .5 {
					m = 9
				}
				c.Material = append(c.Material, m)
			}
		}
		values := make([]float64, from.Len())
		whole := map[int32]float64{}
		for i, m := range from.Material {
			if values[i] = 1; m == 9 {
				values[i] = -1000
			}
			whole[m] += values[i] * from.Volume(i)
		}
		o := Intersect(from, to)
		got := o.Field(values)
		factor := map[int32]float64{}
		for i, m := range to.Material {
			whole[m] -= got[i] * to.Volume(i)
			if factor[m] == 0 {
				factor[m] = got[i]
			}
			if math.Abs(got[i]/factor[m]-1) > 1e-12 || (got[i] > 0) != (m == 7) {
				t.Fatalf("dimension %d: cell %d of material %d has %g, others %g", dim, i, m, got[i], factor[m])
			}
		}
		if math.Abs(whole[7]) > 1e-13 || math.Abs(whole[9]) > 1e-10 {
			t.Errorf("dimension %d: integrals change by %v", dim, whole)
		}
		for i := range values {
			values[i] = math.NaN()
		}
		for i, x := range o.Field(values) {
			if !math.IsNaN(x) {
				t.Fatalf("dimension %d: cell %d has %g of nothing", dim, i, x)
			}
		}
	}
}
