package medit

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Solution is the content of a Medit solution file: fields on the vertices of a mesh in Dim = 2 or 3 dimensions.
type Solution struct {
	Dim      int
	Vertices int
	Fields   []SolutionField
}

// SolutionField has Kind.Components(Dim) numbers for each vertex, vertex after vertex. A symmetric tensor is stored by
// rows of its lower triangle: m11 m12 m22, and in space m11 m12 m22 m13 m23 m33.
type SolutionField struct {
	Kind   SolutionKind
	Values []float64
}

// SolutionKind is the type of a field of a solution. The values are those of the format.
type SolutionKind int

const (
	Scalar    SolutionKind = 1
	Vector    SolutionKind = 2
	Symmetric SolutionKind = 3
)

// Components is the number of components of a field, 0 for an unknown kind.
func (k SolutionKind) Components(dim int) int {
	switch k {
	case Scalar:
		return 1
	case Vector:
		return dim
	case Symmetric:
		return dim * (dim + 1) / 2
	}
	return 0
}

// Of returns the values of some vertices, in ascending order; ids may be nil for all. If there are too few values, it
// returns all, so that their number shows.
func (s *Solution) Of(ids []int32) *Solution {
	if ids == nil || len(ids) > 0 && int(ids[len(ids)-1]) >= s.Vertices {
		return s
	}
	of := &Solution{Dim: s.Dim, Vertices: len(ids)}
	for _, f := range s.Fields {
		n := f.Kind.Components(s.Dim)
		values := make([]float64, 0, n*len(ids))
		for _, v := range ids {
			values = append(values, f.Values[n*int(v):n*(int(v)+1)]...)
		}
		of.Fields = append(of.Fields, SolutionField{f.Kind, values})
	}
	return of
}

// maxSolutionFields bounds the fields of a file.
const maxSolutionFields = 64

// Numbers of keywords in binary files.
const (
	keywordDimension = 3
	keywordEnd       = 54
	solVertices      = 62
)

// ReadSolution reads a Medit solution file, in text (.sol) or in binary of either byte order (.solb), versions 1 to 4.
// The encoding is found from the first bytes, not from the name. Sections of fields on other entities than vertices are
// skipped in binary, where their length is known, and refused in text. Numbers that are not finite are refused. Errors
// give the line or the byte offset.
func ReadSolution(path string) (*Solution, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseSolution(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func parseSolution(data []byte) (*Solution, error) {
	r := &solReader{Scanner: meshfile.Scanner{Data: data}, sol: &Solution{}}
	var err error
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) == 1 {
		r.Binary, r.Order = true, binary.LittleEndian
		err = r.readBinary()
	} else if len(data) >= 4 && binary.BigEndian.Uint32(data) == 1 {
		r.Binary, r.Order = true, binary.BigEndian
		err = r.readBinary()
	} else {
		r.Data = blankComments(data)
		err = r.readText()
	}
	if err != nil {
		return nil, err
	}
	if r.sol.Fields == nil {
		return nil, r.At(len(r.Data), "the file has no SolAtVertices")
	}
	return r.sol, nil
}

type solReader struct {
	meshfile.Scanner
	sol     *Solution
	version int32
}

// readText reads the sections of a text file.
func (r *solReader) readText() error {
	if w := r.Token(); string(w) != "MeshVersionFormatted" {
		return r.At(r.Pos-len(w), "%s is not MeshVersionFormatted: not a Medit solution", meshfile.Quote(w))
	}
	if _, err := r.Int(); err != nil {
		return err
	}
	for {
		w := r.Token()
		start := r.Pos - len(w)
		switch string(w) {
		case "", "End":
			return nil
		case "Dimension":
			n, err := r.Int()
			if err != nil {
				return err
			}
			if err := r.dimension(start, n); err != nil {
				return err
			}
		case "Time", "Iterations":
			if _, err := r.Float(); err != nil {
				return err
			}
		case "SolAtVertices":
			if err := r.fields(start, r.Int, r.Float, 2); err != nil {
				return err
			}
		default:
			return r.At(start, "section %s cannot be read; want SolAtVertices", meshfile.Quote(w))
		}
	}
}

func (r *solReader) dimension(start int, n int64) error {
	if r.sol.Dim != 0 || n != 2 && n != 3 {
		return r.At(start, "dimension %d; give 2 or 3, once", n)
	}
	r.sol.Dim = int(n)
	return nil
}

// readBinary reads the sections of a binary file. Each has the offset of the next one, 0 in the last.
func (r *solReader) readBinary() error {
	r.Pos = 4
	var err error
	if r.version, err = r.Bytes4(); err != nil {
		return err
	}
	if r.version < 1 || r.version > 4 {
		return r.At(4, "version %d; versions 1 to 4 can be read", r.version)
	}
	for r.Left() > 0 {
		start := r.Pos
		key, err := r.Bytes4()
		if err != nil || key == keywordEnd {
			return err
		}
		next, err := r.readInteger(r.version >= 3)
		if err != nil {
			return err
		}
		if next != 0 && (next <= int64(r.Pos) || next > int64(len(r.Data))) {
			return r.At(start, "section %d gives the offset %d for the next section; the file has %d bytes", key, next,
				len(r.Data))
		}
		switch key {
		case keywordDimension:
			n, err := r.Bytes4()
			if err != nil {
				return err
			}
			if err := r.dimension(start, int64(n)); err != nil {
				return err
			}
		case solVertices:
			size := 8
			number := r.Float8
			if r.version == 1 {
				size, number = 4, r.float4
			}
			if err := r.fields(start, func() (int64, error) { return r.readInteger(false) }, number, size); err != nil {
				return err
			}
		}
		if next == 0 {
			return nil
		}
		if r.Pos > int(next) {
			return r.At(start, "section %d extends %d bytes beyond the offset of the next section", key, r.Pos-int(next))
		}
		r.Pos = int(next)
	}
	return nil
}

// readInteger reads an integer of a binary file, of 8 or 4 bytes.
func (r *solReader) readInteger(eight bool) (int64, error) {
	if eight {
		n, err := r.Bytes8()
		return int64(n), err
	}
	n, err := r.Bytes4()
	return int64(n), err
}

func (r *solReader) float4() (float64, error) {
	n, err := r.Bytes4()
	return float64(math.Float32frombits(uint32(n))), err
}

// fields reads the fields of all vertices. bytes is the least size of a number in the file.
func (r *solReader) fields(start int, integer func() (int64, error), number func() (float64, error), bytes int) error {
	s := r.sol
	if s.Dim == 0 {
		return r.At(start, "SolAtVertices before Dimension")
	}
	if s.Fields != nil {
		return r.At(start, "a second SolAtVertices")
	}
	count := integer
	if r.version == 4 { // a binary file, in which the count has 8 bytes
		count = func() (int64, error) { return r.readInteger(true) }
	}
	n, err := count()
	if err != nil {
		return err
	}
	kinds, err := integer()
	if err != nil {
		return err
	}
	if kinds < 1 || kinds > maxSolutionFields {
		return r.At(start, "%d fields; want 1 to %d", kinds, maxSolutionFields)
	}
	fields, width, err := r.kinds(start, kinds, integer)
	if err != nil {
		return err
	}
	if err := r.CheckRemaining(n, bytes*width, "vertices with values"); err != nil {
		return err
	}
	for k := range fields {
		fields[k].Values = make([]float64, 0, int(n)*fields[k].Kind.Components(s.Dim))
	}
	for v := range n {
		for k := range fields {
			for range fields[k].Kind.Components(s.Dim) {
				at := r.Here()
				x, err := number()
				if err != nil {
					return err
				}
				if x-x != 0 { // infinite or NaN
					return r.At(at, "vertex %d has the value %g in field %d; want a finite number", v+1, x, k+1)
				}
				fields[k].Values = append(fields[k].Values, x)
			}
		}
	}
	s.Vertices, s.Fields = int(n), fields
	return nil
}

// kinds reads the types of count fields. width is the total number of components.
func (r *solReader) kinds(start int, count int64, whole func() (int64, error)) (
	fields []SolutionField, width int, err error) {
	fields = make([]SolutionField, count)
	for k := range fields {
		kind, err := whole()
		if err != nil {
			return nil, 0, err
		}
		fields[k].Kind = SolutionKind(kind)
		c := fields[k].Kind.Components(r.sol.Dim)
		if c == 0 {
			return nil, 0, r.At(start, "field %d is of kind %d; want 1 (scalar), 2 (vector) or 3 (symmetric tensor)", k+1, kind)
		}
		width += c
	}
	return fields, width, nil
}
