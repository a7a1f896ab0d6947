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

// Share is one rank's part of a file that several ranks write at the same time: a piece of the data, and the elements
// and data common to all pieces, which only the first share writes. The data must not change until it is written.
type Share struct {
	d      *document
	packed [][]byte // compressed data of each array, with its block table; nil if arrays are not compressed
	common int      // number of arrays before those of the piece
	sizes  Sizes
}

// Sizes are the numbers of bytes of a share in each section of a file. Sections are in this order; Head and Common are
// those of the first share, Piece and Data those of all shares one after the other.
type Sizes struct {
	Head   int64 // elements before the pieces
	Piece  int64 // elements of the piece
	Common int64 // data of the arrays before the pieces
	Data   int64 // data of the arrays of the piece
}

// shareable is data that can be written as pieces of a file.
type shareable interface {
	check() error
	document(compress bool) *document
}

// Share prepares a grid as the share of a file. It keeps compressed arrays in memory.
func (g *Grid) Share(compress bool) (*Share, error) { return newShare(g, compress) }

// Share prepares a box of an image as the share of a file: see [Grid.Share].
func (m *Image) Share(compress bool) (*Share, error) { return newShare(m, compress) }

// Share prepares poly data as the share of a file: see [Grid.Share].
func (p *PolyData) Share(compress bool) (*Share, error) { return newShare(p, compress) }

func newShare(data shareable, compress bool) (*Share, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	d := data.document(compress)
	if d.err != nil {
		return nil, d.err
	}
	s := &Share{d: d, sizes: Sizes{Head: int64(d.piece), Piece: int64(d.lines.Len() - d.piece)}}
	blocks := xmldata.NewBlockWriter()
	for k, a := range d.arrays {
		if compress {
			text, err := blocks.Pack(a.data)
			if err != nil {
				return nil, err
			}
			s.packed = append(s.packed, text)
		}
		if a.blank < d.piece {
			s.common++
			s.sizes.Common += s.length(k)
		} else {
			s.sizes.Data += s.length(k)
		}
	}
	return s, nil
}

// Sizes returns the sizes of the share, which all ranks need to write theirs.
func (s *Share) Sizes() Sizes { return s.sizes }

// begin returns the bytes between the elements of the pieces and the data.
func (s *Share) begin() []byte {
	return fmt.Appendf(nil, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", s.d.kind)
}

const endOfFile = "\n  </AppendedData>\n</VTKFile>\n"

// Write writes share n of a file; allSizes has the sizes of all shares. Shares may be written concurrently.
func (s *Share) Write(f *os.File, allSizes []Sizes, n int) error {
	piece, begin := allSizes[0].Head, s.begin()
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
	head, elements := s.elements(offset)
	w := shareWriter{f: f, buffer: bufio.NewWriterSize(nil, 1<<20)}
	w.writeAt(piece, elements)
	if n == 0 {
		w.writeAt(0, head)
		w.writeAt(data-int64(len(begin)), begin)
		w.arrays(s, data, 0, s.common)
		w.writeAt(end, []byte(endOfFile))
	}
	w.arrays(s, data+offset, s.common, len(s.d.arrays))
	return w.err
}

// elements returns the elements before the pieces, and those of the piece, with the offsets of arrays. offset is
// that of the data of the piece.
func (s *Share) elements(offset int64) (head, piece []byte) {
	lines := bytes.Clone(s.d.lines.Bytes())
	next := int64(0)
	for k, a := range s.d.arrays {
		if k == s.common {
			next = offset
		}
		copy(lines[a.blank:a.blank+offsetRoom], fmt.Appendf(nil, `%d"`, next))
		next += s.length(k)
	}
	return lines[:s.d.piece], lines[s.d.piece:]
}

// length is the number of bytes of array k in the file.
func (s *Share) length(k int) int64 {
	if s.packed != nil {
		return int64(len(s.packed[k]))
	}
	v := s.d.arrays[k].data
	return int64(8 + v.Len()*v.Size())
}

// shareWriter writes sections of a file, and keeps the first error.
type shareWriter struct {
	f      *os.File
	buffer *bufio.Writer
	err    error
}

func (w *shareWriter) writeAt(offset int64, text []byte) {
	if w.err == nil {
		_, w.err = w.f.WriteAt(text, offset)
	}
}

// plain writes the data of an array without compression, after its length.
func (w *shareWriter) plain(length, data []byte) {
	if _, w.err = w.buffer.Write(length); w.err == nil {
		_, w.err = w.buffer.Write(data)
	}
}

// arrays writes the data of the arrays [lo, hi) at an offset.
func (w *shareWriter) arrays(s *Share, offset int64, lo, hi int) {
	w.buffer.Reset(io.NewOffsetWriter(w.f, offset))
	var plain []byte
	for k := lo; k < hi && w.err == nil; k++ {
		if s.packed != nil {
			_, w.err = w.buffer.Write(s.packed[k])
			continue
		}
		v := s.d.arrays[k].data
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
