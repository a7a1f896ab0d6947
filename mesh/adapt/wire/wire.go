// Package wire has the messages between the parts of a mesh: numbers of 64 bits, in little-endian order.
package wire

import (
	"encoding/binary"
	"math"
)

// Message is what is left to be read of a message.
type Message struct{ Bytes []byte }

// Int reads a number.
func (m *Message) Int() int64 {
	x := int64(binary.LittleEndian.Uint64(m.Bytes))
	m.Bytes = m.Bytes[8:]
	return x
}

// Float reads a number.
func (m *Message) Float() float64 { return math.Float64frombits(uint64(m.Int())) }

// AddInt appends a number.
func AddInt(b []byte, x int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(x)) }

// AddFloats appends numbers.
func AddFloats(b []byte, numbers []float64) []byte {
	for _, x := range numbers {
		b = AddInt(b, int64(math.Float64bits(x)))
	}
	return b
}

// Floats reads numbers.
func (m *Message) Floats(numbers []float64) {
	for i := range numbers {
		numbers[i] = m.Float()
	}
}
