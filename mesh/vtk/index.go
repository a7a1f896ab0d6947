package vtk

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// section is an element of an index that declares arrays of the pieces.
type section struct {
	tag  string
	list Arrays
}

// writeIndex writes the index of a data set that is stored in pieces: the element kind, a list of arrays, and an
// element Piece for each file. attributes are those of the element kind, besides GhostLevel; pieces are those of each
// Piece. Both list names and values alternately.
func writeIndex(f io.Writer, kind string, attributes []string, sections []section, pieces [][]string) error {
	d := newDocument(kind, true)
	d.open(kind, append([]string{"GhostLevel", "0"}, attributes...)...)
	for _, s := range sections {
		d.open(s.tag)
		for _, a := range s.list {
			v, err := xmldata.Wrap(a.Data)
			if err != nil {
				return err
			}
			d.empty("PDataArray", "type", v.TypeName(), "Name", a.Name, "NumberOfComponents", strconv.Itoa(a.width()))
		}
		d.close(s.tag)
	}
	for _, p := range pieces {
		d.empty("Piece", p...)
	}
	return d.write(f)
}

// sourcesOnly returns the attributes of pieces that have only Source, the name of their file.
func sourcesOnly(files []string) [][]string {
	pieces := make([][]string, len(files))
	for i, name := range files {
		pieces[i] = []string{"Source", filepath.ToSlash(name)}
	}
	return pieces
}

// checkSources refuses names of files that are empty, not UTF-8, or listed twice.
func checkSources(names []string) error {
	listed := make(map[string]bool, len(names))
	for i, name := range names {
		if name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("file %d has the name %q; want UTF-8 text that is not empty", i, name)
		}
		if listed[name] {
			return fmt.Errorf("file %q is listed twice", name)
		}
		listed[name] = true
	}
	return nil
}

// sources returns the files that an index lists, with paths as in the index. A file may not be listed twice: otherwise
// a short index could cause the reader to allocate any amount of memory.
func sources(root *xmldata.Element) ([]string, error) {
	e, err := root.Needed(root.Attribute("type"))
	if err != nil {
		return nil, err
	}
	if level := e.Attribute("GhostLevel"); level != "" && level != "0" {
		return nil, e.Errorf("the attribute GhostLevel=%q: pieces with ghost cells are not supported", level)
	}
	var names []string
	listed := map[string]bool{}
	for _, p := range piecesOf(e) {
		name := filepath.Clean(filepath.FromSlash(p.Attribute("Source")))
		if p.Attribute("Source") == "" {
			return nil, p.Errorf("the attribute Source is missing")
		}
		if listed[name] {
			return nil, p.Errorf("the file %q is listed twice", name)
		}
		listed[name] = true
		names = append(names, name)
	}
	return names, nil
}

// piecesOf returns the children with the tag Piece.
func piecesOf(e *xmldata.Element) (found []*xmldata.Element) {
	for _, c := range e.Children {
		if c.Tag == "Piece" {
			found = append(found, c)
		}
	}
	return found
}
