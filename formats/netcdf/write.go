package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Define returns the header of a new file with these dimensions, attributes and variables, and computes the offsets of
// values. The format is CDF-2, which all readers support, or CDF-5 if a variable needs it. The dimension of length 0,
// if any, is the record dimension.
func Define(dims []Dim, attrs Attrs, vars []*Var) (*Header, error) {
	h := &Header{Version: 2, Dims: dims, Attrs: attrs, Vars: vars, recordDim: -1}
	for k, d := range dims {
		if d.Length == 0 {
			if h.recordDim >= 0 {
				return nil, fmt.Errorf("netcdf: dimensions: both %q and %q have length 0, which only the record dimension has",
					dims[h.recordDim].Name, d.Name)
			}
			h.recordDim = k
		}
	}
	if err := h.computeSizes(); err != nil {
		return nil, fmt.Errorf("netcdf: %w", err)
	}
	const maxSize = math.MaxUint32 - 3 // bytes of a variable in CDF-2, whose field for the size has 32 bits
	for _, v := range vars {
		if v.size > maxSize || v.Type > Float64 {
			h.Version = 5
		}
	}
	for _, d := range dims {
		if d.Length > math.MaxInt32 {
			h.Version = 5
		}
	}
	next := int64(len(h.encode())) // its length does not depend on the offsets
	for _, records := range []bool{false, true} {
		if records {
			h.recordsBegin = next
		}
		for _, v := range vars {
			if h.hasRecords(v) == records {
				v.begin = next
				next += v.size + -v.size&3
			}
		}
	}
	return h, nil
}

// Encode returns the encoded header, with which a file begins.
func (h *Header) Encode() []byte { return h.encode() }

// RecordCount returns the offset of the number of records in a file, and its encoding.
func (h *Header) RecordCount(records int64) (offset int64, count []byte) {
	return 4, h.appendCount(nil, records)
}

// FileSize returns the size in bytes of a file with that many records.
func (h *Header) FileSize(records int64) int64 {
	if h.recordDim < 0 {
		records = 0
	}
	return h.recordsBegin + records*h.recordSize
}

// FixedSize returns the size in bytes of a file without records.
func (h *Header) FixedSize() int64 { return h.FileSize(0) }

// Offset returns the offset in a file of a value of a variable: index is its number among the variable's values in the
// record, from 0. The record is ignored for variables without the record dimension.
func (h *Header) Offset(v *Var, record, index int64) int64 {
	offset := v.begin + index*v.Type.Size()
	if h.hasRecords(v) {
		offset += record * h.recordSize
	}
	return offset
}

func (h *Header) appendCount(b []byte, n int64) []byte {
	if h.Version == 5 {
		return binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return binary.BigEndian.AppendUint32(b, uint32(n))
}

func (h *Header) encode() []byte {
	order := binary.BigEndian
	b := append([]byte("CDF"), byte(h.Version))
	b = h.appendCount(b, h.Records)
	list := func(tag uint32, n int) {
		if n == 0 {
			tag = 0
		}
		b = h.appendCount(order.AppendUint32(b, tag), int64(n))
	}
	name := func(s string) { b = pad(append(h.appendCount(b, int64(len(s))), s...), len(s)) }
	attrs := func(all Attrs) {
		list(attributes, len(all))
		for _, a := range all {
			name(a.Name)
			b = order.AppendUint32(b, uint32(a.Type))
			if a.Type == Char {
				b = pad(append(h.appendCount(b, int64(len(a.Text))), a.Text...), len(a.Text))
				continue
			}
			b = h.appendCount(b, int64(len(a.Numbers)))
			start := len(b)
			b = a.Type.Append(b, a.Numbers)
			b = pad(b, len(b)-start)
		}
	}
	list(dimensions, len(h.Dims))
	for _, d := range h.Dims {
		name(d.Name)
		b = h.appendCount(b, d.Length)
	}
	attrs(h.Attrs)
	list(variables, len(h.Vars))
	for _, v := range h.Vars {
		name(v.Name)
		b = h.appendCount(b, int64(len(v.Dims)))
		for _, d := range v.Dims {
			b = h.appendCount(b, int64(d))
		}
		attrs(v.Attrs)
		b = order.AppendUint32(b, uint32(v.Type))
		b = h.appendCount(b, v.size+-v.size&3)
		b = order.AppendUint64(b, uint64(v.begin))
	}
	return b
}

// pad appends the padding of n bytes to a multiple of 4.
func pad(b []byte, n int) []byte { return append(b, make([]byte, -n&3)...) }

// Append appends the encoding of values to b.
func (t Type) Append(b []byte, values []float64) []byte {
	order := binary.BigEndian
	for _, v := range values {
		switch t {
		case Int8:
			b = append(b, byte(int8(v)))
		case Uint8, Char:
			b = append(b, byte(v))
		case Int16:
			b = order.AppendUint16(b, uint16(int16(v)))
		case Uint16:
			b = order.AppendUint16(b, uint16(v))
		case Int32:
			b = order.AppendUint32(b, uint32(int32(v)))
		case Uint32:
			b = order.AppendUint32(b, uint32(v))
		case Float32:
			b = order.AppendUint32(b, math.Float32bits(float32(v)))
		case Float64:
			b = order.AppendUint64(b, math.Float64bits(v))
		case Int64:
			b = order.AppendUint64(b, uint64(int64(v)))
		case Uint64:
			b = order.AppendUint64(b, uint64(v))
		}
	}
	return b
}

// Text returns an attribute with a text.
func Text(name, text string) Attr { return Attr{Name: name, Type: Char, Text: text} }

// Numeric returns an attribute with one number.
func Numeric(name string, t Type, v float64) Attr {
	return Attr{Name: name, Type: t, Numbers: []float64{v}}
}
