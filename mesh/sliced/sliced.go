// Package sliced has meshes of triangles of which many readers read a slice each and none the whole: ranges of their
// vertices, cells and sides. A Layout says where a binary file has them; packages of formats make it.
package sliced

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/atoll-hpc/atoll/mesh"
)

// Layout says where a file has a mesh. It has no array with an entry for each vertex or cell, and all its fields are
// exported, so that it can be sent.
type Layout struct {
	Path     string
	Size     int64     // of the file, bytes
	Modified time.Time // by which readers on other machines see that theirs is the same file

	Vertices []Vertices
	Cells    []Elements // triangles
	Sides    []Elements // edges, with groups, and points
	Fields   []Field
	Groups   []mesh.Group
}

// Column is where a file has a number, or several that follow each other, of each of some records.
type Column struct {
	Offset int64 // of the first record's
	Stride int64 // bytes from one record's to the next
	Width  int   // bytes of a number, 4 or 8
}

// Vertices are vertices that follow each other in the file. Each has a label, by which elements refer to it.
type Vertices struct {
	Count  int64
	Labels Column // integers
	At     Column // x, y and z, floating-point numbers
}

// Elements are elements of a type that follow each other in the file.
type Elements struct {
	Count   int64
	Corners Column // labels of their vertices
	Points  bool   // of sides: each has one vertex
	Tags    Column // of cells: integers, of which the first is First and others follow it without gaps
	First   int64
	Groups  []int32 // of sides: indices in Layout.Groups
}

// Field is a field of vertices or cells: a label or tag of each, and a value.
type Field struct {
	Name   string // "" for one that is not kept: its labels must be those of vertices all the same
	Cells  bool
	Count  int64
	Labels Column
	Values Column
}

// Same returns an error if the file that readers of this machine see is not the one of the layout.
func (l *Layout) Same() error {
	info, err := os.Stat(l.Path)
	if err == nil && (info.Size() != l.Size || !info.ModTime().Equal(l.Modified)) {
		err = errors.New(l.Path + ": another file")
	}
	return err
}

// Counts are the numbers of vertices, cells and sides.
func (l *Layout) Counts() (vertices, cells, sides int64) {
	for _, v := range l.Vertices {
		vertices += v.Count
	}
	return vertices, count(l.Cells), count(l.Sides)
}

// Content returns the physical groups and the fields.
func (l *Layout) Content() ([]mesh.Group, []Field) { return l.Groups, l.Fields }

func count(elements []Elements) (n int64) {
	for _, e := range elements {
		n += e.Count
	}
	return n
}

// Share returns which of n items reader k of several reads: those from lo on, below hi.
func Share(n int64, k, readers int) (lo, hi int64) {
	at := func(k int) int64 {
		return n/int64(readers)*int64(k) + n%int64(readers)*int64(k)/int64(readers)
	}
	return at(k), at(k + 1)
}

// order is that of the bytes of a number in the files.
var order = binary.LittleEndian

// Reader reads slices of a mesh.
type Reader struct {
	*Layout
	file    *os.File
	buffers [2][]byte
	tags    []Elements // cells by ascending First, with the index of the first one as Corners.Offset
}

// Open opens the file of a layout. The reader must be closed.
func Open(l *Layout) (*Reader, error) {
	if err := l.Same(); err != nil {
		return nil, err
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return nil, err
	}
	return &Reader{Layout: l, file: f}, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// EachVertex calls f for the vertices lo … hi-1, in their order.
func (r *Reader) EachVertex(lo, hi int64, f func(label int64, at [3]float64)) error {
	first := int64(0)
	for _, run := range r.Vertices {
		err := r.each(lo-first, min(hi-first, run.Count), func(k int, chunk [][]byte) {
			f(run.Labels.integer(chunk[0], k, 0),
				[3]float64{run.At.float(chunk[1], k, 0), run.At.float(chunk[1], k, 1), run.At.float(chunk[1], k, 2)})
		}, field{run.Labels, 1}, field{run.At, 3})
		if err != nil {
			return err
		}
		first += run.Count
	}
	return nil
}

// EachCell calls f for the cells lo … hi-1, in their order.
func (r *Reader) EachCell(lo, hi int64, f func(corners [3]int64)) error {
	ofCells := slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Cells })
	return r.eachElement(r.Cells, lo, hi, 3, ofCells, func(run *Elements, corners []byte) {
		c := &run.Corners
		f([3]int64{c.integer(corners, 0, 0), c.integer(corners, 0, 1), c.integer(corners, 0, 2)})
	})
}

// EachSide calls f for the sides lo … hi-1, in their order; a point has the same corner twice.
func (r *Reader) EachSide(lo, hi int64, f func(a, b int64, groups []int32)) error {
	return r.eachElement(r.Sides, lo, hi, 2, false, func(run *Elements, corners []byte) {
		last := 1
		if run.Points {
			last = 0
		}
		f(run.Corners.integer(corners, 0, 0), run.Corners.integer(corners, 0, last), run.Groups)
	})
}

// eachElement calls f for the elements lo … hi-1 of some runs, with bytes that begin with the corners. It refuses tags
// that are out of range or, if they must, do not follow each other.
func (r *Reader) eachElement(runs []Elements, lo, hi int64, corners int, follow bool,
	f func(run *Elements, corners []byte)) error {
	first := int64(0)
	for i := range runs {
		run := &runs[i]
		next, outside, gap := run.First+max(0, lo-first), false, false
		numbers := corners
		if run.Points {
			numbers = 1
		}
		err := r.each(lo-first, min(hi-first, run.Count), func(k int, chunk [][]byte) {
			tag := run.Tags.integer(chunk[1], k, 0)
			outside, gap = outside || tag < 0 || tag > mostTag, gap || tag != next
			next++
			f(run, chunk[0][run.Corners.Stride*int64(k):])
		}, field{run.Corners, numbers}, field{run.Tags, 1})
		if err != nil {
			return err
		}
		if outside || follow && gap {
			return errors.New("tags of elements are out of range or do not follow each other")
		}
		first += run.Count
	}
	return nil
}

// mostTag is the largest tag.
const mostTag = 1 << 62

// EachValue calls f for values lo … hi-1 of a field, with the label of a vertex or the index of a cell, -1 for another
// element.
func (r *Reader) EachValue(of *Field, lo, hi int64, f func(label int64, value float64)) error {
	if of.Cells && r.tags == nil {
		first := int64(0)
		r.tags = slices.Clone(r.Cells)
		for k := range r.tags {
			r.tags[k].Corners.Offset = first
			first += r.tags[k].Count
		}
		slices.SortFunc(r.tags, func(a, b Elements) int { return cmp.Compare(a.First, b.First) })
	}
	return r.each(lo, min(hi, of.Count), func(k int, chunk [][]byte) {
		label := of.Labels.integer(chunk[0], k, 0)
		if of.Cells {
			label = r.cellOf(label)
		}
		f(label, of.Values.float(chunk[1], k, 0))
	}, field{of.Labels, 1}, field{of.Values, 1})
}

// cellOf returns the index of the cell with a tag, -1 for none.
func (r *Reader) cellOf(tag int64) int64 {
	k := sort.Search(len(r.tags), func(k int) bool { return r.tags[k].First > tag }) - 1
	if k < 0 || tag-r.tags[k].First >= r.tags[k].Count {
		return -1
	}
	return r.tags[k].Corners.Offset + tag - r.tags[k].First
}

// field is what each reads of records: numbers of a column.
type field struct {
	Column
	numbers int
}

// chunkRecords is the number of records that are read at a time.
const chunkRecords = 8192

// each reads fields of the records lo … hi-1, and calls f for each, with its number in chunks of bytes that begin with
// the first one's. lo may be negative.
func (r *Reader) each(lo, hi int64, f func(k int, chunk [][]byte), fields ...field) error {
	chunk := make([][]byte, len(fields))
	for lo = max(lo, 0); lo < hi; lo += chunkRecords {
		n := min(chunkRecords, hi-lo)
		if err := r.read(chunk, fields, lo, n); err != nil {
			return err
		}
		for k := range int(n) {
			f(k, chunk)
		}
	}
	return nil
}

// read reads a chunk of each field for n records from the first on: with one read if all are parts of one record.
func (r *Reader) read(chunk [][]byte, fields []field, first, n int64) error {
	from, to, together := fields[0].Offset, int64(0), true
	for _, c := range fields {
		together = together && c.Stride == fields[0].Stride
		from, to = min(from, c.Offset), max(to, c.Offset+int64(c.numbers*c.Width))
	}
	if together && to-from <= fields[0].Stride {
		all, err := r.bytes(0, from+fields[0].Stride*first, fields[0].Stride*(n-1)+to-from)
		for i, c := range fields {
			chunk[i] = all[c.Offset-from:]
		}
		return err
	}
	for i, c := range fields {
		var err error
		if chunk[i], err = r.bytes(i, c.Offset+c.Stride*first, c.Stride*(n-1)+int64(c.numbers*c.Width)); err != nil {
			return err
		}
	}
	return nil
}

// bytes returns n bytes of the file in one of the buffers.
func (r *Reader) bytes(buffer int, at, n int64) ([]byte, error) {
	if b := &r.buffers[buffer]; int64(cap(*b)) < n {
		*b = make([]byte, n)
	}
	b := r.buffers[buffer][:n]
	_, err := r.file.ReadAt(b, at)
	return b, err
}

// integer returns number i of record k, of which the bytes of all records begin with the first's.
func (c *Column) integer(chunk []byte, k, i int) int64 {
	b := chunk[c.Stride*int64(k)+int64(i*c.Width):]
	if c.Width == 4 {
		return int64(int32(order.Uint32(b)))
	}
	return int64(order.Uint64(b))
}

func (c *Column) float(chunk []byte, k, i int) float64 {
	b := chunk[c.Stride*int64(k)+int64(i*c.Width):]
	if c.Width == 4 {
		return float64(math.Float32frombits(order.Uint32(b)))
	}
	return math.Float64frombits(order.Uint64(b))
}
