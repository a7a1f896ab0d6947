package netcdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Read fills values with a block of a variable: from start on so many along each of its dimensions. Numbers of 64 bits
// beyond 2^53 are rounded.
func (f *File) Read(v *Var, start, count []int64, values []float64) error {
	if err := f.read(v, start, count, values); err != nil {
		return fmt.Errorf("%s: variable %q: %w", f.name, v.Name, err)
	}
	return nil
}

func (f *File) read(v *Var, start, count []int64, values []float64) error {
	shape := f.Shape(v)
	if len(start) != len(shape) || len(count) != len(shape) {
		return fmt.Errorf("it has %d dimensions", len(shape))
	}
	n := int64(1)
	for i := range shape {
		if start[i] < 0 || count[i] < 0 || count[i] > shape[i]-start[i] {
			return fmt.Errorf("%d values from %d on, where there are %d along %q", count[i], start[i], shape[i],
				f.Dims[v.Dims[i]].Name)
		}
		n *= count[i]
	}
	if n != int64(len(values)) {
		return fmt.Errorf("room for %d of %d values", len(values), n)
	}
	if n == 0 {
		return nil
	}
	if v.Type == Char {
		return fmt.Errorf("it is text, and numbers are needed")
	}
	line := int64(1) // of values that lie together
	if len(shape) > 0 && !(len(shape) == 1 && f.grows(v)) {
		line = count[len(count)-1]
	}
	at := make([]int64, len(shape))
	copy(at, start)
	buffer := make([]byte, min(line*v.Type.Size(), 1<<16))
	for len(values) > 0 {
		if err := f.line(v, f.offset(v, shape, at), values[:line], buffer); err != nil {
			return err
		}
		values = values[line:]
		d := len(at) - 1
		if !(len(shape) == 1 && f.grows(v)) {
			d--
		}
		for ; d >= 0; d-- { // the next line
			if at[d]++; at[d] < start[d]+count[d] {
				break
			}
			at[d] = start[d]
		}
	}
	return nil
}

// offset is where a value is in the file.
func (h *Header) offset(v *Var, shape, at []int64) int64 {
	offset, index := v.begin, int64(0)
	for i := range shape {
		if i == 0 && h.grows(v) {
			offset += at[0] * h.recordSize
			continue
		}
		index = index*shape[i] + at[i]
	}
	return offset + index*v.Type.Size()
}

// line reads values that lie together, piece by piece.
func (f *File) line(v *Var, offset int64, values []float64, buffer []byte) error {
	size := v.Type.Size()
	if offset < 0 || offset > f.size-int64(len(values))*size {
		return fmt.Errorf("%d values at byte %d are beyond the end of the file of %d bytes", len(values), offset, f.size)
	}
	for len(values) > 0 {
		n := min(len(values), len(buffer)/int(size))
		if _, err := f.r.ReadAt(buffer[:n*int(size)], offset); err != nil && err != io.EOF {
			return err
		}
		v.Type.decode(values[:n], buffer)
		values = values[n:]
		offset += int64(n) * size
	}
	return nil
}

// decode turns bytes of a file into values.
func (t Type) decode(values []float64, b []byte) {
	order := binary.BigEndian
	for i := range values {
		switch t {
		case Int8:
			values[i] = float64(int8(b[i]))
		case Uint8, Char:
			values[i] = float64(b[i])
		case Int16:
			values[i] = float64(int16(order.Uint16(b[2*i:])))
		case Uint16:
			values[i] = float64(order.Uint16(b[2*i:]))
		case Int32:
			values[i] = float64(int32(order.Uint32(b[4*i:])))
		case Uint32:
			values[i] = float64(order.Uint32(b[4*i:]))
		case Float32:
			values[i] = float64(math.Float32frombits(order.Uint32(b[4*i:])))
		case Float64:
			values[i] = math.Float64frombits(order.Uint64(b[8*i:]))
		case Int64:
			values[i] = float64(int64(order.Uint64(b[8*i:])))
		case Uint64:
			values[i] = float64(order.Uint64(b[8*i:]))
		}
	}
}

// ReadAll returns all values of a variable. The room that it takes is no more than the file has for it.
func (f *File) ReadAll(v *Var) ([]float64, error) {
	shape := f.Shape(v)
	n := int64(1)
	for _, s := range shape {
		if s > 0 && n > f.size/s {
			return nil, fmt.Errorf("%s: variable %q has more values than the file of %d bytes", f.name, v.Name, f.size)
		}
		n *= s
	}
	if n > f.size {
		return nil, fmt.Errorf("%s: variable %q has more values than the file of %d bytes", f.name, v.Name, f.size)
	}
	values := make([]float64, n)
	return values, f.Read(v, make([]int64, len(shape)), shape, values)
}

// Physical undoes what CF allows for packing, in place: scale_factor and add_offset. Values that stand for none, which
// _FillValue and missing_value name, or that valid_range and its like exclude, become NaN.
func (v *Var) Physical(values []float64) {
	scale, scaled := v.Attrs.Number("scale_factor")
	offset, shifted := v.Attrs.Number("add_offset")
	if !scaled {
		scale = 1
	}
	least, most := math.Inf(-1), math.Inf(1)
	var none []float64
	for _, a := range v.Attrs {
		switch {
		case a.Name == "_FillValue" || a.Name == "missing_value":
			none = append(none, a.Numbers...)
		case a.Name == "valid_min" && len(a.Numbers) == 1:
			least = a.Numbers[0]
		case a.Name == "valid_max" && len(a.Numbers) == 1:
			most = a.Numbers[0]
		case a.Name == "valid_range" && len(a.Numbers) == 2:
			least, most = a.Numbers[0], a.Numbers[1]
		}
	}
	if len(none) == 0 && !scaled && !shifted && math.IsInf(least, 0) && math.IsInf(most, 0) {
		return
	}
	for i, x := range values {
		missing := !(x >= least && x <= most)
		for _, n := range none {
			missing = missing || x == n
		}
		switch {
		case missing:
			values[i] = math.NaN()
		case scaled || shifted:
			values[i] = x*scale + offset
		}
	}
}
