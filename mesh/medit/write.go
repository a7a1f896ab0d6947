package medit

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Write writes a Medit file: in binary (little-endian, of version 2, or of version 3 if an offset has more than 31
// bits) if the name ends in .meshb, otherwise in text with as many digits as are needed to read the same bits. Groups
// become references of triangles and edges, and m.Marks become the sections for corners, ridges and required entities.
// The field "z" becomes the third coordinate. Names of groups and other fields are lost.
func Write(path string, m *mesh.Mesh) error {
	w, err := newWriter(m, inMeshb(path))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error { return w.write(f) })
}

// WriteSolid writes a Medit file of tetrahedra, as Write does for triangles.
func WriteSolid(path string, s *mesh.Solid) error {
	if err := s.CheckIDs(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	w := writerOf(meshfile.OfSolid(s), inMeshb(path))
	return atomicfile.Write(path, func(f *atomicfile.File) error { return w.write(f) })
}

func inMeshb(path string) bool { return strings.EqualFold(filepath.Ext(path), ".meshb") }

type writer struct {
	*bufio.Writer
	*meshfile.Content
	binary   bool
	long     bool // version 3, in which offsets have 8 bytes
	sections []section
	next     int64 // in a binary file, the offset of the next section
	scratch  [32]byte
}

// section is a section with entries: all except Dimension and End.
type section struct {
	key   int    // in binary files
	name  string // in text
	count int    // of entries
	size  int    // of an entry in binary files, in bytes
	write func(i int)
}

func newWriter(m *mesh.Mesh, inBinary bool) (*writer, error) {
	if err := m.CheckIDs(); err != nil {
		return nil, err
	}
	for _, g := range m.Groups {
		if g.Tag == 0 || g.Tag != int(int32(g.Tag)) {
			return nil, fmt.Errorf("group %q of dimension %d has the tag %d; references have 32 bits and are not 0", g.Name,
				g.Dim, g.Tag)
		}
	}
	return writerOf(meshfile.OfMesh(m), inBinary), nil
}

func writerOf(c *meshfile.Content, inBinary bool) *writer {
	w := &writer{Content: c, binary: inBinary}
	w.sections = w.listSections()
	w.long = needs8Bytes(w.sections)
	return w
}

// needs8Bytes reports whether the offsets of a binary file do not fit into signed integers of 4 bytes.
func needs8Bytes(sections []section) bool { return endOffset(sections) > math.MaxInt32 }

// bytes is the size of a section in a binary file without its keyword and offset: the number of entries, and these.
func (s *section) bytes() int64 { return 4 + int64(s.count)*int64(s.size) }

// endOffset returns the offset of the section End in a binary file of version 2, the largest offset in the file.
func endOffset(sections []section) int64 {
	offset := int64(8 + 12) // byte-order mark and version, and the section Dimension
	for k := range sections {
		offset += 8 + sections[k].bytes()
	}
	return offset
}

// simplexSections are the sections of elements by dimension, with their numbers in binary files.
var simplexSections = [4]struct {
	key  int
	name string
}{1: {5, "Edges"}, 2: {6, "Triangles"}, 3: {8, "Tetrahedra"}}

func (w *writer) write(out io.Writer) error {
	w.Writer = bufio.NewWriterSize(out, 1<<16)
	w.header()
	for k := range w.sections {
		s := &w.sections[k]
		w.begin(s.key, s.name, s.bytes())
		w.lastOfLine(s.count)
		for i := range s.count {
			s.write(i)
		}
	}
	return w.finish()
}

// listSections returns the sections in the order in which they are written.
func (w *writer) listSections() []section {
	points := w.Points[:w.dim()]
	sections := []section{{4, "Vertices", len(points[0]), 8*len(points) + 4, func(v int) {
		for _, x := range points {
			w.float(x[v])
		}
		ref := 0
		if k := w.Content.Marks; k != nil && k.Refs != nil {
			ref = int(k.Refs[v])
		}
		w.lastOfLine(ref)
	}}}
	byDim := map[int]*meshfile.Elements{w.Sides.Dim: &w.Sides, w.Cells.Dim: &w.Cells}
	m := markingOf(w.Content.Marks, byDim[1], byDim[2])
	for dim := 1; dim <= 3; dim++ {
		if e := m.withMarked(dim, byDim[dim]); e != nil && e.Count > 0 {
			sections = append(sections, w.elements(e))
		}
	}
	return append(sections, w.marks(&m)...)
}

// dim is the dimension of the space.
func (w *writer) dim() int {
	if w.Points[2] == nil {
		return 2
	}
	return 3
}

// elements returns the section of the elements of one dimension.
func (w *writer) elements(e *meshfile.Elements) section {
	s := &simplexSections[e.Dim]
	return section{s.key, s.name, e.Count, 4 * (e.Dim + 2), func(i int) {
		for _, v := range e.Vertices(i) {
			w.integer(int(v) + 1)
		}
		w.lastOfLine(int(e.Tag(i)))
	}}
}

// header writes the version and the dimension, after the byte-order mark 1 of a binary file.
func (w *writer) header() {
	version := 2
	if w.long {
		version = 3
	}
	if w.binary {
		w.integer(1) // as an integer of 4 bytes
		w.integer(version)
		w.begin(keywordDimension, "", 0)
		w.integer(w.dim())
		return
	}
	fmt.Fprintf(w, "MeshVersionFormatted %d\n\nDimension %d\n", version, w.dim())
}

// finish writes the section End and flushes.
func (w *writer) finish() error {
	if w.binary {
		w.begin(keywordEnd, "", 0)
	} else {
		_, _ = w.WriteString("\nEnd\n")
	}
	return w.Flush() // returns the first error of any write
}

// begin writes the keyword of a section: in text its name; in a binary file its key and the offset of the next section,
// 0 for the last. bytes is the size of the section after its keyword and offset. The section of the dimension, the
// first after the 8 bytes of byte-order mark and version, always has 4 bytes.
func (w *writer) begin(key int, name string, bytes int64) {
	if !w.binary {
		fmt.Fprintf(w, "\n%s\n", name)
		return
	}
	if key == keywordDimension {
		w.next, bytes = 8, 4
	}
	head := int64(8)
	if w.long {
		head = 12
	}
	w.next += head + bytes
	next := w.next
	if key == keywordEnd {
		next = 0
	}
	w.integer(key)
	if w.long {
		_, _ = w.Write(binary.LittleEndian.AppendUint64(w.scratch[:0], uint64(next)))
	} else {
		w.integer(int(next))
	}
}

// integer writes an integer that is not the last of its entry.
func (w *writer) integer(n int) {
	if w.binary {
		_, _ = w.Write(binary.LittleEndian.AppendUint32(w.scratch[:0], uint32(n)))
		return
	}
	_, _ = w.Write(append(strconv.AppendInt(w.scratch[:0], int64(n), 10), ' '))
}

// lastOfLine writes the integer that ends an entry, and in text its line.
func (w *writer) lastOfLine(n int) {
	if w.binary {
		w.integer(n)
		return
	}
	_, _ = w.Write(append(strconv.AppendInt(w.scratch[:0], int64(n), 10), '\n'))
}

func (w *writer) float(x float64) {
	if w.binary {
		_, _ = w.Write(binary.LittleEndian.AppendUint64(w.scratch[:0], math.Float64bits(x)))
		return
	}
	_, _ = w.Write(append(strconv.AppendFloat(w.scratch[:0], x, 'g', -1, 64), ' '))
}
