package surface

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// planeIn returns the polygon of a plane in a cell of size 1, counter-clockwise as seen from the side to which the
// normal points.
func planeIn(cell [3]int, p cellPlane) (polygon [][3]float64) {
	n := p.normal
	// Two orthonormal directions in the plane, and a large square spanned by them.
	u := [3]float64{-n[1], n[0], 0}
	if math.Abs(n[2]) > 0.9 {
		u = [3]float64{0, -n[2], n[1]}
	}
	l := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
	for k := range u {
		u[k] /= l
	}
	v := [3]float64{n[1]*u[2] - n[2]*u[1], n[2]*u[0] - n[0]*u[2], n[0]*u[1] - n[1]*u[0]}
	for _, c := range [][2]float64{{-9, -9}, {9, -9}, {9, 9}, {-9, 9}} {
		var point [3]float64
		for k := range point {
			point[k] = float64(cell[k]) + p.alpha*n[k] + c[0]*u[k] + c[1]*v[k]
		}
		polygon = append(polygon, point)
	}
	for axis := range 3 {
		for _, side := range []float64{-1, 1} {
			beyond := func(p [3]float64) float64 { return side*(p[axis]-float64(cell[axis])-0.5) - 0.5 }
			var inside [][3]float64
			for k, a := range polygon {
				b := polygon[(k+1)%len(polygon)]
				from, to := beyond(a), beyond(b)
				if from <= 0 {
					inside = append(inside, a)
				}
				if from < 0 && to > 0 || from > 0 && to < 0 {
					t := from / (from - to)
					inside = append(inside, [3]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1]), a[2] + t*(b[2]-a[2])})
				}
			}
			polygon = inside
		}
	}
	return polygon
}

// TestGapsAreClosed checks that planes in the middle of a grid, which do not meet, and the polygons between them form a
// closed surface: the vector areas add up to 0.
func TestGapsAreClosed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 20 {
		p := &vtk.PolyData{FieldData: vtk.Arrays{
			{Name: "Bounds", Components: 1, Data: []float64{0, 0, 0, 4, 4, 4}},
			{Name: "Spacing", Components: 1, Data: []float64{1, 1, 1}}}}
		var normals, alphas []float64
		full := map[[3]int]bool{}
		for cell := range 8 {
			index := [3]int{1 + cell&1, 1 + cell>>1&1, 1 + cell>>2}
			var plane cellPlane
			if trial == 0 { // a box of 2 by 2 by 1.25
				plane = cellPlane{[3]float64{0, 0, 1}, 0.25}
				if index[2] == 1 {
					full[index] = true
					continue
				}
			} else {
				size := 0.0
				for k := range plane.normal {
					plane.normal[k] = random.NormFloat64()
					size += plane.normal[k] * plane.normal[k]
				}
				for k := range plane.normal {
					plane.normal[k] /= math.Sqrt(size)
					plane.alpha += plane.normal[k] * (0.3 + 0.4*random.Float64())
				}
			}
			var ids []int64
			for _, point := range planeIn(index, plane) {
				ids = append(ids, int64(len(p.Points)/3))
				p.Points = append(p.Points, point[:]...)
			}
			p.Polys.Add(ids...)
			normals, alphas = append(normals, plane.normal[:]...), append(alphas, plane.alpha)
		}
		p.CellData = vtk.Arrays{{Name: "normal", Components: 3, Data: normals},
			{Name: "alpha", Components: 1, Data: alphas}}
		v, found := View(p, func(cell [3]int) bool { return full[cell] })
		if !found {
			t.Fatal("no view")
		}
		if trial == 0 { // faces between full and empty cells have no plane: only the gaps above them are filled
			if side := vectorArea(v)[2]; math.Abs(side-4) > 1e-12 {
				t.Errorf("got an area of %g facing up, want 4", side)
			}
			continue
		}
		if sum := vectorArea(v); math.Abs(sum[0])+math.Abs(sum[1])+math.Abs(sum[2]) > 1e-12 {
			t.Errorf("trial %d: the vector areas add up to %v, want 0", trial, sum)
		}
	}
}

// vectorArea adds up the areas of triangles as vectors that point out of the fluid.
func vectorArea(v *chart.View) (sum [3]float64) {
	for _, t := range v.Triangles {
		var p [3][3]float64
		for k, i := range t {
			p[k] = [3]float64(v.Points[3*i:])
		}
		for k := range sum {
			e, g := (k+1)%3, (k+2)%3
			sum[k] += ((p[1][e]-p[0][e])*(p[2][g]-p[0][g]) - (p[1][g]-p[0][g])*(p[2][e]-p[0][e])) / 2
		}
	}
	return sum
}
