package vtk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The unit of an array is written in the element that VTK reads, and the array can still be read.
func TestUnitIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.vtu")
	if err := Write(path, &Grid{Points: []float64{0, 0, 0}, PointData: Arrays{{Name: "u", Data: []float64{7},
		Unit: "m/s & <more>"}}}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := `location="vtkDataArray">m/s &amp; &lt;more&gt;</InformationKey>`; !strings.Contains(string(b), want) {
		t.Errorf("file\n%q\nwant %s in it", b, want)
	}
	back, err := Read(path)
	if err != nil || len(back.PointData) != 1 || back.PointData[0].Float64s()[0] != 7 {
		t.Errorf("grid read: %v, error %v", back, err)
	}
}
