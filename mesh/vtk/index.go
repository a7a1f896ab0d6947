package vtk

import (
	"os"
	"path/filepath"
	"strconv"
)

// section is an element of an index that declares the arrays that its pieces have.
type section struct {
	tag  string
	list Arrays
}

// writeIndex writes the index of a data set that is stored in pieces. attributes are those of its element, beside the
// ghost level, and pieces those of each Piece, names and values in turn.
func writeIndex(f *os.File, kind string, attributes []string, sections []section, pieces [][]string) error {
	d := newDocument(f, kind)
	d.open(kind, append([]string{"GhostLevel", "0"}, attributes...)...)
	for _, s := range sections {
		d.open(s.tag)
		for _, a := range s.list {
			v, err := wrap(a.Data)
			if err != nil {
				return err
			}
			d.empty("PDataArray", "type", v.typeName(), "Name", a.Name, "NumberOfComponents", strconv.Itoa(a.width()))
		}
		d.close(s.tag)
	}
	for _, p := range pieces {
		d.empty("Piece", p...)
	}
	d.close(kind)
	d.close("VTKFile")
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

// sourcesOnly are the attributes of pieces that are known by their files alone.
func sourcesOnly(files []string) [][]string {
	pieces := make([][]string, len(files))
	for i, name := range files {
		pieces[i] = []string{"Source", filepath.ToSlash(name)}
	}
	return pieces
}
