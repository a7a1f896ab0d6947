package selafin

import (
	"encoding/binary"
	"fmt"
	"math"
)

// records reads the records of an unformatted Fortran file, each of which has its length in bytes before and after it.
type records struct {
	data    []byte
	order   binary.ByteOrder
	double  bool // real numbers have 8 bytes rather than 4
	next    int  // offset of the next record
	current int  // offset of the last record read
}

// newRecords reads the title, of 80 characters, from which it finds byte order and precision.
func newRecords(data []byte) (*records, error) {
	const title, format = 80, 72
	r := &records{data: data, order: binary.BigEndian}
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) == title {
		r.order = binary.LittleEndian
	}
	if len(data) < 4 || r.order.Uint32(data) != title {
		return nil, r.wrong("no title of 80 characters in a Fortran record: not a SELAFIN file")
	}
	text, err := r.record("the title", title)
	if err != nil {
		return nil, err
	}
	r.double = text[format+7] == 'D' // SERAFIND
	return r, nil
}

// wrong returns an error about the last record.
func (r *records) wrong(format string, args ...any) error {
	return fmt.Errorf("byte offset %d: %s", r.current, fmt.Sprintf(format, args...))
}

func (r *records) ended() bool { return r.next == len(r.data) }

// record returns the next record, which must have size bytes. what names it in errors.
func (r *records) record(what string, size int) ([]byte, error) {
	r.current = r.next
	if len(r.data)-r.next < 8 {
		return nil, r.wrong("the file ends before %s", what)
	}
	found := int64(r.order.Uint32(r.data[r.next:]))
	if found != int64(size) {
		return nil, r.wrong("the record of %s has %d bytes, want %d", what, found, size)
	}
	if len(r.data)-r.next-8 < size {
		return nil, r.wrong("the file ends within %s", what)
	}
	b := r.data[r.next+4 : r.next+4+size]
	if end := r.order.Uint32(r.data[r.next+4+size:]); int64(end) != found {
		return nil, r.wrong("the record of %s has length %d before and %d after its data", what, found, end)
	}
	r.next += size + 8
	return b, nil
}

func (r *records) integers(what string, count int) ([]int32, error) {
	b, err := r.record(what, 4*count)
	if err != nil {
		return nil, err
	}
	values := make([]int32, count)
	for i := range values {
		values[i] = int32(r.order.Uint32(b[4*i:]))
	}
	return values, nil
}

func (r *records) numbers(what string, count int) ([]float64, error) {
	size := 4
	if r.double {
		size = 8
	}
	b, err := r.record(what, size*count)
	if err != nil {
		return nil, err
	}
	values := make([]float64, count)
	for i := range values {
		if r.double {
			values[i] = math.Float64frombits(r.order.Uint64(b[8*i:]))
		} else {
			values[i] = float64(math.Float32frombits(r.order.Uint32(b[4*i:])))
		}
	}
	return values, nil
}
