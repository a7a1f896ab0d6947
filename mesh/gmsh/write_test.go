package gmsh

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

// A mesh with groups and fields has the same bits after writing and reading.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		m := meshtest.WithGroupsAndFields(rapid.IntRange(2, 100).Draw(t, "cells"), rapid.Uint64().Draw(t, "seed"))
		for _, bin := range []bool{false, true} {
			path := filepath.Join(dir, "m.msh")
			if err := Write(path, m, bin); err != nil {
				t.Fatal(err)
			}
			back, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, m) {
				t.Fatalf("binary %v: got %+v\nwant %+v", bin, back, m)
			}
		}
	})
}

// Gmsh reads a file of Write, and writes the same mesh in version 2.2.
func TestGmshReadsOurFiles(t *testing.T) {
	gmsh := needs.Program(t, "gmsh", "gmsh")
	m := meshtest.WithGroupsAndFields(60, 5)
	m.CellData, m.VertexData = nil, map[string][]float64{"z": m.VertexData["z"]} // gmsh -save does not save fields
	for c := range m.CellGroup {
		m.CellGroup[c] = max(m.CellGroup[c], 4) // Gmsh saves only cells in groups
	}
	for _, bin := range []bool{false, true} {
		dir := t.TempDir()
		ours, byGmsh := filepath.Join(dir, "ours.msh"), filepath.Join(dir, "theirs.msh")
		if err := Write(ours, m, bin); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gmsh, ours, "-save", "-format", "msh22", "-bin", "-o", byGmsh).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("Error")) || bytes.Contains(out, []byte("Warning")) {
			t.Fatalf("gmsh: %v\n%s", err, out)
		}
		back, err := Read(byGmsh)
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Cells) != len(m.Cells) || len(back.Tagged) != len(m.Tagged) || !reflect.DeepEqual(back.X, m.X) ||
			!reflect.DeepEqual(back.VertexData, m.VertexData) || len(back.Groups) != len(m.Groups) {
			t.Errorf("binary %v: after Gmsh the mesh has %d cells, want %d; %d edges, want %d; groups %v", bin,
				len(back.Cells), len(m.Cells), len(back.Tagged), len(m.Tagged), back.Groups)
		}
	}
}

// Gmsh loads the fields of a file of Write and saves them as views, in each version and encoding, which Read reads.
// This is how Gmsh users put a bathymetry into a mesh file.
func TestGmshReadsOurFields(t *testing.T) {
	gmsh := needs.Program(t, "gmsh", "gmsh")
	m := meshtest.WithGroupsAndFields(20, 5)
	for c := range m.Cells {
		m.CellGroup[c] = 4 // Gmsh saves only cells in groups, group by group
		m.CellData["n (Manning)"][c] = 1 / float64(c+3)
	}
	for _, version := range []string{"2.2", "4.1"} {
		for _, bin := range []bool{false, true} {
			dir := t.TempDir()
			if err := Write(filepath.Join(dir, "ours.msh"), m, bin); err != nil {
				t.Fatal(err)
			}
			script := "Mesh.Binary = 0;\n"
			if bin {
				script = "Mesh.Binary = 1;\n"
			}
			script += "Mesh.MshFileVersion = " + version + ";\nPostProcessing.SaveMesh = 1;\nMerge \"ours.msh\";\n" +
				"Save View[0] \"view0.msh\";\nSave View[1] \"view1.msh\";\n"
			path := filepath.Join(dir, "save.geo")
			if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(gmsh, path, "-").CombinedOutput(); err != nil {
				t.Fatalf("gmsh: %v\n%s", err, out)
			}
			depth, err := Read(filepath.Join(dir, "view0.msh"))
			if err != nil {
				t.Fatal(err)
			}
			roughness, err := Read(filepath.Join(dir, "view1.msh"))
			if err != nil {
				t.Fatal(err)
			}
			if !meshtest.CloseTo(depth.VertexData["depth"], m.VertexData["depth"]) ||
				!meshtest.CloseTo(roughness.CellData["n (Manning)"], m.CellData["n (Manning)"]) {
				t.Errorf("version %s, binary %v: got %v and %v", version, bin, depth.VertexData, roughness.CellData)
			}
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		corrupt func(m *mesh.Mesh)
		want    string
	}{
		"id":         {func(m *mesh.Mesh) { m.Cells[0][0] = 9 }, "vertex id out of range"},
		"tag":        {func(m *mesh.Mesh) { m.Groups[0].Tag = 0 }, `group "left" of dimension 1 has the tag 0`},
		"tag twice":  {func(m *mesh.Mesh) { m.Groups[0].Tag = m.Groups[1].Tag }, "two groups of dimension 1 have the tag"},
		"name":       {func(m *mesh.Mesh) { m.Groups[0].Name = "a\"b" }, "has a quote or line break"},
		"field name": {func(m *mesh.Mesh) { m.CellData = map[string][]float64{"": {1, 2}} }, `the name "" is empty`},
	} {
		m := meshtest.WithGroupsAndFields(4, 1)
		c.corrupt(m)
		path := filepath.Join(t.TempDir(), "m.msh")
		if err := Write(path, m, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file exists, want none after an error", name)
		}
	}
	if err := Write(filepath.Join(t.TempDir(), "none", "m.msh"), meshtest.WithGroupsAndFields(4, 1), true); err == nil {
		t.Error("Write accepts a path in a folder that does not exist, want an error")
	}
}
