package gmsh

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Write writes a Gmsh file of version 4.1, in binary (little-endian) or text, with groups and fields. Numbers in
// text have as many digits as it takes to read the same bits. Vertices and cells get their ids, counted from 1, as
// tags; edges follow the cells, with NaN in the fields of cells. The vertex field "z" becomes the third
// coordinate. The mesh must have sound ids; groups need tags from 1 on and names without quotes and line breaks.
func Write(path string, m *mesh.Mesh, binary bool) error {
	if err := m.CheckIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return write(path, meshfile.OfMesh(m), binary)
}

// WriteSolid writes a Gmsh file as Write does: tetrahedra, tagged faces, the lines of Marks, the names of
// groups, and fields. Tags
// must be from 1 on, or 0 of cells in no group.
func WriteSolid(path string, s *mesh.Solid, binary bool) error {
	if err := s.CheckIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return write(path, meshfile.OfSolid(s), binary)
}

func write(path string, c *meshfile.Content, binary bool) error {
	w, err := newWriter(c, binary)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(f *os.File) error { return w.write(f) })
}

// writer writes numbers in one of the two encodings. Errors stay in the buffered writer until it is flushed.
type writer struct {
	*bufio.Writer
	*meshfile.Content
	binary  bool
	scratch []byte
	started bool // in text, whether the line has a number

	parts [3]part // cells, sides and lines
}

// part is the elements of a dimension, and the tags that they have, ascending: entity i+1 is of tag i.
type part struct {
	*meshfile.Elements
	tags []int32
}

// newWriter refuses what the format cannot hold.
func newWriter(c *meshfile.Content, binary bool) (*writer, error) {
	seen := make(map[[2]int]bool)
	names := append(mesh.FieldNames(c.CellData), mesh.FieldNames(c.VertexData)...)
	for _, g := range c.Groups {
		if g.Tag < 1 || g.Tag > math.MaxInt32 {
			return nil, fmt.Errorf("group %q of dimension %d has the tag %d; Gmsh needs tags from 1 to %d",
				g.Name, g.Dim, g.Tag, math.MaxInt32)
		}
		if seen[[2]int{g.Dim, g.Tag}] {
			return nil, fmt.Errorf("two groups of dimension %d have the tag %d", g.Dim, g.Tag)
		}
		seen[[2]int{g.Dim, g.Tag}] = true
		names = append(names, g.Name)
	}
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "\"\r\n") {
			return nil, fmt.Errorf("the name %q is empty or has a quote or line break, which Gmsh cannot read", name)
		}
	}
	w := &writer{Content: c, binary: binary}
	for k, e := range [3]*meshfile.Elements{&c.Cells, &c.Sides, &c.Lines} {
		tags, err := tagsOf(e, []string{"cell", "face", "edge"}[k], int32(min(k, 1)))
		if err != nil {
			return nil, err
		}
		w.parts[k] = part{e, tags}
	}
	return w, nil
}

func tagsOf(e *meshfile.Elements, what string, lowest int32) (tags []int32, err error) {
	for start := range e.Runs() {
		tag := e.Tag(start)
		if tag < lowest {
			return nil, fmt.Errorf("%s %d has the tag %d; Gmsh needs tags from 1 on", what, start, tag)
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return slices.Compact(tags), nil
}

func (w *writer) write(to io.Writer) error {
	w.Writer = bufio.NewWriterSize(to, 1<<16)
	w.head()
	w.entities()
	w.nodes()
	w.elements()
	for _, name := range mesh.FieldNames(w.VertexData) {
		w.field("NodeData", name, w.VertexData[name], 0)
	}
	for _, name := range mesh.FieldNames(w.CellData) {
		w.field("ElementData", name, w.CellData[name], w.Sides.Count+w.Lines.Count)
	}
	return w.Flush()
}
