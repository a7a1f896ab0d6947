package vtk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

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

// begin returns the bytes between the elements of the pieces and the data.
func (p *FilePart) begin() []byte {
	return fmt.Appendf(nil, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", p.d.kind)
}

const endOfFile = "\n  </AppendedData>\n</VTKFile>\n"

// Write writes part n of a file; allSizes has the sizes of all parts. Parts may be written concurrently.
func (p *FilePart) Write(f *os.File, allSizes []Sizes, n int) error {
	piece, begin := allSizes[0].Head, p.begin()
	data := allSizes[0].Head + int64(len(begin))
	offset, end := allSizes[0].Common, int64(0)
	for k, sizes := range allSizes {
		data += sizes.Piece
		end += sizes.Data
		if k < n {
			piece += sizes.Piece
			offset += sizes.Data
		}
	}
	end += data + allSizes[0].Common
	head, elements := p.elements(offset)
	w := sectionWriter{f: f, buffer: bufio.NewWriterSize(nil, 1<<20)}
	w.writeAt(piece, elements)
	if n == 0 {
		w.writeAt(0, head)
		w.writeAt(data-int64(len(begin)), begin)
		w.arrays(p, data, 0, p.common)
		w.writeAt(end, []byte(endOfFile))
	}
	w.arrays(p, data+offset, p.common, len(p.d.arrays))
	return w.err
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

// sectionWriter writes sections of a file, and keeps the first error.
type sectionWriter struct {
	f      *os.File
	buffer *bufio.Writer
	err    error
}

func (w *sectionWriter) writeAt(offset int64, text []byte) {
	if w.err == nil {
		_, w.err = w.f.WriteAt(text, offset)
	}
}

// plain writes the data of an array without compression, after its length.
func (w *sectionWriter) plain(length, data []byte) {
	if _, w.err = w.buffer.Write(length); w.err == nil {
		_, w.err = w.buffer.Write(data)
	}
}

// arrays writes the data of the arrays [lo, hi) at an offset.
func (w *sectionWriter) arrays(p *FilePart, offset int64, lo, hi int) {
	w.buffer.Reset(io.NewOffsetWriter(w.f, offset))
	var plain []byte
	for k := lo; k < hi && w.err == nil; k++ {
		if p.packed != nil {
			_, w.err = w.buffer.Write(p.packed[k])
			continue
		}
		v := p.d.arrays[k].data
		plain = binary.LittleEndian.AppendUint64(plain[:0], uint64(v.Len()*v.Size()))
		if memory := v.Memory(); memory != nil {
			w.plain(plain, memory)
			continue
		}
		for first := 0; w.err == nil; {
			end := min(v.Len(), first+xmldata.BlockBytes/v.Size())
			_, w.err = w.buffer.Write(v.Encode(plain, first, end))
			if plain, first = plain[:0], end; first == v.Len() {
				break
			}
		}
	}
	if w.err == nil {
		w.err = w.buffer.Flush()
	}
}
