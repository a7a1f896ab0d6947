package netcdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Read reads a block of a variable into values: along each dimension count[i] values from index start[i] on. Integers
// beyond 2^53 are rounded.
func (f *File) Read(v *Var, start, count []int64, values []float64) error {
	if err := f.read(v, start, count, values); err != nil {
		return fmt.Errorf("%s: variable %q: %w", f.name, v.Name, err)
	}
	return nil
}

func (f *File) read(v *Var, start, count []int64, values []float64) error {
	if v.data != nil {
		return f.readDataset(v, start, count, values)
	}
	shape := f.Shape(v)
	if len(start) != len(shape) || len(count) != len(shape) {
		return fmt.Errorf("it has %d dimensions, but start and count have %d and %d", len(shape), len(start), len(count))
	}
	n := int64(1)
	for i := range shape {
		if start[i] < 0 || count[i] < 0 || count[i] > shape[i]-start[i] {
			return fmt.Errorf("%d values from index %d along %q, which has %d", count[i], start[i],
				f.Dims[v.Dims[i]].Name, shape[i])
		}
		n *= count[i]
	}
	if n != int64(len(values)) {
		return fmt.Errorf("the slice for %d values has length %d", n, len(values))
	}
	if n == 0 {
		return nil
	}
	if v.Type == Char {
		return fmt.Errorf("it is text, want numbers")
	}
	line := int64(1) // number of values that are contiguous in the file
	if len(shape) > 0 && !(len(shape) == 1 && f.hasRecords(v)) {
		line = count[len(count)-1]
	}
	index := slices.Clone(start) // of the next line
	buffer := make([]byte, min(line*v.Type.Size(), 1<<16))
	for len(values) > 0 {
		if err := f.readLine(v, f.valueOffset(v, shape, index), values[:line], buffer); err != nil {
			return err
		}
		values = values[line:]
		d := len(index) - 1
		if !(len(shape) == 1 && f.hasRecords(v)) {
			d--
		}
		for ; d >= 0; d-- {
			if index[d]++; index[d] < start[d]+count[d] {
				break
			}
			index[d] = start[d]
		}
	}
	return nil
}

// valueOffset returns the offset in the file of the value with an index.
func (h *Header) valueOffset(v *Var, shape, index []int64) int64 {
	offset, n := v.begin, int64(0)
	for i := range shape {
		if i == 0 && h.hasRecords(v) {
			offset += index[0] * h.recordSize
			continue
		}
		n = n*shape[i] + index[i]
	}
	return offset + n*v.Type.Size()
}

// readLine reads contiguous values, as many at a time as fit into the buffer.
func (f *File) readLine(v *Var, offset int64, values []float64, buffer []byte) error {
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

// decode decodes values from bytes of a file.
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

// ReadAll returns all values of a variable. It checks the size of the file before it allocates memory.
func (f *File) ReadAll(v *Var) ([]float64, error) {
	shape := f.Shape(v)
	most := f.size
	if v.data != nil { // values may be compressed
		most = max(most, mostCompressed)
	}
	n := int64(1)
	for _, s := range shape {
		if s > 0 && n > most/s {
			n = most + 1
			break
		}
		n *= s
	}
	switch {
	case n > most && v.data != nil:
		return nil, fmt.Errorf("%s: variable %q has more than the %d values that are read at once", f.name, v.Name, most)
	case n > most:
		return nil, fmt.Errorf("%s: variable %q has more values than the file has bytes, %d", f.name, v.Name, f.size)
	}
	values := make([]float64, n)
	return values, f.Read(v, make([]int64, len(shape)), shape, values)
}
