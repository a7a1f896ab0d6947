package write

import (
	"encoding/binary"
	"math"
	"strconv"
)

// int64 writes an integer, of eight bytes in a binary file.
func (w *writer) int64(n int) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint64(w.scratch[:0], uint64(n))
		w.put()
		return
	}
	w.text(strconv.AppendInt(w.separator(), int64(n), 10))
}

// int32 writes an integer, of four bytes in a binary file.
func (w *writer) int32(n int) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint32(w.scratch[:0], uint32(n))
		w.put()
		return
	}
	w.text(strconv.AppendInt(w.separator(), int64(n), 10))
}

func (w *writer) float(x float64) {
	if w.binary {
		w.scratch = binary.LittleEndian.AppendUint64(w.scratch[:0], math.Float64bits(x))
		w.put()
		return
	}
	w.text(strconv.AppendFloat(w.separator(), x, 'g', -1, 64))
}

// separator returns the scratch buffer with the blank between numbers of a line of text.
func (w *writer) separator() []byte {
	if w.started {
		return append(w.scratch[:0], ' ')
	}
	return w.scratch[:0]
}

func (w *writer) text(b []byte) {
	w.scratch, w.started = b, true
	w.put()
}

func (w *writer) put() { _, _ = w.Write(w.scratch) }

// endLine ends a line of text.
func (w *writer) endLine() {
	if !w.binary {
		w.end()
	}
}

// endBinary ends the binary numbers of a section. Text follows.
func (w *writer) endBinary() {
	if w.binary {
		w.end()
	}
}

func (w *writer) end() {
	_ = w.WriteByte('\n')
	w.started = false
}
