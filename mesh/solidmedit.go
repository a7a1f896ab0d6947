package mesh

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// ReadSolidMedit reads a mesh of tetrahedra from a Medit file, in text or in binary, as ReadMedit reads one of
// triangles. Triangles with a reference other than 0 become tagged faces; edges are passed over, since those between
// sides are found by their angles. Errors name the line or the offset in bytes.
func ReadSolidMedit(path string) (*Solid, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseSolidMedit(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func parseSolidMedit(data []byte) (*Solid, error) {
	r := newMeditReader(data)
	r.solid = &Solid{}
	if err := r.sections(); err != nil {
		return nil, err
	}
	s, m := r.solid, r.mesh
	switch {
	case !r.have["Vertices"] || len(s.Cells) == 0:
		return nil, r.at(len(r.data), "the file has no vertices or no tetrahedra")
	case r.dim != 3:
		return nil, r.at(len(r.data), "tetrahedra in dimension %d", r.dim)
	}
	for _, g := range m.Groups {
		if g.Tag != int(int32(g.Tag)) {
			return nil, r.at(len(r.data), "the reference %d has more than 32 bits", g.Tag)
		}
	}
	s.X, s.Y, s.Z = m.X, m.Y, r.z
	for i, g := range m.CellGroup {
		if g >= 0 {
			s.Faces = append(s.Faces, TaggedFace{m.Cells[i], int32(m.Groups[g].Tag)})
		}
	}
	return s, nil
}

// wanted is what the reader reads.
func (r *meditReader) wanted() string {
	if r.solid != nil {
		return "tetrahedra"
	}
	return "triangles"
}

func (r *meditReader) tetrahedra(count int64) error {
	if err := r.holds(count, 10, "tetrahedra"); err != nil {
		return err
	}
	s := r.solid
	s.Cells = make([][4]int32, count)
	tags, tagged := make([]int32, count), false
	for c := range count {
		g, err := r.entry("tetrahedron", c, s.Cells[c][:])
		if err != nil {
			return err
		}
		if g >= 0 {
			tags[c], tagged = int32(r.mesh.Groups[g].Tag), true
		}
	}
	if tagged {
		s.CellTag = tags
	}
	return nil
}

// WriteSolidMedit writes a Medit file, as WriteMedit does.
func WriteSolidMedit(path string, s *Solid) error {
	w, err := newSolidMeditWriter(s, strings.EqualFold(filepath.Ext(path), ".meshb"))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, func(f io.Writer) error { return w.writeSolid(f, s) })
}

func newSolidMeditWriter(s *Solid, inBinary bool) (*meditWriter, error) {
	if err := s.checkIDs(); err != nil {
		return nil, err
	}
	size := 28*int64(len(s.X)) + 20*int64(len(s.Cells)) + 16*int64(len(s.Faces)) + 1024
	return &meditWriter{dim: 3, binary: inBinary, long: size > math.MaxInt32}, nil
}

func (w *meditWriter) writeSolid(to io.Writer, s *Solid) error {
	w.Writer = bufio.NewWriterSize(to, 1<<16)
	w.head()
	w.section(4, "Vertices", len(s.X), 8*w.dim+4)
	for v := range s.X {
		w.float(s.X[v])
		w.float(s.Y[v])
		w.float(s.Z[v])
		w.last(0)
	}
	if len(s.Faces) > 0 {
		w.section(6, "Triangles", len(s.Faces), 16)
		for _, f := range s.Faces {
			for _, v := range f.V {
				w.whole(int(v) + 1)
			}
			w.last(int(f.Tag))
		}
	}
	w.section(8, "Tetrahedra", len(s.Cells), 20)
	for c, cell := range s.Cells {
		for _, v := range cell {
			w.whole(int(v) + 1)
		}
		tag := int32(0)
		if s.CellTag != nil {
			tag = s.CellTag[c]
		}
		w.last(int(tag))
	}
	return w.tail()
}
