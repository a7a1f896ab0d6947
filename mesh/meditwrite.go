package mesh

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WriteMedit writes a Medit file, in binary (little-endian, of version 2, or 3 from 2 GiB on) where the name ends in
// .meshb, or else in text with as many digits as it takes to read the same bits. Groups become references of triangles
// and edges; their names and all fields but "z", which becomes the third coordinate, are not kept.
func WriteMedit(path string, m *Mesh) error {
	w, err := newMeditWriter(m, strings.EqualFold(filepath.Ext(path), ".meshb"))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, w.write)
}

// replaceFile writes a file, which takes its place when it is whole.
func replaceFile(path string, write func(io.Writer) error) error {
	temporary := path + ".part"
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

type meditWriter struct {
	*bufio.Writer
	mesh    *Mesh
	dim     int
	binary  bool
	long    bool // positions have 8 bytes
	at      int64
	scratch [32]byte
}

func newMeditWriter(m *Mesh, inBinary bool) (*meditWriter, error) {
	if err := m.checkIDs(); err != nil {
		return nil, err
	}
	for _, g := range m.Groups {
		if g.Tag == 0 || g.Tag != int(int32(g.Tag)) {
			return nil, fmt.Errorf("group %q of dimension %d has the tag %d; references have 32 bits and are not 0", g.Name,
				g.Dim, g.Tag)
		}
	}
	w := &meditWriter{mesh: m, dim: 2, binary: inBinary}
	if z := m.VertexData[zName]; z != nil {
		if len(z) != len(m.X) {
			return nil, fmt.Errorf("the vertex field %q has %d values for %d vertices", zName, len(z), len(m.X))
		}
		w.dim = 3
	}
	w.long = 32*int64(len(m.X))+16*int64(len(m.Cells))+12*int64(len(m.Tagged))+1024 > math.MaxInt32
	return w, nil
}

// zName is the vertex field of third coordinates.
const zName = "z"

func (w *meditWriter) write(to io.Writer) error {
	w.Writer = bufio.NewWriterSize(to, 1<<16)
	m := w.mesh
	w.head()
	w.section(4, "Vertices", len(m.X), 8*w.dim+4)
	for v := range m.X {
		w.float(m.X[v])
		w.float(m.Y[v])
		if w.dim == 3 {
			w.float(m.VertexData[zName][v])
		}
		w.last(0)
	}
	if len(m.Tagged) > 0 {
		w.section(5, "Edges", len(m.Tagged), 12)
		for _, e := range m.Tagged {
			w.whole(int(e.A) + 1)
			w.whole(int(e.B) + 1)
			w.last(m.Groups[e.Group].Tag)
		}
	}
	w.section(6, "Triangles", len(m.Cells), 16)
	for c, cell := range m.Cells {
		for _, v := range cell {
			w.whole(int(v) + 1)
		}
		ref := 0
		if m.CellGroup != nil && m.CellGroup[c] >= 0 {
			ref = m.Groups[m.CellGroup[c]].Tag
		}
		w.last(ref)
	}
	return w.tail()
}

// head writes what a file begins with.
func (w *meditWriter) head() {
	version := 2
	if w.long {
		version = 3
	}
	if w.binary {
		w.whole(1)
		w.whole(version)
		w.begin(solDimension, "", 0)
		w.whole(w.dim)
		return
	}
	fmt.Fprintf(w, "MeshVersionFormatted %d\n\nDimension %d\n", version, w.dim)
}

// tail ends a file.
func (w *meditWriter) tail() error {
	if w.binary {
		w.begin(solEnd, "", 0)
	} else {
		_, _ = w.WriteString("\nEnd\n")
	}
	return w.Flush() // which has the first error of any write
}

// section begins one of so many entries of so many bytes.
func (w *meditWriter) section(key int, name string, count, size int) {
	w.begin(key, name, count*size+4)
	w.last(count)
}

// begin writes what a section begins with. In a binary file that is where the next one does, 0 after the last; the
// section's own numbers take so many bytes, one of 4 for the dimension.
func (w *meditWriter) begin(key int, name string, bytes int) {
	if !w.binary {
		fmt.Fprintf(w, "\n%s\n", name)
		return
	}
	if key == solDimension {
		w.at, bytes = 8, 4
	}
	head := int64(8)
	if w.long {
		head = 12
	}
	w.at += head + int64(bytes)
	next := w.at
	if key == solEnd {
		next = 0
	}
	w.whole(key)
	if w.long {
		_, _ = w.Write(binary.LittleEndian.AppendUint64(w.scratch[:0], uint64(next)))
	} else {
		w.whole(int(next))
	}
}

func (w *meditWriter) whole(n int) {
	if w.binary {
		_, _ = w.Write(binary.LittleEndian.AppendUint32(w.scratch[:0], uint32(n)))
		return
	}
	_, _ = w.Write(append(strconv.AppendInt(w.scratch[:0], int64(n), 10), ' '))
}

// last writes the number that ends an entry.
func (w *meditWriter) last(n int) {
	if w.binary {
		w.whole(n)
		return
	}
	_, _ = w.Write(append(strconv.AppendInt(w.scratch[:0], int64(n), 10), '\n'))
}

func (w *meditWriter) float(x float64) {
	if w.binary {
		_, _ = w.Write(binary.LittleEndian.AppendUint64(w.scratch[:0], math.Float64bits(x)))
		return
	}
	_, _ = w.Write(append(strconv.AppendFloat(w.scratch[:0], x, 'g', -1, 64), ' '))
}
