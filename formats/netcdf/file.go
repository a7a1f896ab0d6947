package netcdf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/hdf5"
)

// Type is a type of values, by its number in files.
type Type int32

// The types. Uint8 and the following exist only in CDF-5.
const (
	Int8 Type = 1 + iota
	Char
	Int16
	Int32
	Float32
	Float64
	Uint8
	Uint16
	Uint32
	Int64
	Uint64
)

var typeNames = []string{Int8: "byte", Char: "char", Int16: "short", Int32: "int", Float32: "float", Float64: "double",
	Uint8: "ubyte", Uint16: "ushort", Uint32: "uint", Int64: "int64", Uint64: "uint64"}

func (t Type) String() string {
	if t < Int8 || t > Uint64 {
		return fmt.Sprintf("type %d", int32(t))
	}
	return typeNames[t]
}

// Size returns the size of a value in bytes.
func (t Type) Size() int64 {
	return [...]int64{Int8: 1, Char: 1, Int16: 2, Int32: 4, Float32: 4, Float64: 8, Uint8: 1, Uint16: 2, Uint32: 4,
		Int64: 8, Uint64: 8}[t]
}

// Dim is a dimension. The record dimension has Length 0.
type Dim struct {
	Name   string
	Length int64
}

// Attr is an attribute.
type Attr struct {
	Name    string
	Type    Type
	Text    string    // the value if Type is Char
	Numbers []float64 // the values of other types
}

// Attrs are the attributes of a variable or a file.
type Attrs []Attr

// Text returns the text of the attribute with a name, "" if there is none.
func (attrs Attrs) Text(name string) string {
	for _, a := range attrs {
		if a.Name == name {
			return strings.TrimRight(a.Text, "\x00")
		}
	}
	return ""
}

// Number returns the number of the attribute with a name, and whether there is such an attribute with one number.
func (attrs Attrs) Number(name string) (float64, bool) {
	list, err := attrs.numbers(name)
	if err != nil || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// numbers returns the numbers of the attribute with a name, which may be text; nil if there is none.
func (attrs Attrs) numbers(name string) ([]float64, error) {
	k := slices.IndexFunc(attrs, func(a Attr) bool { return a.Name == name })
	if k < 0 || attrs[k].Type != Char {
		if k < 0 {
			return nil, nil
		}
		return attrs[k].Numbers, nil
	}
	var list []float64
	for word := range strings.FieldsFuncSeq(attrs.Text(name), func(r rune) bool {
		return strings.ContainsRune(" ,;\t",
			r)
	}) {
		v, err := strconv.ParseFloat(strings.TrimRight(word, "fFdDsSbBlL"), 64) // the suffixes are those of ncdump
		if err != nil {
			return nil, fmt.Errorf("the attribute %s is the text %.40q, want a number", name, attrs.Text(name))
		}
		list = append(list, v)
	}
	return list, nil
}

// Var is a variable.
type Var struct {
	Name  string
	Type  Type
	Dims  []int // indices in Header.Dims, the slowest dimension first
	Attrs Attrs

	begin int64         // offset of its values in the file
	size  int64         // bytes of its values or, with the record dimension, of its values in one record
	data  *hdf5.Dataset // of a NetCDF-4 file; nil for the classic formats
}

// Header is the header of a file.
type Header struct {
	Version int   // 1, 2 or 5, and 4 for NetCDF-4
	Records int64 // number of records
	Dims    []Dim
	Attrs   Attrs
	Vars    []*Var

	recordDim    int   // index of the record dimension, -1 for none
	recordSize   int64 // bytes
	recordsBegin int64 // offset of the first record
}

// Var returns the variable with a name, nil if there is none.
func (h *Header) Var(name string) *Var {
	if k := slices.IndexFunc(h.Vars, func(v *Var) bool { return v.Name == name }); k >= 0 {
		return h.Vars[k]
	}
	return nil
}

// Shape returns the number of values of a variable along its dimensions.
func (h *Header) Shape(v *Var) []int64 {
	shape := make([]int64, len(v.Dims))
	for i, d := range v.Dims {
		if shape[i] = h.Dims[d].Length; d == h.recordDim {
			shape[i] = h.Records
		}
	}
	return shape
}

// hasRecords reports whether a variable has the record dimension.
func (h *Header) hasRecords(v *Var) bool { return len(v.Dims) > 0 && v.Dims[0] == h.recordDim }

// File is a file that is open for reading.
type File struct {
	Header
	// LeftOut is what a NetCDF-4 file has beside its variables, in words: groups, and values of other types.
	LeftOut []string

	r     io.ReaderAt
	size  int64
	name  string
	close io.Closer
}

// Open opens a file. Errors start with its name.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := New(file, info.Size(), path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file
	return f, nil
}

// New reads the header of a file of size bytes. Errors start with the name.
func New(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{r: r, size: size, name: name}
	var magic [len(hdf5.Signature)]byte
	if n, _ := r.ReadAt(magic[:], 0); n == len(magic) && string(magic[:]) == hdf5.Signature {
		if err := f.readHDF5(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return f, nil
	}
	p := &parser{r: io.NewSectionReader(r, 0, size), size: size, h: &f.Header}
	if err := p.header(); err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", name, p.offset, err)
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close.Close()
}
