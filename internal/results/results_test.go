package results

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// TestDifferences changes one value, file or line of a sample, and expects only that difference.
func TestDifferences(t *testing.T) {
	h1 := func(r *run) []float64 { return r.grid.CellData[0].Data.([]float64) }
	frame := "frames/a_000000.pvtu: CellData h1: value 1 is "
	for _, c := range []struct {
		name   string
		change func(*run)
		want   []string // the start of each difference
	}{
		{"one bit of a float64", func(r *run) { h1(r)[1] = math.Nextafter(h1(r)[1], 1) },
			[]string{frame + "0.3333333333333333, then 0.33333333333333337; 1 of 2 differ",
				"frames/a_000000_r0000.vtu: CellData h1: value 1 is 0.3333333333333333, then 0.33333333333333337"}},
		{"the sign of zero", func(r *run) { r.image.CellData[0].Data.([]float32)[0] = float32(math.Copysign(0, -1)) },
			[]string{"frames/a.vti: CellData f: value 0 is 0, then -0"}},
		{"one bit of a float32", func(r *run) { r.image.CellData[1].Data.([]float32)[8] = 1e-45 },
			[]string{"frames/a.vti: CellData normal: value 8 is 0, then 1e-45"}},
		{"a point", func(r *run) { r.poly.Points[4] = 5e-324 }, []string{"frames/a.vtp: Points: value 4 is 0, then 5e-324"}},
		{"a line", func(r *run) { r.poly.Lines.Connectivity[3] = 0 },
			[]string{"frames/a.vtp: Lines connectivity: value 3 is 2, then 0"}},
		{"an additional line", func(r *run) { r.poly.Lines.Add(0, 2) },
			[]string{"frames/a.vtp: Lines connectivity: 4 values, then 6", "frames/a.vtp: Lines offsets: 2 values, then 3"}},
		{"the origin of an image", func(r *run) { r.image.Origin[1] = 1e-9 },
			[]string{"frames/a.vti: Origin: value 1 is 0, then 1e-09"}},
		{"the time of a frame", func(r *run) { r.other.FieldData[0].Data = []float64{.75} },
			[]string{"frames/a_000001_r0000.vtu: FieldData TimeValue: value 0 is 0.5, then 0.75"}},
		{"the time in a series", func(r *run) { r.series[1].Time = .75 },
			[]string{"a.pvd: times of the frames: value 1 is 0.5, then 0.75"}},
		{"a missing array", func(r *run) { r.image.CellData = r.image.CellData[:1] },
			[]string{"frames/a.vti: CellData normal: is in the old results only"}},
		{"a new array", func(r *run) {
			r.image.PointData = vtk.Arrays{{Name: "d", Data: make([]float64, 8)}}
		}, []string{"frames/a.vti: PointData d: is in the new results only"}},
		{"the type of values", func(r *run) { r.other.CellData[1].Data = []int64{0, 1} },
			[]string{"frames/a_000001_r0000.vtu: CellData rank: values of type int32, then int64"}},
		{"components", func(r *run) {
			r.poly.PointData = nil
			r.image.CellData[1] = vtk.Array{Name: "normal", Components: 1, Data: []float32{0, 0, 0}}
		}, []string{"frames/a.vti: CellData normal: 3 components, then 1"}},
		{"a missing frame", func(r *run) { r.other = nil },
			[]string{"frames/a_000001_r0000.vtu: is in the old results only"}},
		{"a missing gauge", func(r *run) { delete(r.texts, "gauges/pier.csv") },
			[]string{"gauges/pier.csv: is in the old results only"}},
		{"an additional file", func(r *run) { r.texts["new.txt"] = "" }, []string{"new.txt: is in the new results only"}},
		{"the hash", edit("summary.json", "c0ffee", "c0ffef"),
			[]string{"summary.json: state_sha256: c0ffee, then c0ffef"}},
		{"a metric", edit("summary.json", "0.07068583470577033", "0.07068583470577034"),
			[]string{"summary.json: metrics.volume: 0.07068583470577033, then 0.07068583470577034"}},
		{"a missing metric", edit("summary.json", `, "mixed_cells": 12`, ""),
			[]string{"summary.json: metrics.mixed_cells: is in the old results only"}},
		{"drift", edit("summary.json", `"volume": 0}`, `"volume": 1e-17}`),
			[]string{"summary.json: conservation.volume: 0, then 1e-17"}},
		{"steps", edit("summary.json", `"steps": 3`, `"steps": 4`), []string{"summary.json: steps: 3, then 4"}},
		{"the outcome", edit("run.json", `"done"`, `"failed"`), []string{"run.json: state: done, then failed"}},
		{"ranks of a supervisor", edit("epoch.json", `"first": 0, "ranks": 3`, `"first": 0, "ranks": 2`),
			[]string{"epoch.json: places[0].ranks: 3, then 2"}},
		{"a truncated summary", func(r *run) { r.texts["summary.json"] = summaryJSON[:99] },
			[]string{"summary.json: the file of the new build: unexpected EOF"}},
		{"a value of a row", edit("conservation.csv", "0.25,1.5", "0.25,1.5000000000000002"),
			[]string{"conservation.csv: line 3, mass: 1.5, then 1.5000000000000002"}},
		{"a missing row", edit("conservation.csv", "10,0.25,1.5\n", ""),
			[]string{"conservation.csv: line 3: \"10,0.25,1.5\", then \"\""}},
		{"a row of a gauge", edit("gauges/pier.csv", "0,1\n", "0,1\n1,1\n"), []string{"gauges/pier.csv: line 3"}},
		{"no newline at the end", edit("gauges/pier.csv", "0,1\n", "0,1"), []string{"gauges/pier.csv: 2 lines, then 1"}},
		{"a byte of another file", edit("better.msh", "4.1 1", "4.1 0"), []string{"better.msh: byte 16: differs"}},
		{"the version in a NetCDF file", edit("gauges.nc", "0123456789ab", "ba9876543210"), nil},
		{"a byte of a NetCDF file", edit("gauges.nc", "\x00\x01", "\x00\x02"), []string{"gauges.nc: byte 20: differs"}},
		{"a number of a report", edit(VerifyFile, "0.00125", "0.00126"), []string{VerifyFile + ": line 6: "}},
		{"a verdict", edit(VerifyFile, "FAILED", "    ok"), []string{VerifyFile + ": line 7: "}},
		{"a missing check", edit(VerifyFile, "  lake        6       0  17.5              ok\n", ""),
			[]string{VerifyFile + ": 5 lines with numbers, then 4"}},
	} {
		r := sample()
		c.change(r)
		got, err := Folders(sample().write(t), r.write(t))
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
			continue
		}
		for i, d := range got {
			if !strings.HasPrefix(d.String(), c.want[i]) {
				t.Errorf("%s: got %s, want %s", c.name, d, c.want[i])
			}
		}
	}
}

// asciiGrid is the first frame of the sample as other XML: in ASCII format, with its arrays in another order.
const asciiGrid = `<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1"><UnstructuredGrid>
<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">0.5</DataArray></FieldData>
<Piece NumberOfPoints="4" NumberOfCells="2">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>
<Cells>
<DataArray type="Int64" Name="offsets" format="ascii">3 6</DataArray>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 0 2 3</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">5 5</DataArray></Cells>
<CellData>
<DataArray type="Int32" Name="rank" format="ascii">0 1</DataArray>
<DataArray type="Float64" Name="h1" format="ascii">0.25 0.3333333333333333</DataArray></CellData>
</Piece></UnstructuredGrid></VTKFile>`

// TestEqual: changes of run times, the machine, the text of a report and the XML of a frame are not differences.
func TestEqual(t *testing.T) {
	for name, change := range map[string]func(*run){
		"nothing":            func(*run) {},
		"time":               edit("summary.json", `"wall_s": 2.5`, `"wall_s": 3`),
		"phases":             edit("summary.json", `"halo": 1.5`, `"wait": 7`),
		"version":            edit("summary.json", `"version": "v1"`, `"version": "v2"`),
		"folder and version": edit("run.json", `"/a", "version": "v1"`, `"/b", "version": "v2"`),
		"time of an epoch":   edit("epoch.json", `03:04:05Z`, `03:04:06Z`),
		"a launcher":         edit("epoch.json", `"9f", "by": "process 7"`, `"a0", "by": "process 8"`),
		"name of a member":   edit("epoch.json", `"here"`, `"node7 (process 12)"`),
		"a longer check": func(r *run) {
			r.texts[VerifyFile] = strings.NewReplacer("     s  bound", "      s  bound", "------  ----  -----",
				"------  -----  -----", "17.5", "117.5").Replace(report)
		},
		"words":           edit(VerifyFile, "Lakes at rest", "Basins of still water"),
		"a title":         edit(VerifyFile, "precision", "kind of  "),
		"order of arrays": func(r *run) { d := r.image.CellData; d[0], d[1] = d[1], d[0] },
		"who wrote it":    func(r *run) { r.texts[".lock"] = "process 7" },
		"frames": func(r *run) {
			r.texts["frames/a_000000_r0000.vtu"] = asciiGrid
		},
	} {
		r := sample()
		change(r)
		if got, err := Folders(sample().write(t), r.write(t)); err != nil || len(got) > 0 {
			t.Errorf("%s: got %q, %v; want no differences", name, got, err)
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	full := sample().write(t)
	if _, err := Folders(t.TempDir(), t.TempDir()); err == nil {
		t.Error("got no error for two empty folders")
	}
	if _, err := Folders(full, filepath.Join(full, "none")); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
	if got, err := Folders(full, t.TempDir()); err != nil || len(got) != 14 {
		t.Errorf("got %q, %v; want a difference for each of 14 files", got, err)
	}
}

// TestUnreadable: frames that cannot be decoded are a difference, even if they have the same bytes.
func TestUnreadable(t *testing.T) {
	a, b := sample(), sample()
	a.texts["frames/a.vti"], b.texts["frames/a.vti"] = "<VTKFile", "<VTKFile"
	got, err := Folders(a.write(t), b.write(t))
	if err != nil || len(got) != 1 || !strings.HasPrefix(got[0].String(), "frames/a.vti: ") {
		t.Errorf("got %q, %v; want a difference of frames/a.vti", got, err)
	}
}
