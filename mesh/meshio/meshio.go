// Package meshio reads and writes mesh files of all formats, which it distinguishes by the extension of the name. Read
// and Write are for triangles, ReadSolid and WriteSolid for tetrahedra, ReadAny reads either. Count reads only the
// numbers of vertices and cells; NotKept lists what a format would lose.
package meshio

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/columns"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/selafin"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/mesh/sms"
	"github.com/atoll-hpc/atoll/mesh/ugrid"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Read reads a triangle mesh from a Gmsh (.msh), VTK (.vtu, .pvtu), Medit (.mesh, .meshb), SELAFIN (.slf, .sel), SMS
// (.2dm), ADCIRC and SCHISM (.14, .grd, .gr3), MIKE (.mesh) or UGRID (.nc) file.
// The mesh is not checked; mesh.Check reports whether solvers can use it. Errors give the file and the position in it.
func Read(path string) (*mesh.Mesh, error) {
	switch extension(path) {
	case ".msh":
		return gmsh.Read(path)
	case ".mesh", ".meshb":
		if beginsWithDigit(path) {
			return sms.ReadMIKE(path)
		}
		return medit.Read(path)
	case ".vtu", ".pvtu":
		return vtk.ReadMesh(path)
	case ".nc":
		return ugrid.Read(path)
	case ".slf", ".sel":
		return selafin.Read(path)
	case ".2dm":
		return sms.Read2DM(path)
	case ".14", ".grd", ".gr3":
		return sms.ReadADCIRC(path)
	}
	return nil, unreadable(path)
}

// mostRuns bounds the blocks of a file in its layout.
const mostRuns = 1 << 18

// Layout returns where a file has the mesh of triangles that Read returns, so that it can be read in slices. Its error
// is about files of which that is not known: text, other formats, and those with faults.
func Layout(path string) (*sliced.Layout, error) {
	if extension(path) == ".msh" {
		return gmsh.Layout(path, mostRuns)
	}
	return nil, unreadable(path)
}

// beginsWithDigit reports whether a file does so, as meshes of MIKE do, and those of Medit do not. A pipe, which can be
// read only once, is one of Medit.
func beginsWithDigit(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [64]byte
	n, _ := io.ReadFull(f, begin[:])
	text := bytes.TrimSpace(begin[:n])
	return len(text) > 0 && text[0] >= '0' && text[0] <= '9'
}

// ReadAny reads a mesh of tetrahedra if the file has any, otherwise of triangles. The other result is nil.
func ReadAny(path string) (*mesh.Mesh, *mesh.Solid, error) {
	m, err := Read(path)
	if !mesh.IsTetrahedra(err) {
		return m, nil, err
	}
	s, err := ReadSolid(path)
	return nil, s, err
}

// ReadSolid reads a mesh of tetrahedra from a Gmsh, VTK or Medit file.
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

// WriteSolid writes a mesh of tetrahedra, as Write does for triangles.
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

// Write writes a triangle mesh to a Gmsh file in binary (.msh), a VTK file (.vtu), or a Medit file in text (.mesh) or
// binary (.meshb). Errors name the file.
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

// Writable returns the error that Write would return for the extension of path.
func Writable(path string) error {
	switch extension(path) {
	case ".msh", ".mesh", ".meshb", ".vtu":
		return nil
	}
	return unwritable(path)
}

// NotKept lists the parts of a mesh that a file with this extension does not keep, "" for none. Medit files have
// neither fields nor names of groups; the other formats have no marks, except for lines, points and periodic sides in
// Gmsh files, which also are the only ones in which a cell may be in several groups. No format keeps sections that were
// skipped on reading, such as normals.
func NotKept(path string, origin *mesh.Origin, groups []mesh.Group, marks *mesh.Marks,
	fields ...map[string][]float64) string {
	var lost []string
	if marks != nil {
		lost = append(lost, marks.Skipped...)
	}
	e := extension(path)
	if e != ".msh" {
		if marks != nil && len(marks.Points) > 0 {
			lost = append(lost, "groups of points")
		}
		if marks != nil && len(marks.Periodic) > 0 {
			lost = append(lost, "the relation of periodic sides")
		}
		for _, tag := range slices.Sorted(maps.Keys(origin.Combined)) {
			lost = append(lost, fmt.Sprintf("that cells are in several groups (they are in group %d)", tag))
		}
	}
	if e != ".mesh" && e != ".meshb" {
		return strings.Join(append(lost, marksNotKept(marks, e)...), ", ")
	}
	for _, field := range fields {
		for _, c := range columns.Of(field) {
			if c.Name != "z" { // the third coordinates of triangles
				lost = append(lost, fmt.Sprintf("field %q", c.Name))
			}
		}
	}
	for _, g := range groups {
		if g.Dim > 0 && g.Name != strconv.Itoa(g.Tag) {
			lost = append(lost, fmt.Sprintf("the name %q of group %d", g.Name, g.Tag))
		}
	}
	return strings.Join(lost, ", ")
}

// marksNotKept lists the marks that a file with this extension, not one of Medit, does not keep.
func marksNotKept(k *mesh.Marks, extension string) (names []string) {
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

// byMeshio are extensions of other formats that the Python program meshio reads.
var byMeshio = []string{".avs", ".bdf", ".cgns", ".e", ".ele", ".ex2", ".exo", ".fem", ".inp", ".med", ".nas", ".node",
	".obj", ".post", ".stl", ".su2", ".tec", ".ugrid", ".vol", ".vtk", ".wkt", ".xdmf", ".xmf", ".xml"}

func unreadable(path string) error {
	advice := ""
	if slices.Contains(byMeshio, extension(path)) {
		advice = fmt.Sprintf("; this converts it: meshio convert %s mesh.vtu", filepath.Base(path))
	}
	return fmt.Errorf("%s: meshes are read from .msh (Gmsh), .vtu and .pvtu (VTK), .mesh and .meshb (Medit) files, "+
		"triangles also from .slf and .sel (SELAFIN), .2dm (SMS), .14, .grd and .gr3 (ADCIRC, SCHISM), .mesh (MIKE) and .nc "+
		"(UGRID) files%s", path, advice)
}

func unwritable(path string) error {
	return fmt.Errorf("%s: meshes are written to .msh (Gmsh), .vtu (VTK), .mesh and .meshb (Medit) files", path)
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Lost returns a message for users about the result of NotKept.
func Lost(what string) string {
	return "not kept, since the file format cannot represent it: " + what
}
