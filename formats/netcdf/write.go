package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Define begins the head of a file: dimensions, attributes and variables are given, and where values go is found. It
// takes CDF-2, which all readers know, or CDF-5 where a variable is too large for that. The dimension of length 0 is
// that of records.
func Define(dims []Dim, attrs Attrs, vars []*Var) (*Header, error) {
	h := &Header{Version: 2, Dims: dims, Attrs: attrs, Vars: vars, record: -1}
	for k, d := range dims {
		if d.Length == 0 {
			if h.record >= 0 {
				return nil, fmt.Errorf("netcdf: both dimensions %q and %q are of records", dims[h.record].Name, d.Name)
			}
			h.record = k
		}
	}
	if err := h.sizes(); err != nil {
		return nil, fmt.Errorf("netcdf: %w", err)
	}
	const most = math.MaxUint32 - 3 // bytes of a variable in CDF-2
	for _, v := range vars {
		if v.each > most || v.Type > Float64 {
			h.Version = 5
		}
	}
	for _, d := range dims {
		if d.Length > math.MaxInt32 {
			h.Version = 5
		}
	}
	next := int64(len(h.encode())) // which takes the same room whatever the positions are
	for _, growing := range []bool{false, true} {
		if growing {
			h.records = next
		}
		for _, v := range vars {
			if h.grows(v) == growing {
				v.begin = next
				next += v.each + -v.each&3
			}
		}
	}
	return h, nil
}

// Head is how a file begins.
func (h *Header) Head() []byte { return h.encode() }

// RecordsAt is where the head counts the records, and with what.
func (h *Header) RecordsAt(records int64) (offset int64, count []byte) {
	return 4, h.appendCount(nil, records)
}

// Length is how many bytes a file has with so many records.
func (h *Header) Length(records int64) int64 {
	if h.record < 0 {
		records = 0
	}
	return h.records + records*h.recordSize
}

// End is how many bytes a file has without records.
func (h *Header) End() int64 { return h.Length(0) }

// At is where values of a variable are in a file: of a record, 0 for variables without, from the first so many on.
func (h *Header) At(v *Var, record, first int64) int64 {
	at := v.begin + first*v.Type.Size()
	if h.grows(v) {
		at += record * h.recordSize
	}
	return at
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
			from := len(b)
			b = a.Type.Append(b, a.Numbers)
			b = pad(b, len(b)-from)
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
		b = h.appendCount(b, v.each+-v.each&3)
		b = order.AppendUint64(b, uint64(v.begin))
	}
	return b
}

// pad fills up what has n bytes to a multiple of 4.
func pad(b []byte, n int) []byte { return append(b, make([]byte, -n&3)...) }

// Append appends values as a file has them.
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

// Text is an attribute of text, and Numeric one of a number.
func Text(name, text string) Attr { return Attr{Name: name, Type: Char, Text: text} }

// Numeric is an attribute of one number.
func Numeric(name string, t Type, v float64) Attr {
	return Attr{Name: name, Type: t, Numbers: []float64{v}}
}
