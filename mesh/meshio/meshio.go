// Package meshio reads and writes mesh files by the extension of their name.
package meshio

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// Read reads a mesh from a Gmsh (.msh), VTK (.vtu) or Medit (.mesh) file, as it stands in the file: mesh.Check tells
// whether solvers can use it. Errors name the file and the place in it.
func Read(path string) (*mesh.Mesh, error) {
	switch extension(path) {
	case ".msh":
		return mesh.ReadGmsh(path)
	case ".mesh":
		return mesh.ReadMedit(path)
	case ".vtu":
		return vtk.ReadMesh(path)
	}
	return nil, fmt.Errorf("%s: meshes are read from .msh (Gmsh), .vtu (VTK) and .mesh (Medit) files", path)
}

// Write writes a mesh to a Gmsh file in binary (.msh), or a VTK file (.vtu). Errors name the file.
func Write(path string, m *mesh.Mesh) error {
	switch extension(path) {
	case ".msh":
		return mesh.WriteGmsh(path, m, true)
	case ".vtu":
		return vtk.WriteMesh(path, m)
	}
	return fmt.Errorf("%s: meshes are written to .msh (Gmsh) and .vtu (VTK) files", path)
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }
