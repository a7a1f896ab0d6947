package vtk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// FilePart is one rank's part of a file that several ranks write at the same time: a piece of the data, and the
// elements and data common to all pieces, which only the first part writes. The data must not change until it is
// written.
type FilePart struct {
	d      *document
	packed [][]byte // compressed data of each array, with its block table; nil if arrays are not compressed
	common int      // number of arrays before those of the piece
	sizes  Sizes
}

// Sizes are the numbers of bytes of a part in each section of a file. Sections are in this order; Head and Common are
// those of the first part, Piece and Data those of all parts one after the other.
type Sizes struct {
	Head   int64 // elements before the pieces
	Piece  int64 // elements of the piece
	Common int64 // data of the arrays before the pieces
	Data   int64 // data of the arrays of the piece
}

// divisible is data that can be written as pieces of a file.
type divisible interface {
	check() error
	document(compress bool) *document
}

// FilePart prepares a grid as a part of a file. It keeps compressed arrays in memory.
func (g *Grid) FilePart(compress bool) (*FilePart, error) { return newFilePart(g, compress) }

// FilePart prepares a box of an image as a part of a file: see [Grid.FilePart].
func (m *Image) FilePart(compress bool) (*FilePart, error) { return newFilePart(m, compress) }

// FilePart prepares poly data as a part of a file: see [Grid.FilePart].
func (p *PolyData) FilePart(compress bool) (*FilePart, error) { return newFilePart(p, compress) }

func newFilePart(data divisible, compress bool) (*FilePart, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	d := data.document(compress)
	if d.err != nil {
		return nil, d.err
	}
	p := &FilePart{d: d, sizes: Sizes{Head: int64(d.piece), Piece: int64(d.lines.Len() - d.piece)}}
	blocks := xmldata.NewBlockWriter()
	for k, a := range d.arrays {
		if compress {
			text, err := blocks.Pack(a.data)
			if err != nil {
				return nil, err
			}
			p.packed = append(p.packed, text)
		}
		if a.blank < d.piece {
			p.common++
			p.sizes.Common += p.length(k)
		} else {
			p.sizes.Data += p.length(k)
		}
	}
	return p, nil
}

// Sizes returns the sizes of the part, which all ranks need to write theirs.
func (p *FilePart) Sizes() Sizes { return p.sizes }

// Length is the number of bytes of the file whose parts have these sizes.
func (p *FilePart) Length(allSizes []Sizes) int64 {
	return p.layout(allSizes, 0).end + int64(len(endOfFile))
}

// Parts is the largest number of ranges of a file, with other parts between them, that a part of it writes: before the
// pieces with the first piece, before the data with the first data, and the end; or its piece and its data.
const Parts = 4

// beginData returns the bytes between the elements of the pieces and the arrays.
func (p *FilePart) beginData() []byte {
	return fmt.Appendf(nil, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", p.d.kind)
}

const endOfFile = "\n  </AppendedData>\n</VTKFile>\n"

// layout has the positions in a file of what one of its parts writes.
type layout struct {
	first        bool  // the part is the first, which also writes what is common to all
	piece        int64 // elements of the part
	dataElement  int64 // bytes of beginData, before all arrays
	common, data int64 // arrays before those of the pieces, and arrays of the part
	offset       int64 // of the arrays of the part, from the first array of the file
	end          int64 // endOfFile, after all arrays
}

// layout returns the layout of part n of a file; allSizes has the sizes of all parts.
func (p *FilePart) layout(allSizes []Sizes, n int) layout {
	l := layout{first: n == 0, piece: allSizes[0].Head, dataElement: allSizes[0].Head, offset: allSizes[0].Common}
	for k, sizes := range allSizes {
		l.dataElement += sizes.Piece
		l.end += sizes.Data
		if k < n {
			l.piece += sizes.Piece
			l.offset += sizes.Data
		}
	}
	l.common = l.dataElement + int64(len(p.beginData()))
	l.data = l.common + l.offset
	l.end += l.common + allSizes[0].Common
	return l
}

// Write writes part n of a file; allSizes has the sizes of all parts. Parts may be written concurrently.
func (p *FilePart) Write(f io.WriterAt, allSizes []Sizes, n int) error {
	l := p.layout(allSizes, n)
	if err := p.writeElements(f, l); err != nil {
		return err
	}
	return p.writeArrays(f, l, func(declaredArray) bool { return true })
}

// HasConstants reports whether the part has arrays that [FilePart.WriteRest] leaves out. Compressed arrays are not
// among them, since their sizes differ from file to file.
func (p *FilePart) HasConstants() bool {
	return p.packed == nil && slices.ContainsFunc(p.d.arrays, func(a declaredArray) bool { return a.constant })
}

// WriteRest writes part n over that of an earlier file of the series, of the same sizes: all but the constant arrays.
func (p *FilePart) WriteRest(f io.WriterAt, allSizes []Sizes, n int) error {
	l := p.layout(allSizes, n)
	if err := p.writeElements(f, l); err != nil {
		return err
	}
	return p.writeArrays(f, l, func(a declaredArray) bool { return !a.constant })
}

// writeElements writes the elements of a part, and for the first part those common to all.
func (p *FilePart) writeElements(f io.WriterAt, l layout) error {
	head, elements := p.elements(l.offset)
	texts := map[int64][]byte{l.piece: elements}
	if l.first {
		texts[0], texts[l.dataElement], texts[l.end] = head, p.beginData(), []byte(endOfFile)
	}
	for at, text := range texts {
		if _, err := f.WriteAt(text, at); err != nil {
			return err
		}
	}
	return nil
}

// elements returns the elements before the pieces, and those of the piece, with the offsets of arrays. offset is
// that of the data of the piece.
func (p *FilePart) elements(offset int64) (head, piece []byte) {
	lines := bytes.Clone(p.d.lines.Bytes())
	next := int64(0)
	for k, a := range p.d.arrays {
		if k == p.common {
			next = offset
		}
		copy(lines[a.blank:a.blank+offsetRoom], fmt.Appendf(nil, `%d"`, next))
		next += p.length(k)
	}
	return lines[:p.d.piece], lines[p.d.piece:]
}

// length is the number of bytes of array k in the file.
func (p *FilePart) length(k int) int64 {
	if p.packed != nil {
		return int64(len(p.packed[k]))
	}
	v := p.d.arrays[k].data
	return int64(8 + v.Len()*v.Size())
}

// chunk is a range of the values of an array in a file.
type chunk struct {
	array      int
	first, end int   // the range of values
	offset     int64 // of value first in the file
}

// chunkBytes is the size of a chunk: large compared with what the start of a write costs.
const chunkBytes = 1 << 20

// writers is the number of goroutines that write to a file: file systems let one at a time write. Another can encode
// meanwhile.
const writers = 2

// writeArrays writes those arrays of a part that are wanted.
func (p *FilePart) writeArrays(f io.WriterAt, l layout, wanted func(declaredArray) bool) error {
	var chunks []chunk
	offset := l.common
	for k, a := range p.d.arrays {
		if k == p.common {
			offset = l.data
		}
		if (k >= p.common || l.first) && wanted(a) {
			more, err := p.beginArray(f, offset, k)
			if err != nil {
				return err
			}
			chunks = append(chunks, more...)
		}
		offset += p.length(k)
	}
	errs := make([]error, max(1, min(writers, len(chunks))))
	parallel.Ranges(len(chunks), len(errs), func(part, lo, hi int) { errs[part] = p.writeChunks(f, chunks[lo:hi]) })
	return errors.Join(errs...)
}

// writeChunks writes some chunks, one after the other.
func (p *FilePart) writeChunks(f io.WriterAt, chunks []chunk) error {
	var buffer []byte
	for _, c := range chunks {
		v := p.d.arrays[c.array].data
		text := v.Memory()
		if text != nil {
			text = text[c.first*v.Size() : c.end*v.Size()]
		} else {
			buffer = v.Encode(buffer[:0], c.first, c.end)
			text = buffer
		}
		if _, err := f.WriteAt(text, c.offset); err != nil {
			return err
		}
	}
	return nil
}

// beginArray writes array k at an offset of a file if it is compressed. Otherwise it writes the length of the array,
// and returns the chunks of the values that follow.
func (p *FilePart) beginArray(f io.WriterAt, offset int64, k int) ([]chunk, error) {
	if p.packed != nil {
		_, err := f.WriteAt(p.packed[k], offset)
		return nil, err
	}
	v := p.d.arrays[k].data
	length := binary.LittleEndian.AppendUint64(nil, uint64(v.Len()*v.Size()))
	if _, err := f.WriteAt(length, offset); err != nil {
		return nil, err
	}
	var chunks []chunk
	for first := 0; first < v.Len(); first += chunkBytes / v.Size() {
		chunks = append(chunks, chunk{array: k, first: first, end: min(v.Len(), first+chunkBytes/v.Size()),
			offset: offset + int64(len(length)+first*v.Size())})
	}
	return chunks, nil
}
