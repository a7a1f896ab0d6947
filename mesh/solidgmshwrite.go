package mesh

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// WriteSolidGmsh writes a Gmsh file of version 4.1, in binary or text, as WriteGmsh does: tetrahedra, tagged faces, the
// names of groups, and fields. Tags must be from 1 on, or 0 of cells in no group.
func WriteSolidGmsh(path string, s *Solid, binary bool) error {
	w, err := newSolidGmshWriter(s)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, func(f io.Writer) error { return w.write(f, s, binary) })
}

// solidGmshWriter numbers entities, counted from 1: a surface for each tag of faces, a volume for each of cells.
type solidGmshWriter struct {
	gmshWriter
	surfaces, volumes []int32 // tags, ascending
}

// newSolidGmshWriter refuses what the format cannot hold.
func newSolidGmshWriter(s *Solid) (*solidGmshWriter, error) {
	if err := s.checkIDs(); err != nil {
		return nil, err
	}
	w := &solidGmshWriter{volumes: slices.Clone(s.CellTag)}
	if s.CellTag == nil {
		w.volumes = []int32{0}
	}
	for _, f := range s.Faces {
		w.surfaces = append(w.surfaces, f.Tag)
	}
	slices.Sort(w.surfaces)
	slices.Sort(w.volumes)
	w.surfaces, w.volumes = slices.Compact(w.surfaces), slices.Compact(w.volumes)
	if len(w.surfaces) > 0 && w.surfaces[0] < 1 || w.volumes[0] < 0 {
		return nil, fmt.Errorf("a face has the tag %d, a cell the tag %d; Gmsh needs tags from 1 on",
			append(w.surfaces, 0)[0], w.volumes[0])
	}
	names := fieldNames(s.CellData)
	names = append(names, fieldNames(s.VertexData)...)
	for _, g := range s.Groups {
		names = append(names, g.Name)
	}
	for _, name := range names {
		if err := writableName(name); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *solidGmshWriter) write(to io.Writer, s *Solid, binary bool) error {
	w.Writer, w.binary = bufio.NewWriterSize(to, 1<<16), binary
	w.head(s.Groups)
	w.entities(s)
	w.nodes(s)
	w.elements(s)
	for _, name := range fieldNames(s.VertexData) {
		w.field("NodeData", name, s.VertexData[name])
	}
	for _, name := range fieldNames(s.CellData) {
		w.field("ElementData", name, s.CellData[name])
	}
	return w.Flush()
}

func (w *solidGmshWriter) entities(s *Solid) {
	var box [6]float64
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		box[axis], box[3+axis] = slices.Min(x), slices.Max(x)
	}
	fmt.Fprint(w, "$Entities\n")
	w.size(0)
	w.size(0)
	w.size(len(w.surfaces))
	w.size(len(w.volumes))
	w.endText()
	for _, tags := range [2][]int32{w.surfaces, w.volumes} {
		for i, tag := range tags {
			if tag == 0 {
				w.entity(i+1, box)
			} else {
				w.entity(i+1, box, int(tag))
			}
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndEntities\n")
}

func (w *solidGmshWriter) nodes(s *Solid) {
	fmt.Fprint(w, "$Nodes\n")
	w.counts(1, len(s.X))
	w.block(3, 1, 0, len(s.X))
	for v := range s.X {
		w.size(v + 1)
		w.endText()
	}
	for v := range s.X {
		w.float(s.X[v])
		w.float(s.Y[v])
		w.float(s.Z[v])
		w.endText()
	}
	w.endBinary()
	fmt.Fprint(w, "$EndNodes\n")
}

// elements writes cells and faces in their order, with a block for each run of one tag.
func (w *solidGmshWriter) elements(s *Solid) {
	entity := func(tags []int32, tag int32) int {
		at, _ := slices.BinarySearch(tags, tag)
		return at + 1
	}
	volume := func(c int) int {
		if s.CellTag == nil {
			return 1
		}
		return entity(w.volumes, s.CellTag[c])
	}
	surface := func(i int) int { return entity(w.surfaces, s.Faces[i].Tag) }
	blocks := 0
	for range runs(len(s.Cells), volume) {
		blocks++
	}
	for range runs(len(s.Faces), surface) {
		blocks++
	}
	fmt.Fprint(w, "$Elements\n")
	w.counts(blocks, len(s.Cells)+len(s.Faces))
	number := 0
	put := func(vertices ...int32) {
		number++
		w.size(number)
		for _, v := range vertices {
			w.size(int(v) + 1)
		}
		w.endText()
	}
	for start, end := range runs(len(s.Cells), volume) {
		w.block(3, volume(start), gmshTetrahedron, end-start)
		for c := start; c < end; c++ {
			put(s.Cells[c][:]...)
		}
	}
	for start, end := range runs(len(s.Faces), surface) {
		w.block(2, surface(start), gmshTriangle, end-start)
		for i := start; i < end; i++ {
			put(s.Faces[i].V[:]...)
		}
	}
	w.endBinary()
	fmt.Fprint(w, "$EndElements\n")
}
