package faults

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/shallow/okada"
)

// TestFaultsOnTheEarth: around a fault at a longitude and a latitude the bed rises as around one in a plane through it,
// whose x is to the east and y to the north, for meshes a circle to the east too.
func TestFaultsOnTheEarth(t *testing.T) {
	const longitude, latitude, half = 179.5, 50.0, 100e3
	wide := sphere.Degrees(half) / math.Cos(latitude*math.Pi/180)
	fault := Fault{Fault: okada.Fault{X: longitude - 360, Y: latitude, Depth: 15e3, Length: 60e3, Width: 30e3, Strike: 30,
		Dip: 20, Rake: 90, Slip: 3, Poisson: .25}}
	flat := fault
	flat.X, flat.Y = 0, 0
	earth, plane := new(mesh.Part), new(mesh.Part)
	earth.Geographic = true
	for k := range 400 {
		x, y := float64(k%20)/10-.95, float64(k/20)/10-.95
		for _, corner := range [][2]float64{{0, 0}, {.01, 0}, {0, .01}} {
			plane.X, plane.Y = append(plane.X, half*(x+corner[0])), append(plane.Y, half*(y+corner[1]))
			earth.X = append(earth.X, longitude+wide*(x+corner[0]))
			earth.Y = append(earth.Y, latitude+sphere.Degrees(half)*(y+corner[1]))
		}
		cell := [3]int32{int32(3 * k), int32(3*k + 1), int32(3*k + 2)}
		earth.Cells, plane.Cells = append(earth.Cells, cell), append(plane.Cells, cell)
	}
	got, err := Add(t.Context(), []Fault{fault}, earth, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Add(t.Context(), []Fault{flat}, plane, nil)
	if err != nil {
		t.Fatal(err)
	}
	most, off := 0.0, 0.0
	for i := range want {
		most, off = max(most, math.Abs(want[i])), max(off, math.Abs(got[i]-want[i]))
	}
	// Meridians converge by some 2% over the distance of 100 km at this latitude.
	if !(most > 1 && off < .05*most) {
		t.Errorf("the bed rises by up to %g m in the plane, and differs by %g m on the earth", most, off)
	}
}
