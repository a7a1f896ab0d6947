package gmsh

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
	"github.com/atoll-hpc/atoll/mesh/sliced"
)

// errUnusual is the error of Layout about what only Read can read, or refuse.
var errUnusual = errors.New("not a usual binary file of version 4.1")

// Layout returns where a binary file of version 4.1 has a mesh of triangles, so that several readers can read slices of
// what Read returns. It reads the headers of blocks, not the vertices and elements. Its error is about a file that it
// does not know, or that has more than most blocks; Read may read it, or say what is wrong.
func Layout(path string, most int) (*sliced.Layout, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errUnusual)
	}
	s := &survey{reader: newReader(nil), file: f, blocks: most}
	s.layout = sliced.Layout{Path: path, Size: info.Size(), Modified: info.ModTime()}
	if err := s.whole(); err != nil {
		return nil, err
	}
	return &s.layout, nil
}

// survey goes from block to block of a file. Its reader reads the sections without nodes and elements, and sees of each
// block of elements one, with vertices that have the number of the block.
type survey struct {
	*reader
	file   io.ReaderAt
	window []byte // bytes of the file from start on
	start  int64
	at     int64 // of the next section
	blocks int   // that may follow
	layout sliced.Layout

	sides map[int32]int // index in layout.Sides of each block with sides
}

// windowBytes is the least number of bytes that are read at a time: several headers, if blocks are small.
const windowBytes = 1 << 12

// bytes returns up to n bytes from a position on.
func (s *survey) bytes(at, n int64) ([]byte, error) {
	if at < s.start || at+n > s.start+int64(len(s.window)) {
		s.window, s.start = make([]byte, max(n, windowBytes)), at
		read, err := s.file.ReadAt(s.window, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		s.window = s.window[:read]
	}
	rest := s.window[at-s.start:]
	return rest[:min(n, int64(len(rest)))], nil
}

func (s *survey) whole() error {
	head, err := s.bytes(0, 512)
	if err != nil {
		return err
	}
	if s.Data = head; s.format() != nil || !s.Binary || !s.v41 || s.Order != binary.LittleEndian {
		return errUnusual
	}
	for s.at = int64(s.Pos); ; {
		if s.Data, err = s.bytes(s.at, 512); err != nil {
			return err
		}
		s.Pos = 0
		if s.SkipSpace(); s.Left() == 0 {
			break
		}
		word := s.Token()
		s.Line()
		s.at += int64(s.Pos)
		if err := s.surveySection(string(word)); err != nil {
			return err
		}
	}
	return s.finishLayout()
}

func (s *survey) surveySection(word string) error {
	switch word {
	case "$PhysicalNames", "$Entities", "$PartitionedEntities":
		return s.smallSection(word[1:])
	case "$Nodes":
		return s.surveyNodes()
	case "$Elements":
		return s.surveyElements()
	case "$NodeData", "$ElementData":
		return s.surveyField(word[1:], word == "$ElementData")
	case "$Comments":
		_, err := s.content(word[1:])
		return err
	}
	return errUnusual
}

// content returns a section of at most 256 MiB, with its end, and moves to the next.
func (s *survey) content(name string) (content []byte, err error) {
	const most = 1 << 28
	for n := int64(1 << 16); ; n *= 4 {
		content = make([]byte, min(n, s.layout.Size-s.at))
		if _, err := s.file.ReadAt(content, s.at); err != nil {
			return nil, err
		}
		end := []byte("$End" + name)
		if k := bytes.Index(content, end); k >= 0 {
			content = content[:k+len(end)]
			s.at += int64(len(content))
			return content, nil
		}
		if n >= most || int64(len(content)) < n {
			return nil, errUnusual
		}
	}
}

// smallSection reads a section as Read does.
func (s *survey) smallSection(name string) error {
	var err error
	if s.Data, err = s.content(name); err != nil {
		return err
	}
	s.Pos = 0
	return errors.Join(s.sectionReader(name, 0)(), s.end(name))
}

// integers reads integers of 4 or 8 bytes, by the digits of widths, and moves behind them.
func (s *survey) integers(widths string, to ...*int64) error {
	total := int64(0)
	for _, w := range widths {
		total += int64(w - '0')
	}
	b, err := s.bytes(s.at, total)
	if err != nil || int64(len(b)) < total {
		return errors.Join(err, errUnusual)
	}
	for k, w := range widths {
		if w == '4' {
			*to[k] = int64(int32(binary.LittleEndian.Uint32(b)))
		} else {
			*to[k] = int64(binary.LittleEndian.Uint64(b))
		}
		b = b[w-'0':]
	}
	s.at += total
	return nil
}

// counted reads the counts of a section, and reserves its blocks.
func (s *survey) counted() (blocks, count int64, err error) {
	var lowest, highest int64
	if err := s.integers("8888", &blocks, &count, &lowest, &highest); err != nil {
		return 0, 0, err
	}
	if blocks < 0 || count < 0 || blocks > int64(s.blocks) {
		return 0, 0, errUnusual
	}
	s.blocks -= int(blocks)
	return blocks, count, nil
}

// pass moves behind records of a size, which must be in the file.
func (s *survey) pass(count, size int64) error {
	if count < 0 || count > (s.layout.Size-s.at)/size {
		return errUnusual
	}
	s.at += count * size
	return nil
}

// ending reads the end of a section.
func (s *survey) ending(name string) error {
	var err error
	if s.Data, err = s.bytes(s.at, 64); err != nil {
		return err
	}
	s.Pos = 0
	err = s.end(name)
	s.at += int64(s.Pos)
	return err
}

func (s *survey) surveyNodes() error {
	blocks, most, err := s.counted()
	if err != nil || s.haveNodes {
		return errors.Join(err, errUnusual)
	}
	s.haveNodes = true
	for range blocks {
		var dim, entity, parametric, count int64
		if err := s.integers("4448", &dim, &entity, &parametric, &count); err != nil {
			return err
		}
		if most -= count; most < 0 || parametric != 0 && parametric != 1 || dim < 0 || dim > 3 {
			return errUnusual
		}
		stride := 8 * (3 + parametric*dim)
		if run := (sliced.Vertices{Count: count, Labels: sliced.Column{Offset: s.at, Stride: 8, Width: 8},
			At: sliced.Column{Offset: s.at + 8*count, Stride: stride, Width: 8}}); count > 0 {
			s.layout.Vertices = append(s.layout.Vertices, run)
		}
		if err := s.pass(count, 8+stride); err != nil {
			return err
		}
	}
	return s.ending("Nodes")
}

func (s *survey) surveyElements() error {
	blocks, left, err := s.counted()
	if err != nil || s.haveElements || !s.haveNodes {
		return errors.Join(err, errUnusual)
	}
	s.haveElements, s.sides = true, map[int32]int{}
	numbers := make([]int64, blocks)
	for k := range numbers {
		numbers[k] = int64(k)
	}
	s.nodes, _, _ = meshfile.NewTagIndex(numbers)
	for k := range blocks {
		count, err := s.surveyBlock(k)
		if err != nil {
			return err
		}
		left -= count
	}
	if left != 0 {
		return errUnusual
	}
	return s.ending("Elements")
}

// surveyBlock surveys block k of elements, as elementBlock41 reads one, and returns the number of its elements.
func (s *survey) surveyBlock(k int64) (count int64, err error) {
	var dim, entity, kind int64
	if err := s.integers("4448", &dim, &entity, &kind, &count); err != nil || count == 0 {
		return 0, err
	}
	n := int64(s.nodesOf(kind))
	if count < 0 || n == 0 || n != dim+1 {
		return 0, errUnusual
	}
	key := [2]int64{dim, entity}
	groups := s.entityGroups[key]
	if s.parents != nil {
		entity = s.parents[key]
	}
	if entity = max(entity, -entity); entity > math.MaxInt32 {
		return 0, errUnusual
	}
	stride := 8 * (1 + n)
	run := sliced.Elements{Count: count, Points: n == 1,
		Corners: sliced.Column{Offset: s.at + 8, Stride: stride, Width: 8},
		Tags:    sliced.Column{Offset: s.at, Stride: stride, Width: 8}}
	switch isRead := len(groups) > 0 || entity != 0 && !s.physical; {
	case n == 3:
		first, err := s.bytes(s.at, 8)
		if err != nil || len(first) < 8 {
			return 0, errors.Join(err, errUnusual)
		}
		run.First = int64(binary.LittleEndian.Uint64(first))
		s.layout.Cells = append(s.layout.Cells, run)
	case isRead:
		s.sides[int32(k)] = len(s.layout.Sides)
		s.layout.Sides = append(s.layout.Sides, run)
	}
	if err := s.element(0, 0, []int64{k, k, k}[:n], groups, entity); err != nil {
		return 0, err
	}
	return count, s.pass(count, stride)
}

func (s *survey) surveyField(name string, ofCells bool) error {
	if !s.haveNodes || ofCells && !s.haveElements {
		return errUnusual
	}
	var err error
	if s.Data, err = s.bytes(s.at, 1<<15); err != nil {
		return err
	}
	s.Pos = 0
	field := sliced.Field{Cells: ofCells}
	var components int64
	if field.Name, components, field.Count, err = s.dataHeader(0); err != nil {
		return errUnusual
	}
	s.at += int64(s.Pos)
	stride := 4 + 8*components
	field.Labels = sliced.Column{Offset: s.at, Stride: stride, Width: 4}
	field.Values = sliced.Column{Offset: s.at + 4, Stride: stride, Width: 8}
	same := func(f sliced.Field) bool { return f.Name == field.Name && f.Cells == ofCells }
	if components != 1 {
		field.Name = ""
	} else if slices.ContainsFunc(s.layout.Fields, same) {
		return errUnusual
	}
	s.layout.Fields = append(s.layout.Fields, field)
	return errors.Join(s.pass(field.Count, stride), s.ending(name))
}

// finishLayout finds the groups, and refuses cells of one tag if there are fields of cells.
func (s *survey) finishLayout() error {
	if !s.haveNodes || !s.haveElements || len(s.layout.Cells) == 0 || s.resolveGroups() != nil {
		return errUnusual
	}
	for _, e := range s.mesh.Tagged {
		side := &s.layout.Sides[s.sides[e.A]]
		side.Groups = append(side.Groups, e.Group)
	}
	s.layout.Groups = s.mesh.Groups
	if !slices.ContainsFunc(s.layout.Fields, func(f sliced.Field) bool { return f.Cells }) {
		return nil
	}
	cells := slices.Clone(s.layout.Cells)
	slices.SortFunc(cells, func(a, b sliced.Elements) int { return cmp.Compare(a.First, b.First) })
	for k := range cells[1:] {
		if cells[k+1].First-cells[k].First < cells[k].Count {
			return errUnusual
		}
	}
	return nil
}
