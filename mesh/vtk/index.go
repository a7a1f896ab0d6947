package vtk

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// section is an element of an index that declares the arrays that its pieces have.
type section struct {
	tag  string
	list Arrays
}

// writeIndex writes the index of a data set that is stored in pieces: the element kind, a list of arrays, and an
// element Piece for each file. attributes are those of the element kind, besides GhostLevel; pieces are those of each
// Piece. Both list names and values alternately.
func writeIndex(f *os.File, kind string, attributes []string, sections []section, pieces [][]string) error {
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

// sourcesOnly are the attributes of pieces that need no other than Source, the name of their file.
func sourcesOnly(files []string) [][]string {
	pieces := make([][]string, len(files))
	for i, name := range files {
		pieces[i] = []string{"Source", filepath.ToSlash(name)}
	}
	return pieces
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

// sources returns the files that an index lists, with paths as they are written in it. No file may be listed twice, or
// a short index could make the reader take any amount of memory.
func sources(root *xmldata.Element) ([]string, error) {
	e, err := root.Needed(root.Attribute("type"))
	if err != nil {
		return nil, err
	}
	if level := e.Attribute("GhostLevel"); level != "" && level != "0" {
		return nil, e.Errorf("the attribute GhostLevel=%q: pieces with ghost cells are not supported", level)
	}
	var names []string
	seen := map[string]bool{}
	for _, p := range piecesOf(e) {
		name := filepath.Clean(filepath.FromSlash(p.Attribute("Source")))
		if p.Attribute("Source") == "" {
			return nil, p.Errorf("the attribute Source is missing")
		}
		if seen[name] {
			return nil, p.Errorf("the file %q is listed twice", name)
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, nil
}

// piecesOf returns the children that are pieces.
func piecesOf(e *xmldata.Element) (found []*xmldata.Element) {
	for _, c := range e.Children {
		if c.Tag == "Piece" {
			found = append(found, c)
		}
	}
	return found
}
