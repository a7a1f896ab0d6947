package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// TestSmoothOfGmshSolid follows the guide in docs/smoothing-solids.md: a block with a drilled hole, made with gmsh, is
// smoothed and keeps its cells, faces and named groups. gmsh and VTK read the result and write it back unchanged.
func TestSmoothOfGmshSolid(t *testing.T) {
	gmsh := needs.Program(t, "gmsh", "gmsh")
	dir := t.TempDir()
	geo := filepath.Join("..", "..", "examples", "smooth", "block.geo")
	in, again := filepath.Join(dir, "block.msh"), filepath.Join(dir, "again.msh")
	if text, err := exec.Command(gmsh, "-3", geo, "-o", in).CombinedOutput(); err != nil {
		t.Fatalf("gmsh: %v\n%s", err, text)
	}
	before, err := meshio.ReadSolid(in)
	if err != nil {
		t.Fatal(err)
	}
	free, err := before.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	var ours *mesh.Solid
	for _, to := range []string{"better.vtu", "better.mesh", "better.meshb", "better.msh"} {
		path := filepath.Join(dir, to)
		if code := execute(context.Background(), []string{"smooth", in, path, "-q", "--sweeps", "10", "--ranks",
			"2", "--ridge", "45"}); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		got, err := meshio.ReadSolid(path)
		if err != nil {
			t.Fatal(err)
		}
		if ours != nil && (!slices.Equal(got.X, ours.X) || !slices.Equal(got.Z, ours.Z) || !slices.Equal(got.Cells,
			ours.Cells) ||
			!slices.Equal(got.Faces, ours.Faces)) {
			t.Errorf("%s has another mesh", to)
		}
		ours = got
	}
	if !slices.Equal(ours.Cells, before.Cells) || !slices.Equal(ours.Faces, before.Faces) ||
		!slices.Equal(ours.CellTag, before.CellTag) || !slices.Equal(ours.Groups, before.Groups) || len(ours.Groups) != 4 {
		t.Errorf("groups %v became %v, %d faces %d", before.Groups, ours.Groups, len(before.Faces), len(ours.Faces))
	}
	moved := [4]int{}
	for v := range int32(len(ours.X)) {
		if ours.At(v) != before.At(v) {
			moved[free[v].Axes]++
		}
	}
	// With --ridge, vertices without free axes move too: along the curved wall of the hole.
	if moved[0] == 0 || moved[1] == 0 || moved[2] == 0 || moved[3] == 0 {
		t.Errorf("moved vertices by number of free axes: %v", moved)
	}
	text, err := exec.Command(gmsh, filepath.Join(dir, "better.msh"), "-save", "-format", "msh22", "-bin", "-o", again).
		CombinedOutput()
	if err != nil || strings.Contains(string(text), "Error") || strings.Contains(string(text), "Warning") {
		t.Fatalf("gmsh: %v\n%s", err, text)
	}
	fromGmsh, err := meshio.ReadSolid(again)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ours.X, fromGmsh.X) || len(ours.Cells) != len(fromGmsh.Cells) ||
		len(ours.Faces) != len(fromGmsh.Faces) ||
		len(fromGmsh.Groups) != 4 {
		t.Errorf("the mesh rewritten by gmsh differs: groups %v and %v", ours.Groups, fromGmsh.Groups)
	}
	back := filepath.Join(dir, "back.vtu")
	throughVTK(t, filepath.Join(dir, "better.vtu"), back)
	fromVTK, err := meshio.ReadSolid(back)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(fromVTK.Groups, func(a, b mesh.Group) int { return a.Tag - b.Tag })
	groups := slices.SortedFunc(slices.Values(ours.Groups), func(a, b mesh.Group) int { return a.Tag - b.Tag })
	if !slices.Equal(fromVTK.X, ours.X) || !slices.Equal(fromVTK.Cells, ours.Cells) || !slices.Equal(fromVTK.Faces,
		ours.Faces) ||
		!slices.Equal(fromVTK.CellData["quality"], ours.CellData["quality"]) || !slices.Equal(fromVTK.Groups, groups) {
		t.Errorf("the mesh rewritten by VTK differs: %v", fromVTK.Groups)
	}
}

// TestSmoothSolidRefusals: metrics that are incomplete, not positive definite, or given keys of another kind are bad
// usage, and nothing is written.
func TestSmoothSolidRefusals(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "box.mesh"), filepath.Join(dir, "out.msh")
	box, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 48, 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := meshio.WriteSolid(in, box); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--width", "1", "--height", "1"}, {"--m11", "1", "--m22", "1", "--m33", "-1"},
		{"--metric", "ugawg-linear", "--low", "1"}} {
		if code := execute(context.Background(), append([]string{"smooth", "-q", in, out}, args...)); code != exitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a mesh was written")
	}
}

// TestMeshOfSolids: the mesh commands generate, convert, repair and describe meshes of tetrahedra.
func TestMeshOfSolids(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"generate", path("a.msh"), "--bounds", "0,0,0,1,2,1", "--cells", "300"}, exitDone},
		{[]string{"generate", path("b.msh"), "--bounds", "0,0,0,1,2"}, exitUsage},
		{[]string{"generate", path("b.msh"), "--bounds", "0,0,0,1,0,1"}, exitUsage},
		{[]string{"convert", path("a.msh"), path("a.vtu"), "--orient", "--drop-dangling", "--merge-duplicates"}, exitDone},
		{[]string{"convert", path("a.vtu"), path("a.meshb")}, exitDone},
		{[]string{"convert", path("a.vtu"), path("a.stl")}, exitUsage},
		{[]string{"info", path("a.meshb")}, exitDone},
		{[]string{"partition", path("a.meshb")}, exitUsage},
	} {
		if code := execute(context.Background(), append([]string{"mesh"}, c.args...)); code != c.code {
			t.Errorf("%q: exit code %d", c.args, code)
		}
	}
	one, err := meshio.ReadSolid(path("a.msh"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := meshio.ReadSolid(path("a.meshb"))
	if err != nil || !reflect.DeepEqual(one, other) || len(one.Faces) == 0 {
		t.Errorf("%d cells and %d: %v", len(one.Cells), len(other.Cells), err)
	}
}
