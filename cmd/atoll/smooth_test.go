package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// squareFile writes a small mesh with groups.
func squareFile(t *testing.T, name string) string {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, 1, 1, 200, 3)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := meshio.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSmoothFiles smooths from each format to each: groups, connectivity and the boundary stay the same, and the
// mean quality rises.
func TestSmoothFiles(t *testing.T) {
	for _, input := range []string{"a.msh", "a.mesh", "a.meshb", "a.vtu"} {
		in := squareFile(t, input)
		before, err := meshio.Read(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, output := range []string{"b.msh", "b.mesh", "b.meshb", "b.vtu"} {
			dir := t.TempDir()
			out, report := filepath.Join(dir, output), filepath.Join(dir, "r.json")
			code := execute(context.Background(), []string{"smooth", in, out, "-q", "--ranks", "2", "--threads", "1",
				"--json", report})
			if code != exitDone {
				t.Fatalf("%s to %s: exit code %d", input, output, code)
			}
			after, err := meshio.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			tags := func(m *mesh.Mesh) map[[3]int32]bool {
				tagged := map[[3]int32]bool{}
				for _, e := range m.Tagged {
					tagged[[3]int32{min(e.A, e.B), max(e.A, e.B), int32(m.Groups[e.Group].Tag)}] = true
				}
				return tagged
			}
			if !reflect.DeepEqual(after.Cells, before.Cells) || !reflect.DeepEqual(tags(after), tags(before)) {
				t.Errorf("%s to %s: cells or tagged edges differ", input, output)
			}
			if err := after.Check(); err != nil {
				t.Errorf("%s to %s: %v", input, output, err)
			}
			for v, x := range before.X {
				if y := before.Y[v]; (x == 0 || x == 1) && after.X[v] != x || (y == 0 || y == 1) && after.Y[v] != y {
					t.Errorf("%s to %s: vertex %d left the boundary", input, output, v)
				}
			}
			text, err := os.ReadFile(report)
			if err != nil {
				t.Fatal(err)
			}
			var r struct {
				Before, After struct {
					Mean float64 `json:"quality_mean"`
				}
			}
			if err := json.Unmarshal(text, &r); err != nil || !(r.After.Mean > r.Before.Mean) {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
}

func TestSmoothUsage(t *testing.T) {
	in := squareFile(t, "a.msh")
	out, folder := filepath.Join(t.TempDir(), "b.vtu"), filepath.Join(t.TempDir(), "c.msh")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{in}, {in, "b.stl"}, {in, out, "--relax", "3"}, {in, out, "--smoother", "magic"}, {in, out, "--metric", "linear"},
		{in, out, "--width", "x +* 2", "--height", "1"}, {in, out, "--ranks", "0"}, {"none.msh", out},
		{in, out, "--width", "x-1", "--height", "1"}, {}, {in, filepath.Join(t.TempDir(), "none", "b.vtu")},
		{in, out, "--json", filepath.Join(t.TempDir(), "none", "r.json")}, {in, out, "--hmin", "-0.1"},
		{in, out, "--ranks", "100000"}, {in, out, "--threads", "100000"}, {in, out, "--ranks", "1000", "--threads", "1000"},
		{in, folder}, {in, out, "--json", folder}, {in, out, "--json", out}, {in, out, "--json", in},
		{in, out, "--case", "-n", "2"},
	} {
		if code := execute(context.Background(), append([]string{"smooth", "-q"}, args...)); code != exitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a mesh was written")
	}
	if _, err := meshio.Read(in); err != nil {
		t.Error("the mesh to read was overwritten: ", err)
	}
}

// TestSmoothPrintsWhatIsLost: a Medit file cannot store names of groups; the command and a run print that they are
// lost.
func TestSmoothPrintsWhatIsLost(t *testing.T) {
	in := squareFile(t, "a.msh")
	dir := filepath.Dir(in)
	text := "solver = \"smooth\"\n[mesh]\nfile = \"a.msh\"\n[metric]\nfield = \"uniform\"\n[output]\nformat = []\n"
	if err := os.WriteFile(filepath.Join(dir, "c.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		lost bool
	}{
		{[]string{"smooth", "a.msh", "b.mesh"}, true}, {[]string{"smooth", "a.msh", "b.msh"}, false},
		{[]string{"run", "c.toml", "--ranks", "2", "--set", "output.mesh=b.meshb"}, true},
		{[]string{"run", "c.toml", "--force", "--set", "output.mesh=b.vtu"}, false},
	} {
		ran := atoll(t, dir, nil, c.args...)
		if code := ran.code(t); code != exitDone {
			t.Fatalf("%q: exit code %d\n%s", c.args, code, ran.stderr.String())
		}
		if lost := strings.Contains(ran.stdout.String()+ran.stderr.String(), `the name "left" of group 1`); lost != c.lost {
			t.Errorf("%q: message about the lost name: %v\n%s%s", c.args, lost, ran.stdout.String(), ran.stderr.String())
		}
	}
}

// TestSmoothCheckIsACase: the output of --check is a valid case file, with notes as comments.
func TestSmoothCheckIsACase(t *testing.T) {
	dir := filepath.Dir(squareFile(t, "a.msh"))
	text := "solver = \"smooth\"\n[mesh]\nfile = \"a.msh\"\n[metric]\nfield = \"uniform\"\n"
	for range 2 {
		if err := os.WriteFile(filepath.Join(dir, "c.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		ran := atoll(t, dir, nil, "run", "c.toml", "--check", "--set", "output.mesh=b.mesh")
		if code := ran.code(t); code != exitDone || !strings.Contains(ran.stdout.String(), "\n# not kept") {
			t.Fatalf("exit code %d\n%s%s", code, ran.stdout.String(), ran.stderr.String())
		}
		text = ran.stdout.String()
	}
}

// TestSmoothFileNames: a mesh file may have any name in UTF-8.
func TestSmoothFileNames(t *testing.T) {
	for _, name := range []string{"a b.msh", `tick's "é" (2).msh`, `back\slash#=[x].msh`, ".msh", "日本.msh",
		strings.Repeat("long", 50) + ".msh"} {
		in := squareFile(t, name)
		if code := execute(context.Background(), []string{"smooth", in, filepath.Join(t.TempDir(), "b.vtu"), "-q",
			"--sweeps", "1"}); code != exitDone {
			t.Errorf("%q: exit code %d", name, code)
		}
	}
}

// TestSmoothOfGmsh follows the guide in docs/smoothing.md: a mesh made with gmsh is smoothed, and gmsh and VTK read
// the result with its physical groups.
func TestSmoothOfGmsh(t *testing.T) {
	gmsh := needs.Program(t, "gmsh", "gmsh")
	dir := t.TempDir()
	geo := filepath.Join("..", "..", "examples", "smooth", "plate.geo")
	in, out, again := filepath.Join(dir, "plate.msh"), filepath.Join(dir, "better.msh"), filepath.Join(dir, "again.msh")
	if text, err := exec.Command(gmsh, "-2", geo, "-o", in).CombinedOutput(); err != nil {
		t.Fatalf("gmsh: %v\n%s", err, text)
	}
	vtu := filepath.Join(dir, "better.vtu")
	for _, to := range []string{out, vtu} {
		if code := execute(context.Background(), []string{"smooth", in, to, "-q"}); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
	}
	text, err := exec.Command(gmsh, out, "-save", "-format", "msh22", "-bin", "-o", again).CombinedOutput()
	if err != nil || strings.Contains(string(text), "Error") || strings.Contains(string(text), "Warning") {
		t.Fatalf("gmsh: %v\n%s", err, text)
	}
	ours, err := meshio.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	fromGmsh, err := meshio.Read(again)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ours.X, fromGmsh.X) || !reflect.DeepEqual(ours.Cells, fromGmsh.Cells) ||
		len(ours.Tagged) != len(fromGmsh.Tagged) || len(ours.Groups) != 5 || len(fromGmsh.Groups) != 5 {
		t.Errorf("the mesh rewritten by gmsh differs: groups %v and %v", ours.Groups, fromGmsh.Groups)
	}
	back := filepath.Join(dir, "back.vtu")
	throughVTK(t, vtu, back, "physical")
	fromVTK, err := meshio.Read(back)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromVTK.X, ours.X) || !reflect.DeepEqual(fromVTK.Cells, ours.Cells) ||
		!reflect.DeepEqual(fromVTK.CellData["quality"], ours.CellData["quality"]) || len(fromVTK.Tagged) != len(ours.Tagged) {
		t.Error("the mesh rewritten by VTK differs")
	}
}

// throughVTK lets VTK read the file in and write the file out, and checks that in has the named cell data. It skips
// the test if VTK is not installed.
func throughVTK(t *testing.T, in, out string, data ...string) {
	t.Helper()
	const script = `
import sys
import vtk
r = vtk.vtkXMLUnstructuredGridReader()
r.SetFileName(sys.argv[1])
r.Update()
g = r.GetOutput()
for name in sys.argv[3:]:
    values = g.GetCellData().GetArray(name)
    print(name, sorted({int(values.GetValue(i)) for i in range(g.GetNumberOfCells())}))
w = vtk.vtkXMLUnstructuredGridWriter()
w.SetFileName(sys.argv[2])
w.SetInputData(g)
w.Write()
`
	args := append([]string{"-c", script, in, out}, data...)
	if text, err := exec.Command(needs.VTK(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("VTK: %v\n%s", err, text)
	}
}
