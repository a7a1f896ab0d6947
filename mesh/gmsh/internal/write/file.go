// Package write writes Gmsh files of version 4.1.
package write

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// File writes a file in binary (little-endian) or text.
func File(path string, c *meshfile.Content, binary bool) error {
	w, err := newWriter(c, binary)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error { return w.write(f) })
}

// To writes a file as File does.
func To(out io.Writer, c *meshfile.Content, binary bool) error {
	w, err := newWriter(c, binary)
	if err != nil {
		return err
	}
	return w.write(out)
}

// writer writes a file in text or binary. The buffered writer keeps errors until Flush.
type writer struct {
	*bufio.Writer
	*meshfile.Content
	binary  bool
	scratch []byte
	started bool // in text, whether the line already has a number

	elementSets [4]elementSet // cells, sides, lines and points
	numbers     map[entityKey]int
}

// newWriter refuses meshes that the format cannot represent.
func newWriter(c *meshfile.Content, binary bool) (*writer, error) {
	tags := make(map[[2]int]bool)
	names := append(mesh.FieldNames(c.CellData), mesh.FieldNames(c.VertexData)...)
	for _, g := range c.Groups {
		if g.Dim == c.Cells.Dim && c.Combined[g.Tag] != nil {
			continue
		}
		if g.Tag < 1 || g.Tag > math.MaxInt32 {
			return nil, fmt.Errorf("group %q of dimension %d has the tag %d; Gmsh needs 1 to %d",
				g.Name, g.Dim, g.Tag, math.MaxInt32)
		}
		if tags[[2]int{g.Dim, g.Tag}] {
			return nil, fmt.Errorf("two groups of dimension %d have the tag %d", g.Dim, g.Tag)
		}
		tags[[2]int{g.Dim, g.Tag}] = true
		names = append(names, g.Name)
	}
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "\"\r\n") {
			return nil, fmt.Errorf("the name %q is empty or has a quote or line break, which Gmsh cannot read", name)
		}
	}
	w := &writer{Content: c, binary: binary}
	points := c.PointElements()
	for k, e := range [4]*meshfile.Elements{&c.Cells, &c.Sides, &c.Lines, &points} {
		var err error
		if w.elementSets[k], err = w.newElementSet(e); err != nil {
			return nil, err
		}
	}
	w.numberEntities()
	return w, nil
}

func (w *writer) write(out io.Writer) error {
	w.Writer = bufio.NewWriterSize(out, 1<<16)
	w.header()
	w.entities()
	w.nodes()
	w.elements()
	w.periodicSides()
	for _, name := range mesh.FieldNames(w.VertexData) {
		w.field("NodeData", name, w.VertexData[name], 0)
	}
	for _, name := range mesh.FieldNames(w.CellData) {
		w.field("ElementData", name, w.CellData[name], w.elementCount()-w.Cells.Count)
	}
	return w.Flush()
}
