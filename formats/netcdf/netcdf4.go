package netcdf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/hdf5"
)

// mostCompressed is how many values of a NetCDF-4 file are read at once, if it has fewer bytes.
const mostCompressed = 1 << 27

// readHDF5 reads the root group of a NetCDF-4 file: an HDF5 file in which dimensions are datasets, the dimension scales
// (NetCDF User's Guide, appendix C, NetCDF-4 Format). Dimensions of other HDF5 files, without scales, get names.
func (f *File) readHDF5() error {
	h, err := hdf5.New(f.r, f.size)
	if err != nil {
		return err
	}
	f.Version, f.recordDim = 4, -1
	f.Attrs = attrsOf(h.Attrs)
	for _, name := range h.Groups {
		f.LeftOut = append(f.LeftOut, fmt.Sprintf("group %q", name))
	}
	scales := map[uint64]int{} // index of the dimension of each dimension scale
	for _, d := range h.Datasets {
		if d.Attr("CLASS") != nil && slices.Equal(d.Attr("CLASS").Texts, []string{"DIMENSION_SCALE"}) && len(d.Shape) > 0 {
			scales[d.Address()] = len(f.Dims)
			f.Dims = append(f.Dims, Dim{d.Name, d.Shape[0]})
		}
	}
	for _, d := range h.Datasets {
		if isOnlyDimension(d) {
			continue
		}
		name := strings.TrimPrefix(d.Name, "_nc4_non_coord_")
		v := &Var{Name: name, Type: typeOf(&d.Type), Attrs: attrsOf(d.Attrs), data: d}
		if v.Dims, err = f.dimsOf(d, scales); err != nil {
			return fmt.Errorf("variable %q: %w", d.Name, err)
		}
		if v.Type == 0 {
			f.LeftOut = append(f.LeftOut, fmt.Sprintf("%q, which is neither numbers nor text", name))
			continue
		}
		f.Vars = append(f.Vars, v)
	}
	return nil
}

// Others says what is left out of a file, for an error that something is not in it.
func (f *File) Others() string {
	if len(f.LeftOut) == 0 {
		return ""
	}
	return "; not read: " + strings.Join(f.LeftOut, ", ")
}

// isOnlyDimension reports whether a dataset stands for a dimension without a variable.
func isOnlyDimension(d *hdf5.Dataset) bool {
	name := d.Attr("NAME")
	return name != nil && len(name.Texts) == 1 &&
		strings.HasPrefix(name.Texts[0], "This is a netCDF dimension but not a netCDF variable")
}

// dimsOf returns the dimensions of a dataset, which it adds if the file has no scales for them.
func (f *File) dimsOf(d *hdf5.Dataset, scales map[uint64]int) ([]int, error) {
	dims := make([]int, len(d.Shape))
	list := d.Attr("DIMENSION_LIST")
	own, isScale := scales[d.Address()]
	for i, length := range d.Shape {
		switch {
		case list != nil && i < len(list.References()) && len(list.References()[i]) > 0:
			k, found := scales[list.References()[i][0]]
			if !found {
				return nil, fmt.Errorf("the scale of dimension %d is not in the root group", i)
			}
			f.Dims[k].Length = max(f.Dims[k].Length, length) // scales of unlimited dimensions may be shorter
			dims[i] = k
		case isScale && i == 0:
			dims[i] = own
		default:
			dims[i] = f.phony(length, dims[:i])
		}
	}
	return dims, nil
}

// phony returns a dimension with a length that is not in the list, for a dataset without scales.
func (f *File) phony(length int64, not []int) int {
	for k, d := range f.Dims {
		if strings.HasPrefix(d.Name, "phony_dim_") && d.Length == length && !slices.Contains(not, k) {
			return k
		}
	}
	f.Dims = append(f.Dims, Dim{fmt.Sprintf("phony_dim_%d", len(f.Dims)), length})
	return len(f.Dims) - 1
}

// typeOf returns the type of values, 0 if they are neither numbers nor text.
func typeOf(t *hdf5.Datatype) Type {
	index := slices.Index([]int{1, 2, 4, 8}, t.Size)
	switch t.Class {
	case hdf5.Signed:
		return []Type{Int8, Int16, Int32, Int64}[index]
	case hdf5.Unsigned:
		return []Type{Uint8, Uint16, Uint32, Uint64}[index]
	case hdf5.Float:
		return []Type{Float32, Float64}[index-2]
	case hdf5.FixedText, hdf5.VariableText:
		return Char
	}
	return 0
}

// attrsOf converts attributes; those that HDF5 needs for itself are left out.
func attrsOf(list []hdf5.Attribute) (attrs Attrs) {
	for i := range list {
		a := &list[i]
		internal := slices.Contains([]string{"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid",
			"_Netcdf4Coordinates", "_nc3_strict", "_NCProperties", "_NCCOMPRESS"}, a.Name)
		if t := typeOf(&a.Type); t != 0 && !internal {
			attrs = append(attrs, Attr{Name: a.Name, Type: t, Text: strings.Join(a.Texts, " "), Numbers: a.Numbers})
		}
	}
	return attrs
}

// readDataset reads a block of a variable of a NetCDF-4 file. Along an unlimited dimension a variable may have fewer
// values than another one: the missing ones are the fill value, NaN if it has none.
func (f *File) readDataset(v *Var, start, count []int64, values []float64) error {
	shape := f.Shape(v)
	if len(start) != len(shape) || len(count) != len(shape) {
		return fmt.Errorf("it has %d dimensions, but start and count have %d and %d", len(shape), len(start), len(count))
	}
	if v.Type == Char {
		return fmt.Errorf("it is text, want numbers")
	}
	written := slices.Clone(count)
	n, all := int64(1), int64(1)
	for i := range shape {
		if start[i] < 0 || count[i] < 0 || count[i] > shape[i]-start[i] {
			return fmt.Errorf("%d values from index %d along %q, which has %d", count[i], start[i], f.Dims[v.Dims[i]].Name,
				shape[i])
		}
		written[i] = min(count[i], max(0, v.data.Shape[i]-start[i]))
		n, all = n*written[i], all*count[i]
	}
	if all != int64(len(values)) {
		return fmt.Errorf("the slice for %d values has length %d", all, len(values))
	}
	if n == all {
		return v.data.Read(start, count, values)
	}
	part := make([]float64, n)
	if n > 0 {
		if err := v.data.Read(start, written, part); err != nil {
			return err
		}
	}
	fill := v.fillValue()
	for i := range values {
		values[i] = fill
	}
	spread(values, count, part, written)
	return nil
}

// fillValue returns the value of what is not written.
func (v *Var) fillValue() float64 {
	if fill, ok := v.Attrs.Number("_FillValue"); ok {
		return fill
	}
	return defaultFill[v.Type]
}

// spread copies a block into the corner of a larger one.
func spread(to []float64, shape []int64, from []float64, part []int64) {
	if len(from) == 0 {
		return
	}
	if len(shape) == 1 {
		copy(to, from)
		return
	}
	outer, inner := int64(len(to))/shape[0], int64(len(from))/part[0]
	for i := range part[0] {
		spread(to[i*outer:(i+1)*outer], shape[1:], from[i*inner:(i+1)*inner], part[1:])
	}
}
