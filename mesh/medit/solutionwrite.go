package medit

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// WriteSolution writes a Medit solution file: in binary of version 2 (little-endian) if the name ends in .solb,
// otherwise in text with as many digits as are needed to read the same bits. It refuses solutions that ReadSolution
// would refuse.
func WriteSolution(path string, s *Solution) error {
	if err := s.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	inBinary := strings.EqualFold(filepath.Ext(path), ".solb")
	return atomicfile.Write(path, func(f *atomicfile.File) error { return s.write(f, inBinary) })
}

// check refuses a solution that the format cannot represent.
func (s *Solution) check() error {
	if s.Dim != 2 && s.Dim != 3 || len(s.Fields) < 1 || len(s.Fields) > maxSolutionFields {
		return fmt.Errorf("a solution of %d fields in %d dimensions; want 1 to %d fields in 2 or 3 dimensions",
			len(s.Fields), s.Dim, maxSolutionFields)
	}
	width := 0
	for k, f := range s.Fields {
		c := f.Kind.Components(s.Dim)
		if c == 0 || s.Vertices < 0 || len(f.Values) != c*s.Vertices {
			return fmt.Errorf("field %d of kind %d has %d numbers for %d vertices", k+1, f.Kind, len(f.Values), s.Vertices)
		}
		for i, x := range f.Values {
			if x-x != 0 { // infinite or NaN
				return fmt.Errorf("vertex %d has the value %g in field %d; want a finite number", i/c+1, x, k+1)
			}
		}
		width += c
	}
	if s.Vertices > (math.MaxInt32-1024)/(8*width) { // 1024 bytes are more than the headers
		return fmt.Errorf("%d vertices with %d numbers are more than a file of 2 GiB can hold", s.Vertices, width)
	}
	return nil
}

func (s *Solution) write(out io.Writer, inBinary bool) error {
	w := bufio.NewWriterSize(out, 1<<16)
	var scratch [32]byte
	number := func(x float64) { _, _ = w.Write(strconv.AppendFloat(scratch[:0], x, 'g', -1, 64)) }
	if inBinary {
		number = func(x float64) { _, _ = w.Write(binary.LittleEndian.AppendUint64(scratch[:0], math.Float64bits(x))) }
		s.beginBinary(w)
	} else {
		fmt.Fprintf(w, "MeshVersionFormatted 2\n\nDimension %d\n\nSolAtVertices\n%d\n%d", s.Dim, s.Vertices, len(s.Fields))
		for _, f := range s.Fields {
			fmt.Fprintf(w, " %d", f.Kind)
		}
		_ = w.WriteByte('\n')
	}
	for v := range s.Vertices {
		for k, f := range s.Fields {
			c := f.Kind.Components(s.Dim)
			for i, x := range f.Values[v*c : (v+1)*c] {
				if !inBinary && k+i > 0 {
					_ = w.WriteByte(' ')
				}
				number(x)
			}
		}
		if !inBinary {
			_ = w.WriteByte('\n')
		}
	}
	if inBinary {
		_, _ = w.Write(words(keywordEnd, 0))
	} else {
		_, _ = w.WriteString("\nEnd\n")
	}
	return w.Flush() // returns the first error of any write
}

// beginBinary writes the header, up to the values of fields.
func (s *Solution) beginBinary(w *bufio.Writer) {
	const head = 8 + 12 // byte-order mark and version, and the section Dimension
	length := 4 * (4 + len(s.Fields))
	for _, f := range s.Fields {
		length += 8 * len(f.Values)
	}
	_, _ = w.Write(words(1, 2, keywordDimension, head, s.Dim))
	_, _ = w.Write(words(solVertices, head+length, s.Vertices, len(s.Fields)))
	for _, f := range s.Fields {
		_, _ = w.Write(words(int(f.Kind)))
	}
}

func words(n ...int) (b []byte) {
	for _, x := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}
