package vtk

import (
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// WritePVTU writes the index of a grid whose pieces are .vtu files, given relative to the folder of path. like is
// any one of the pieces: all have point data and cell data of the same names, types and components, in the same
// order. The pieces need not exist yet; a viewer opens the index, so write it after them.
func WritePVTU(path string, pieces []string, like *Grid) error {
	check := func() error {
		if err := checkSources(pieces); err != nil {
			return err
		}
		return like.check()
	}
	return writeChecked(path, check, func(f *os.File) error {
		return writeIndex(f, "PUnstructuredGrid", nil, []section{
			{"PPointData", like.PointData},
			{"PCellData", like.CellData},
			{"PPoints", Arrays{{Name: "Points", Components: 3, Data: like.Points}}},
		}, sourcesOnly(pieces))
	})
}

// checkSources refuses names of files that an index cannot hold.
func checkSources(names []string) error {
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		if name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("file %d has the name %q, which XML text cannot hold", i, name)
		}
		if seen[name] {
			return fmt.Errorf("file %q is listed twice", name)
		}
		seen[name] = true
	}
	return nil
}

// readIndex reads the pieces of a .pvtu file.
func readIndex(path string, root *element) (*Grid, error) {
	names, err := sources(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g := &Grid{}
	for i, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		piece, err := readPiece(name)
		if err != nil {
			return nil, fmt.Errorf("%s: piece %d: %w", path, i, err)
		}
		if len(g.FieldData) == 0 {
			g.FieldData = piece.FieldData
		}
		if err := g.join(piece); err != nil {
			return nil, fmt.Errorf("%s: piece %d: %s: %w", path, i, name, err)
		}
	}
	return g, nil
}

// readPiece reads a .vtu file only: an index in an index could name itself.
func readPiece(path string) (*Grid, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, appended, err := parseTree(data, "UnstructuredGrid")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g, err := parseGrid(data, root, appended)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// sources returns the files that a .pvtu file lists, as they stand there. No file may stand there twice: a short
// index could take any amount of memory.
func sources(root *element) ([]string, error) {
	e, err := root.needed("PUnstructuredGrid")
	if err != nil {
		return nil, err
	}
	if level := e.attribute("GhostLevel"); level != "" && level != "0" {
		return nil, e.errorf("the attribute GhostLevel=%q: pieces with ghost cells are not supported", level)
	}
	var names []string
	seen := map[string]bool{}
	for _, p := range e.children {
		if p.tag != "Piece" {
			continue
		}
		name := filepath.Clean(filepath.FromSlash(p.attribute("Source")))
		if p.attribute("Source") == "" {
			return nil, p.errorf("the attribute Source is missing")
		}
		if seen[name] {
			return nil, p.errorf("the file %q is listed twice", name)
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, nil
}
