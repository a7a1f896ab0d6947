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

// Share is what a rank has of a file that several write at once: a piece of the data, and what stands round all pieces,
// which only the first of them writes. The data may not change until it is written.
type Share struct {
	d      *document
	packed [][]byte // of each array, its table and blocks; nil where arrays are written as they are
	common int      // arrays before those of the piece
	sizes  Sizes
}

// Sizes are how many bytes a share has of each part of a file. The file has the parts in this order: Head and Common
// of the first share alone, the others of all shares, one after the other.
type Sizes struct {
	Head   int64 // elements before the pieces
	Piece  int64 // elements of the piece
	Common int64 // data of the elements before the pieces
	Data   int64 // of the piece
}

// shareable is data that a file may hold in pieces.
type shareable interface {
	check() error
	document(compress bool) *document
}

// Share makes a file's share of a grid. Compressed arrays are in memory until it is written.
func (g *Grid) Share(compress bool) (*Share, error) { return newShare(g, compress) }

// Share makes a file's share of a box of an image: see [Grid.Share].
func (m *Image) Share(compress bool) (*Share, error) { return newShare(m, compress) }

// Share makes a file's share of poly data: see [Grid.Share].
func (p *PolyData) Share(compress bool) (*Share, error) { return newShare(p, compress) }

func newShare(of shareable, compress bool) (*Share, error) {
	if err := of.check(); err != nil {
		return nil, err
	}
	d := of.document(compress)
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

// Sizes are those of the share.
func (s *Share) Sizes() Sizes { return s.sizes }

// begin ends the elements of all pieces, and begins the data.
func (s *Share) begin() []byte {
	return fmt.Appendf(nil, "  </%s>\n  <AppendedData encoding=\"raw\">\n_", s.d.kind)
}

const endOfFile = "\n  </AppendedData>\n</VTKFile>\n"

// Write writes share n of a file, of which all shares have these sizes. Shares may be written at the same time.
func (s *Share) Write(f *os.File, all []Sizes, n int) error {
	piece, begin := all[0].Head, s.begin()
	data := all[0].Head + int64(len(begin))
	offset, end := all[0].Common, int64(0)
	for k, of := range all {
		data += of.Piece
		end += of.Data
		if k < n {
			piece += of.Piece
			offset += of.Data
		}
	}
	end += data + all[0].Common
	head, elements := s.elements(offset)
	w := shareWriter{f: f, buffer: bufio.NewWriterSize(nil, 1<<20)}
	w.at(piece, elements)
	if n == 0 {
		w.at(0, head)
		w.at(data-int64(len(begin)), begin)
		w.arrays(s, data, 0, s.common)
		w.at(end, []byte(endOfFile))
	}
	w.arrays(s, data+offset, s.common, len(s.d.arrays))
	return w.err
}

// elements are those before the pieces, and those of a piece whose data begin at an offset, with all blanks filled.
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

// length is how many bytes the data of an array take.
func (s *Share) length(k int) int64 {
	if s.packed != nil {
		return int64(len(s.packed[k]))
	}
	v := s.d.arrays[k].data
	return int64(8 + v.Len()*v.Size())
}

// shareWriter writes parts of a file, until one fails.
type shareWriter struct {
	f      *os.File
	buffer *bufio.Writer
	err    error
}

func (w *shareWriter) at(offset int64, text []byte) {
	if w.err == nil {
		_, w.err = w.f.WriteAt(text, offset)
	}
}

// plain writes the data of an array as they are, and how many bytes these are.
func (w *shareWriter) plain(length, data []byte) {
	if _, w.err = w.buffer.Write(length); w.err == nil {
		_, w.err = w.buffer.Write(data)
	}
}

// arrays writes the data of some arrays from an offset on.
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
		if whole := v.Memory(); whole != nil {
			w.plain(plain, whole)
			continue
		}
		for from := 0; w.err == nil; {
			to := min(v.Len(), from+xmldata.BlockBytes/v.Size())
			_, w.err = w.buffer.Write(v.Encode(plain, from, to))
			if plain, from = plain[:0], to; from == v.Len() {
				break
			}
		}
	}
	if w.err == nil {
		w.err = w.buffer.Flush()
	}
}
