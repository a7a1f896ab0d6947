package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// recordsRun is the command line of a run that writes all frames to one NetCDF file, besides VTU files.
var recordsRun = []string{"run", "case.toml", "-q", "--set", `output.format=["vtu", "nc"]`, "--set",
	"output.every=0.05",
	"--set", "crs=EPSG:25832", "--set", "time.epoch=2026-01-31T12:00:00Z"}

func recordsIn(t *testing.T, dir string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "out", "case.nc"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRecordsAreFrames: the NetCDF file has the same bits as the VTU frames, on any number of ranks. A run that
// continues on other ranks leaves the same file as an uninterrupted run.
func TestRecordsAreFrames(t *testing.T) {
	dir := caseFile(t, smallCase)
	runCase := func(dir string, more ...string) {
		t.Helper()
		c := atoll(t, dir, nil, append(append([]string{}, recordsRun...), more...)...)
		if code := c.code(t); code != exitDone {
			t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
		}
	}
	runCase(dir, "--ranks", "2")
	want := recordsIn(t, dir)
	f, err := netcdf.Open(filepath.Join(dir, "out", "case.nc"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for record := range f.Records {
		compareFrame(t, f, filepath.Join(dir, "out", "frames", fmt.Sprintf("case_%06d.vtu", record)), record)
	}
	if f.Records < 4 {
		t.Errorf("%d records", f.Records)
	}
	again := caseFile(t, smallCase)
	runCase(again, "--ranks", "1", "--set", "checkpoint.steps=9", "--set", "time.end=0.13")
	if part := recordsIn(t, again); len(part) >= len(want) {
		t.Errorf("%d bytes after a shorter run, %d after the whole run", len(part), len(want))
	}
	runCase(again, "--ranks", "3", "--set", "checkpoint.steps=9", "--restart")
	if string(recordsIn(t, again)) != string(want) {
		t.Error("a continued run leaves another file")
	}
}

// compareFrame compares the fields of a frame with those of a record, cell by cell.
func compareFrame(t *testing.T, f *netcdf.File, path string, record int64) {
	t.Helper()
	g, err := vtk.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	cells, _ := g.CellData.Find("cell")
	ids, _ := cells.Int64s()
	n := int64(len(ids))
	recordTime := make([]float64, 1)
	if err := f.Read(f.Var("time"), []int64{record}, []int64{1}, recordTime); err != nil {
		t.Fatal(err)
	}
	if frameTime, _ := g.FieldData.Find("TimeValue"); frameTime.Float64s()[0] != recordTime[0] {
		t.Errorf("record %d has time %v, the frame %v", record, recordTime[0], frameTime.Float64s()[0])
	}
	corners := map[string][]float64{}
	for _, name := range []string{"node_x", "node_y", "face_nodes"} {
		if corners[name], err = f.ReadAll(f.Var(name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		for k, v := range g.Cell(i) {
			node := int(corners["face_nodes"][3*id+int64(k)])
			if corners["node_x"][node] != g.Points[3*v] || corners["node_y"][node] != g.Points[3*v+1] {
				t.Fatalf("cell %d: corner %d has other coordinates", id, k)
			}
		}
	}
	for _, a := range g.CellData {
		if a.Name == "cell" || a.Name == "rank" {
			continue
		}
		values := make([]float64, n)
		if err := f.Read(f.Var(a.Name), []int64{record, 0}, []int64{1, n}, values); err != nil {
			t.Fatal(err)
		}
		for i, v := range a.Float64s() {
			if math.Float64bits(v) != math.Float64bits(values[ids[i]]) {
				t.Fatalf("record %d, %s of cell %d: %v, in the frame %v", record, a.Name, ids[i], values[ids[i]], v)
			}
		}
	}
}

// readByXarray prints what xarray reads from a file, and fails on a warning.
const readByXarray = `
import sys, warnings
warnings.simplefilter("error")
import numpy, xarray
d = xarray.open_dataset(sys.argv[1])
print(d.sizes["time"], d.sizes["face"], str(d.time.values[0])[:19], d.h1.attrs["units"], d.attrs["Conventions"])
print(d[d.h1.attrs["grid_mapping"]].attrs["epsg_code"], "%.17g" % d.h1.isel(time=-1).values.sum())
`

func TestXarrayReadsRecords(t *testing.T) {
	python := needs.Xarray(t)
	dir := caseFile(t, smallCase)
	c := atoll(t, dir, nil, recordsRun...)
	if code := c.code(t); code != exitDone {
		t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
	out, err := exec.Command(python, "-c", readByXarray, filepath.Join(dir, "out", "case.nc")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"2026-01-31T12:00:00 m CF-1.11 UGRID-1.0", "EPSG:25832"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("xarray does not say %q:\n%s", want, out)
		}
	}
}
