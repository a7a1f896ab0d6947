package mesh

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteGmsh writes a Gmsh file of version 4.1, in binary (little-endian) or text, with groups and fields. Numbers in
// text have as many digits as it takes to read the same bits. Vertices and cells get their ids, counted from 1, as
// tags; edges follow the cells. The vertex field "z" becomes the third coordinate. The mesh must have sound ids;
// groups need tags from 1 on and names without quotes and line breaks.
func WriteGmsh(path string, m *Mesh, binary bool) error {
	if err := m.writable(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, func(f io.Writer) error { return writeGmsh(f, m, binary) })
}

// writable refuses what the format cannot hold.
func (m *Mesh) writable() error {
	if err := m.checkIDs(); err != nil {
		return err
	}
	seen := make(map[[2]int]bool)
	for _, g := range m.Groups {
		if g.Tag < 1 || g.Tag > math.MaxInt32 {
			return fmt.Errorf("group %q of dimension %d has the tag %d; Gmsh needs tags from 1 to %d",
				g.Name, g.Dim, g.Tag, math.MaxInt32)
		}
		if seen[[2]int{g.Dim, g.Tag}] {
			return fmt.Errorf("two groups of dimension %d have the tag %d", g.Dim, g.Tag)
		}
		seen[[2]int{g.Dim, g.Tag}] = true
		if err := writableName(g.Name); err != nil {
			return err
		}
	}
	for _, fields := range []map[string][]float64{m.CellData, m.VertexData} {
		for _, name := range fieldNames(fields) {
			if err := writableName(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func writableName(name string) error {
	if name == "" || strings.ContainsAny(name, "\"\r\n") {
		return fmt.Errorf("the name %q is empty or has a quote or line break, which Gmsh cannot read", name)
	}
	return nil
}

// gmshWriter writes numbers in one of the two encodings. Errors stay in the buffered writer until it is flushed.
type gmshWriter struct {
	*bufio.Writer
	binary  bool
	scratch []byte
	started bool // in text, whether the line has a number
}

func writeGmsh(to io.Writer, m *Mesh, binary bool) error {
	w := &gmshWriter{Writer: bufio.NewWriterSize(to, 1<<16), binary: binary}
	w.head(m.Groups)
	w.entities(m)
	w.nodes(m)
	w.elements(m)
	for _, name := range fieldNames(m.VertexData) {
		if name != "z" {
			w.field("NodeData", name, m.VertexData[name])
		}
	}
	for _, name := range fieldNames(m.CellData) {
		w.field("ElementData", name, m.CellData[name])
	}
	return w.Flush()
}

// head begins the file.
func (w *gmshWriter) head(groups []Group) {
	kind := 0
	if w.binary {
		kind = 1
	}
	fmt.Fprintf(w, "$MeshFormat\n4.1 %d 8\n", kind)
	if w.binary {
		w.whole(1)
		w.end()
	}
	fmt.Fprint(w, "$EndMeshFormat\n")
	if len(groups) > 0 {
		fmt.Fprintf(w, "$PhysicalNames\n%d\n", len(groups))
		for _, g := range groups {
			fmt.Fprintf(w, "%d %d \"%s\"\n", g.Dim, g.Tag, g.Name)
		}
		fmt.Fprint(w, "$EndPhysicalNames\n")
	}
}

// entities writes a curve or surface for each group, with the number of the group counted from 1, and a surface
// after them for cells that have no group.
func (w *gmshWriter) entities(m *Mesh) {
	var curves, surfaces int
	for _, g := range m.Groups {
		if g.Dim == 1 {
			curves++
		} else {
			surfaces++
		}
	}
	fmt.Fprint(w, "$Entities\n")
	w.size(0)
	w.size(curves)
	w.size(surfaces + 1)
	w.size(0)
	w.endText()
	box := m.box()
	for dim := 1; dim <= 2; dim++ {
		for i, g := range m.Groups {
			if g.Dim == dim {
				w.entity(i+1, box, g.Tag)
			}
		}
	}
	w.entity(len(m.Groups)+1, box)
	w.endBinary()
	fmt.Fprint(w, "$EndEntities\n")
}

func (w *gmshWriter) entity(tag int, box [6]float64, groups ...int) {
	w.whole(tag)
	for _, x := range box {
		w.float(x)
	}
	w.size(len(groups))
	for _, g := range groups {
		w.whole(g)
	}
	w.size(0) // entities that bound it
	w.endText()
}

// box returns the lower and the upper corner of the mesh.
func (m *Mesh) box() [6]float64 {
	inf := math.Inf(1)
	box := [6]float64{inf, inf, inf, -inf, -inf, -inf}
	z := m.VertexData["z"]
	for v := range m.X {
		p := [3]float64{m.X[v], m.Y[v], 0}
		if z != nil {
			p[2] = z[v]
		}
		for i, x := range p {
			box[i], box[3+i] = min(box[i], x), max(box[3+i], x)
		}
	}
	return box
}

func (w *gmshWriter) nodes(m *Mesh) {
	fmt.Fprint(w, "$Nodes\n")
	n := len(m.X)
	w.counts(1, n)
	w.block(2, len(m.Groups)+1, 0, n)
	for v := range n {
		w.size(v + 1)
		w.endText()
	}
	z := m.VertexData["z"]
	for v := range n {
		w.float(m.X[v])
		w.float(m.Y[v])
		if z == nil {
			w.float(0)
		} else {
			w.float(z[v])
		}
		w.endText()
	}
	w.endBinary()
	fmt.Fprint(w, "$EndNodes\n")
}

// counts writes the numbers of blocks and of entries, of which the tags run from 1.
func (w *gmshWriter) counts(blocks, entries int) {
	w.size(blocks)
	w.size(entries)
	w.size(min(1, entries))
	w.size(entries)
	w.endText()
}

func (w *gmshWriter) block(dim, entity, kind, count int) {
	w.whole(dim)
	w.whole(entity)
	w.whole(kind)
	w.size(count)
	w.endText()
}

// elements writes cells and edges in their order, with a block for each run of one group.
func (w *gmshWriter) elements(m *Mesh) {
	cellEntity := func(c int) int {
		if m.CellGroup == nil || m.CellGroup[c] < 0 {
			return len(m.Groups) + 1
		}
		return int(m.CellGroup[c]) + 1
	}
	edgeEntity := func(i int) int { return int(m.Tagged[i].Group) + 1 }
	blocks := 0
	for range runs(len(m.Cells), cellEntity) {
		blocks++
	}
	for range runs(len(m.Tagged), edgeEntity) {
		blocks++
	}
	fmt.Fprint(w, "$Elements\n")
	w.counts(blocks, len(m.Cells)+len(m.Tagged))
	for start, end := range runs(len(m.Cells), cellEntity) {
		w.block(2, cellEntity(start), gmshTriangle, end-start)
		for c := start; c < end; c++ {
			w.size(c + 1)
			for _, v := range m.Cells[c] {
				w.size(int(v) + 1)
			}
			w.endText()
		}
	}
	for start, end := range runs(len(m.Tagged), edgeEntity) {
		w.block(1, edgeEntity(start), gmshLine, end-start)
		for i := start; i < end; i++ {
			w.size(len(m.Cells) + i + 1)
			w.size(int(m.Tagged[i].A) + 1)
			w.size(int(m.Tagged[i].B) + 1)
			w.endText()
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndElements\n")
}

// runs yields the bounds of the longest ranges of 0 to n-1 on which of is constant.
func runs(n int, of func(int) int) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for start := 0; start < n; {
			end := start + 1
			for end < n && of(end) == of(start) {
				end++
			}
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// field writes a view of one time step. Its lists are text in a binary file too, and its tags are of four bytes.
func (w *gmshWriter) field(section, name string, values []float64) {
	fmt.Fprintf(w, "$%s\n1\n\"%s\"\n1\n0\n3\n0\n1\n%d\n", section, name, len(values))
	for i, x := range values {
		w.whole(i + 1)
		w.float(x)
		w.endText()
	}
	w.endBinary()
	fmt.Fprintf(w, "$End%s\n", section)
}

// size writes a whole number of eight bytes.
func (w *gmshWriter) size(n int) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint64(w.scratch[:0], uint64(n))
		w.put()
		return
	}
	w.text(strconv.AppendInt(w.space(), int64(n), 10))
}

// whole writes a whole number of four bytes.
func (w *gmshWriter) whole(n int) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint32(w.scratch[:0], uint32(n))
		w.put()
		return
	}
	w.text(strconv.AppendInt(w.space(), int64(n), 10))
}

func (w *gmshWriter) float(x float64) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint64(w.scratch[:0], math.Float64bits(x))
		w.put()
		return
	}
	w.text(strconv.AppendFloat(w.space(), x, 'g', -1, 64))
}

// space returns the scratch buffer with what separates a number of text from the one before.
func (w *gmshWriter) space() []byte {
	if w.started {
		return append(w.scratch[:0], ' ')
	}
	return w.scratch[:0]
}

func (w *gmshWriter) text(b []byte) {
	w.scratch, w.started = b, true
	w.put()
}

func (w *gmshWriter) put() { _, _ = w.Write(w.scratch) }

// endText ends a line of text.
func (w *gmshWriter) endText() {
	if !w.binary {
		w.end()
	}
}

// endBinary ends the numbers of a section in binary, after which text follows.
func (w *gmshWriter) endBinary() {
	if w.binary {
		w.end()
	}
}

func (w *gmshWriter) end() {
	_ = w.WriteByte('\n')
	w.started = false
}
