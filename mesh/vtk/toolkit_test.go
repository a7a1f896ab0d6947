package vtk

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// readByVTK prints the content of files as read by VTK, and all warnings and errors.
const readByVTK = `
import sys
import vtk
log = vtk.vtkStringOutputWindow()
vtk.vtkOutputWindow.SetInstance(log)
for name in sys.argv[1:]:
    reader = {
        "vtu": vtk.vtkXMLUnstructuredGridReader, "pvtu": vtk.vtkXMLPUnstructuredGridReader,
        "vti": vtk.vtkXMLImageDataReader, "pvti": vtk.vtkXMLPImageDataReader,
        "vtp": vtk.vtkXMLPolyDataReader, "pvtp": vtk.vtkXMLPPolyDataReader,
        "stl": vtk.vtkSTLReader,
    }[name.rsplit(".")[-1]]()
    assert name.endswith(".stl") or reader.CanReadFile(name), name
    reader.SetFileName(name)
    reader.Update()
    g = reader.GetOutput()
    print(g.GetNumberOfPoints(), g.GetNumberOfCells(), "error", reader.GetErrorCode())
    for data in (g.GetPointData(), g.GetCellData(), g.GetFieldData()):
        for i in range(data.GetNumberOfArrays()):
            a = data.GetArray(i)
            if a is None:  # strings
                continue
            width, tuples = a.GetNumberOfComponents(), a.GetNumberOfTuples()
            values = [a.GetComponent(t, c) for t in range(tuples) for c in range(width)]
            print(a.GetName(), a.GetDataTypeAsString(), width, tuples,
                  "%.17g" % sum((i + 1) * v for i, v in enumerate(values)))
    cells = range(g.GetNumberOfCells())
    ids = [g.GetCell(c).GetPointId(k) for c in cells for k in range(g.GetCell(c).GetNumberOfPoints())]
    print("ids", sum((i + 1) * v for i, v in enumerate(ids)), "types", sum(g.GetCellType(c) for c in cells))
    print("bounds", *["%g" % b for b in g.GetBounds()])
print("log", log.GetOutput())
`

// askVTK returns the content of a file as VTK reads it. The test fails if VTK gives a warning or an error, and is
// skipped without VTK.
func askVTK(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(needs.VTK(t), "-c", readByVTK, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	if s := string(out); !strings.HasSuffix(s, "\nlog \n") || !strings.Contains(s, "error 0\n") {
		t.Errorf("%s: VTK gives a warning or an error:\n%s", path, s)
	}
	return string(out)
}

// VTK reads the same content from files of Write and WritePVTU as from a file that VTK wrote of the same grid.
func TestVTKReadsGrids(t *testing.T) {
	dir := t.TempDir()
	large, empty := filepath.Join(dir, "large.vtu"), filepath.Join(dir, "empty.vtu")
	ours, index := filepath.Join(dir, "ours.vtu"), filepath.Join(dir, "ours.pvtu")
	for path, g := range map[string]*Grid{large: waveGrid(120), empty: {}, ours: madeGrid()} {
		if err := Write(path, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := WritePVTU(index, []string{"ours.vtu"}, madeGrid()); err != nil {
		t.Fatal(err)
	}
	byVTK := askVTK(t, "testdata/raw-zlib-64-little.vtu")
	for _, path := range []string{ours, index} {
		// VTK has two names for integers of 64 bits.
		if got := askVTK(t, path); strings.ReplaceAll(got, "long long", "idtype") != byVTK {
			t.Errorf("VTK reads from %s\n%s, from its own file\n%s", path, got, byVTK)
		}
	}
	got := askVTK(t, large)
	if !strings.HasPrefix(got, "14641 28800 error 0\n") || !strings.Contains(got, "bounds 0 120 0 120 0 0") {
		t.Errorf("VTK reads from the large file\n%s", got)
	}
	askVTK(t, empty)
}
