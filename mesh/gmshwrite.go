package mesh

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// WriteGmsh writes a Gmsh file of version 4.1, in binary (little-endian) or text, with groups and fields. Numbers in
// text have as many digits as it takes to read the same bits. Vertices and cells get their ids, counted from 1, as
// tags; edges follow the cells, with NaN in the fields of cells. The vertex field "z" becomes the third
// coordinate. The mesh must have sound ids; groups need tags from 1 on and names without quotes and line breaks.
func WriteGmsh(path string, m *Mesh, binary bool) error {
	if err := m.checkIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeGmsh(path, m.content(), binary)
}

// WriteSolidGmsh writes a Gmsh file as WriteGmsh does: tetrahedra, tagged faces, the lines of Marks, the names of
// groups, and fields. Tags
// must be from 1 on, or 0 of cells in no group.
func WriteSolidGmsh(path string, s *Solid, binary bool) error {
	if err := s.checkIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeGmsh(path, s.content(), binary)
}

func writeGmsh(path string, c *content, binary bool) error {
	w, err := newGmshWriter(c, binary)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(f *os.File) error { return w.write(f) })
}

// gmshWriter writes numbers in one of the two encodings. Errors stay in the buffered writer until it is flushed.
type gmshWriter struct {
	*bufio.Writer
	*content
	binary  bool
	scratch []byte
	started bool // in text, whether the line has a number

	parts [3]gmshPart // cells, sides and lines
}

// gmshPart is the elements of a dimension, and the tags that they have, ascending: entity i+1 is of tag i.
type gmshPart struct {
	*elements
	tags []int32
}

// newGmshWriter refuses what the format cannot hold.
func newGmshWriter(c *content, binary bool) (*gmshWriter, error) {
	seen := make(map[[2]int]bool)
	names := append(fieldNames(c.cellData), fieldNames(c.vertexData)...)
	for _, g := range c.groups {
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
	w := &gmshWriter{content: c, binary: binary}
	for k, e := range [3]*elements{&c.cells, &c.sides, &c.lines} {
		tags, err := gmshTags(e, []string{"cell", "face", "edge"}[k], int32(min(k, 1)))
		if err != nil {
			return nil, err
		}
		w.parts[k] = gmshPart{e, tags}
	}
	return w, nil
}

func gmshTags(e *elements, what string, lowest int32) (tags []int32, err error) {
	for start := range e.runs() {
		tag := e.tag(start)
		if tag < lowest {
			return nil, fmt.Errorf("%s %d has the tag %d; Gmsh needs tags from 1 on", what, start, tag)
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return slices.Compact(tags), nil
}

func (w *gmshWriter) write(to io.Writer) error {
	w.Writer = bufio.NewWriterSize(to, 1<<16)
	w.head()
	w.entities()
	w.nodes()
	w.elements()
	for _, name := range fieldNames(w.vertexData) {
		w.field("NodeData", name, w.vertexData[name], 0)
	}
	for _, name := range fieldNames(w.cellData) {
		w.field("ElementData", name, w.cellData[name], w.sides.count+w.lines.count)
	}
	return w.Flush()
}
