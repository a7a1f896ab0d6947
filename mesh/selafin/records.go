package selafin

import (
	"encoding/binary"
	"fmt"
	"math"
)

// records are those of a file of Fortran: each between two counts of its bytes.
type records struct {
	data   []byte
	order  binary.ByteOrder
	double bool // numbers are of 8 bytes
	at     int  // where the next record begins
	was    int  // where the last one began
}

// newRecords reads the title, of 80 letters, which tells byte order and precision.
func newRecords(data []byte) (*records, error) {
	const title, format = 80, 72
	r := &records{data: data, order: binary.BigEndian}
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) == title {
		r.order = binary.LittleEndian
	}
	if len(data) < 4 || r.order.Uint32(data) != title {
		return nil, r.wrong("no title of 80 letters in a record of Fortran: not a SELAFIN file")
	}
	text, err := r.next("the title", title)
	if err != nil {
		return nil, err
	}
	r.double = text[format+7] == 'D' // SERAFIND
	return r, nil
}

func (r *records) wrong(format string, args ...any) error {
	return fmt.Errorf("byte offset %d: %s", r.was, fmt.Sprintf(format, args...))
}

func (r *records) ended() bool { return r.at == len(r.data) }

// next returns a record, of so many bytes.
func (r *records) next(what string, size int) ([]byte, error) {
	r.was = r.at
	if len(r.data)-r.at < 8 {
		return nil, r.wrong("the file ends before %s", what)
	}
	found := int64(r.order.Uint32(r.data[r.at:]))
	if found != int64(size) {
		return nil, r.wrong("%s has %d bytes, and %d are needed", what, found, size)
	}
	if len(r.data)-r.at-8 < size {
		return nil, r.wrong("the file ends within %s", what)
	}
	b := r.data[r.at+4 : r.at+4+size]
	if end := r.order.Uint32(r.data[r.at+4+size:]); int64(end) != found {
		return nil, r.wrong("%s is of %d bytes at its begin and of %d at its end", what, found, end)
	}
	r.at += size + 8
	return b, nil
}

func (r *records) integers(what string, count int) ([]int32, error) {
	b, err := r.next(what, 4*count)
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
	b, err := r.next(what, size*count)
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
