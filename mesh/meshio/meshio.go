// Package meshio reads and writes mesh files by the extension of their name.
package meshio

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/selafin"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Read reads a mesh from a Gmsh (.msh), VTK (.vtu, .pvtu), Medit (.mesh, .meshb) or SELAFIN (.slf, .sel) file,
// as it stands in the file: mesh.Check tells whether solvers can use it. Errors name the file and the position in it.
func Read(path string) (*mesh.Mesh, error) {
	switch extension(path) {
	case ".msh":
		return gmsh.Read(path)
	case ".mesh", ".meshb":
		return medit.Read(path)
	case ".vtu", ".pvtu":
		return vtk.ReadMesh(path)
	case ".slf", ".sel":
		return selafin.Read(path)
	}
	return nil, unreadable(path)
}

// ReadAny reads a mesh of triangles, or of tetrahedra if the file has some: one of them is not nil.
func ReadAny(path string) (*mesh.Mesh, *mesh.Solid, error) {
	m, err := Read(path)
	if !mesh.InSpace(err) {
		return m, nil, err
	}
	s, err := ReadSolid(path)
	return nil, s, err
}

// ReadSolid reads a mesh of tetrahedra from a file of one of the same kinds.
func ReadSolid(path string) (*mesh.Solid, error) {
	switch extension(path) {
	case ".msh":
		return gmsh.ReadSolid(path)
	case ".mesh", ".meshb":
		return medit.ReadSolid(path)
	case ".vtu", ".pvtu":
		return vtk.ReadSolid(path)
	}
	return nil, unreadable(path)
}

// WriteSolid writes a mesh of tetrahedra, as Write does one of triangles.
func WriteSolid(path string, s *mesh.Solid) error {
	switch extension(path) {
	case ".msh":
		return gmsh.WriteSolid(path, s, true)
	case ".mesh", ".meshb":
		return medit.WriteSolid(path, s)
	case ".vtu":
		return vtk.WriteSolid(path, s)
	}
	return unwritable(path)
}

// Write writes a mesh to a Gmsh file in binary (.msh), a VTK file (.vtu), or a Medit file in text (.mesh) or binary
// (.meshb). Errors name the file.
func Write(path string, m *mesh.Mesh) error {
	switch extension(path) {
	case ".msh":
		return gmsh.Write(path, m, true)
	case ".mesh", ".meshb":
		return medit.Write(path, m)
	case ".vtu":
		return vtk.WriteMesh(path, m)
	}
	return unwritable(path)
}

// Writable refuses a name that Write would, before the mesh is there.
func Writable(path string) error {
	switch extension(path) {
	case ".msh", ".mesh", ".meshb", ".vtu":
		return nil
	}
	return unwritable(path)
}

// NotKept names what of a mesh is not in a file of this name, "" for nothing: Medit files have neither fields nor names
// of groups, and others no marks, but for lines in Gmsh's. Normals and the like, and groups of points, are in none.
func NotKept(path string, groups []mesh.Group, marks *mesh.Marks, fields ...map[string][]float64) string {
	var lost []string
	if marks != nil {
		lost = append(lost, marks.Passed...)
	}
	e := extension(path)
	if marks != nil && len(marks.Points) > 0 {
		lost = append(lost, "groups of points")
	}
	if e != ".mesh" && e != ".meshb" {
		return strings.Join(append(lost, unmarked(marks, e)...), ", ")
	}
	for _, of := range fields {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if name != "z" { // the third coordinates of triangles
				lost = append(lost, fmt.Sprintf("field %q", name))
			}
		}
	}
	for _, g := range groups {
		if g.Name != strconv.Itoa(g.Tag) {
			lost = append(lost, fmt.Sprintf("the name %q of group %d", g.Name, g.Tag))
		}
	}
	return strings.Join(lost, ", ")
}

// unmarked names the marks that a file with an extension does not hold.
func unmarked(k *mesh.Marks, extension string) (names []string) {
	if k == nil {
		return nil
	}
	lines := len(k.Lines)
	if extension == ".msh" {
		lines = 0
	}
	for _, m := range []struct {
		count int
		name  string
	}{
		{len(k.Corners), "corners"}, {len(k.Ridges), "ridges"}, {len(k.Vertices), "required vertices"},
		{len(k.Edges), "required edges"}, {len(k.Triangles), "required triangles"},
		{len(k.Refs), "references of vertices"}, {lines, "edges with a reference or group"},
	} {
		if m.count > 0 {
			names = append(names, m.name)
		}
	}
	return names
}

func unreadable(path string) error {
	return fmt.Errorf("%s: meshes are read from .msh (Gmsh), .vtu and .pvtu (VTK), .mesh and .meshb (Medit), and those "+
		"of triangles from .slf and .sel (SELAFIN) files; meshio convert %s mesh.vtu reads many others", path,
		filepath.Base(path))
}

func unwritable(path string) error {
	return fmt.Errorf("%s: meshes are written to .msh (Gmsh), .vtu (VTK), .mesh and .meshb (Medit) files", path)
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Lost tells people of what NotKept names.
func Lost(what string) string {
	return "not kept, since files of this kind cannot hold it: " + what
}
