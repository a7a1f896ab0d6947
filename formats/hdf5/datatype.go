package hdf5

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Class is a kind of values.
type Class uint8

// The classes of values that are read.
const (
	Other Class = iota
	Signed
	Unsigned
	Float
	FixedText
	VariableText
	reference  // to an object
	references // a list of them
)

// Datatype is a type of values.
type Datatype struct {
	Class Class
	Size  int    // bytes in the file
	Name  string // for messages
	big   bool   // big-endian
}

// Classes of HDF5.
var classNames = []string{"integer", "float", "time", "text", "bits", "opaque", "compound", "reference", "enumeration",
	"variable length", "array"}

// datatype parses a datatype message. A message that is shared is that of another object.
func (f *File) datatype(data []byte, shared bool) (t Datatype, err error) {
	if shared {
		c := cursor{b: data}
		version, kind := c.u8(), c.u8()
		if version == 1 {
			c.skip(6)
		}
		if address := c.u64(); c.err == nil && (version < 3 || kind == 2) {
			list, err := f.messages(address)
			if err != nil {
				return t, err
			}
			if m := find(list, messageType); m != nil && !m.shared {
				return parseDatatype(m.data)
			}
		}
		return t, fmt.Errorf("a shared datatype is not supported")
	}
	return parseDatatype(data)
}

func parseDatatype(data []byte) (t Datatype, err error) {
	c := cursor{b: data}
	class := c.u8() & 0xf
	flags := c.number(3)
	t.Size = int(c.u32())
	if c.err != nil {
		return t, c.err
	}
	if int(class) < len(classNames) {
		t.Name = fmt.Sprintf("%s of %d bytes", classNames[class], t.Size)
	}
	t.big = flags&1 != 0
	switch class {
	case 0:
		offset, precision := c.u16(), c.u16()
		isWhole := t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8
		if offset != 0 || int(precision) != 8*t.Size || !isWhole {
			return t, nil
		}
		t.Class = Unsigned
		if flags&8 != 0 {
			t.Class = Signed
		}
	case 1:
		if (t.Size == 4 || t.Size == 8) && flags&0x40 == 0 {
			t.Class = Float
		}
	case 3:
		t.Class = FixedText
	case 7:
		if t.Size == 8 {
			t.Class = reference
		}
	case 8: // the numbers of an enumeration
		base, err := parseDatatype(c.b)
		if err == nil && (base.Class == Signed || base.Class == Unsigned) && base.Size == t.Size {
			base.Name = t.Name
			return base, nil
		}
	case 9:
		base, err := parseDatatype(c.b)
		if err != nil {
			return t, err
		}
		switch {
		case flags&0xf == 1:
			t.Class = VariableText
		case base.Class == reference:
			t.Class = references
		}
	}
	return t, nil
}

// IsNumber reports whether values are numbers.
func (t *Datatype) IsNumber() bool {
	return t.Class == Signed || t.Class == Unsigned || t.Class == Float
}

// numbers decodes values.
func (t *Datatype) numbers(values []float64, b []byte) {
	var order binary.ByteOrder = binary.LittleEndian
	if t.big {
		order = binary.BigEndian
	}
	for i := range values {
		v := b[i*t.Size:]
		switch {
		case t.Class == Float && t.Size == 4:
			values[i] = float64(math.Float32frombits(order.Uint32(v)))
		case t.Class == Float:
			values[i] = math.Float64frombits(order.Uint64(v))
		case t.Size == 1 && t.Class == Signed:
			values[i] = float64(int8(v[0]))
		case t.Size == 1:
			values[i] = float64(v[0])
		case t.Size == 2 && t.Class == Signed:
			values[i] = float64(int16(order.Uint16(v)))
		case t.Size == 2:
			values[i] = float64(order.Uint16(v))
		case t.Size == 4 && t.Class == Signed:
			values[i] = float64(int32(order.Uint32(v)))
		case t.Size == 4:
			values[i] = float64(order.Uint32(v))
		case t.Class == Signed:
			values[i] = float64(int64(order.Uint64(v)))
		default:
			values[i] = float64(order.Uint64(v))
		}
	}
}

// space is the shape of values.
type space struct {
	shape  []int64
	isNull bool // there are no values
}

const maxDims = 32

func parseSpace(data []byte) (s space, err error) {
	c := cursor{b: data}
	version, rank := c.u8(), int(c.u8())
	c.skip(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		s.isNull = c.u8() == 2
	default:
		return s, fmt.Errorf("version %d of a dataspace is not supported", version)
	}
	if rank > maxDims {
		return s, fmt.Errorf("%d dimensions are more than %d", rank, maxDims)
	}
	for range rank {
		n := c.u64()
		if n > math.MaxInt64/2 {
			return s, fmt.Errorf("%d values along a dimension are too many", n)
		}
		s.shape = append(s.shape, int64(n))
	}
	return s, c.err
}

// count is the number of values, limited to most.
func (s *space) count(most int64) int64 {
	if s.isNull {
		return 0
	}
	n := int64(1)
	for _, k := range s.shape {
		if k == 0 {
			return 0
		}
		if n > most/k {
			return most
		}
		n *= k
	}
	return n
}
