package netcdf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Tags of lists, and the number of records that means that it is unknown.
const (
	dimensions = 10
	variables  = 11
	attributes = 12
	streaming  = math.MaxUint32
)

const (
	maxNameSize = 1 << 16 // bytes
	maxDims     = 1024    // of a variable
)

// parser reads the header of a file.
type parser struct {
	r        io.Reader
	buffered *bufio.Reader
	size     int64 // of the file
	offset   int64 // of the next byte to read
	h        *Header
}

// bytes reads n bytes.
func (p *parser) bytes(n int64) ([]byte, error) {
	if n < 0 || n > p.size-p.offset {
		return nil, fmt.Errorf("%d bytes are beyond the end of the file of %d bytes", n, p.size)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(p.buffered, b); err != nil {
		return nil, err
	}
	p.offset += n
	return b, nil
}

func (p *parser) word() (uint32, error) {
	b, err := p.bytes(4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

// count reads a count, which has 64 bits in CDF-5.
func (p *parser) count() (int64, error) {
	if p.h.Version < 5 {
		n, err := p.word()
		return int64(n), err
	}
	return p.integer64()
}

// integer64 reads an integer of 64 bits that is not negative.
func (p *parser) integer64() (int64, error) {
	b, err := p.bytes(8)
	if err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint64(b)
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("the number %d is too large: want at most %d", n, math.MaxInt64)
	}
	return int64(n), nil
}

// fileOffset reads an offset in the file.
func (p *parser) fileOffset() (int64, error) {
	if p.h.Version == 1 {
		n, err := p.word()
		return int64(n), err
	}
	return p.integer64()
}

// paddedBytes reads n bytes, and the padding to a multiple of 4.
func (p *parser) paddedBytes(n int64) ([]byte, error) {
	b, err := p.bytes(n)
	if err == nil {
		_, err = p.bytes(-n & 3)
	}
	return b, err
}

func (p *parser) name() (string, error) {
	n, err := p.count()
	if err != nil {
		return "", err
	}
	if n < 1 || n > maxNameSize {
		return "", fmt.Errorf("a name has %d bytes, want 1 to %d", n, maxNameSize)
	}
	b, err := p.paddedBytes(n)
	return string(b), err
}

// list reads the tag and the length of a list, whose elements have at least 8 bytes.
func (p *parser) list(tag uint32) (int64, error) {
	got, err := p.word()
	if err != nil {
		return 0, err
	}
	n, err := p.count()
	if err != nil {
		return 0, err
	}
	if got != tag && (got != 0 || n != 0) {
		return 0, fmt.Errorf("list %d of length %d, want list %d", got, n, tag)
	}
	if n > (p.size-p.offset)/8 {
		return 0, fmt.Errorf("a list of length %d is longer than the file of %d bytes", n, p.size)
	}
	return n, nil
}

// header reads the whole header into p.h.
func (p *parser) header() error {
	p.buffered = bufio.NewReaderSize(p.r, 1<<14)
	magic, err := p.bytes(min(4, p.size))
	switch {
	case err != nil:
		return err
	case len(magic) < 4 || string(magic[:3]) != "CDF" || magic[3] != 1 && magic[3] != 2 && magic[3] != 5:
		return errors.New("this is not a NetCDF file of format CDF-1, CDF-2 or CDF-5")
	}
	h := p.h
	h.Version, h.recordDim = int(magic[3]), -1
	if h.Version < 5 {
		n, err := p.word()
		if err != nil {
			return err
		}
		if h.Records = int64(n); n == streaming {
			h.Records = -1
		}
	} else {
		b, err := p.bytes(8)
		if err != nil {
			return err
		}
		h.Records = int64(binary.BigEndian.Uint64(b)) // -1 if unknown: all bits are 1
	}
	if err := p.dims(); err != nil {
		return err
	}
	if h.Attrs, err = p.attrs(); err != nil {
		return err
	}
	if err := p.vars(); err != nil {
		return err
	}
	return p.finish()
}

func (p *parser) dims() error {
	n, err := p.list(dimensions)
	if err != nil {
		return err
	}
	for k := range n {
		var d Dim
		if d.Name, err = p.name(); err != nil {
			return err
		}
		if d.Length, err = p.count(); err != nil {
			return err
		}
		if d.Length == 0 {
			if p.h.recordDim >= 0 {
				return fmt.Errorf("dimensions: both %q and %q have length 0, which only the record dimension has",
					p.h.Dims[p.h.recordDim].Name, d.Name)
			}
			p.h.recordDim = int(k)
		}
		p.h.Dims = append(p.h.Dims, d)
	}
	return nil
}

func (p *parser) attrs() (Attrs, error) {
	n, err := p.list(attributes)
	if err != nil {
		return nil, err
	}
	var attrs Attrs
	for range n {
		var a Attr
		if a.Name, err = p.name(); err != nil {
			return nil, err
		}
		if a.Type, err = p.dataType(); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		count, err := p.count()
		if err != nil {
			return nil, err
		}
		if count > p.size {
			return nil, fmt.Errorf("attribute %q: %d values are more than the file has bytes", a.Name, count)
		}
		b, err := p.paddedBytes(count * a.Type.Size())
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		if a.Type == Char {
			a.Text = string(b)
		} else {
			a.Numbers = make([]float64, count)
			a.Type.decode(a.Numbers, b)
		}
		attrs = append(attrs, a)
	}
	return attrs, nil
}

// dataType reads a type.
func (p *parser) dataType() (Type, error) {
	n, err := p.word()
	if err != nil {
		return 0, err
	}
	lastType := Float64
	if p.h.Version == 5 {
		lastType = Uint64
	}
	if n < uint32(Int8) || n > uint32(lastType) {
		return 0, fmt.Errorf("unknown type %d in CDF-%d", n, p.h.Version)
	}
	return Type(n), nil
}

func (p *parser) vars() error {
	n, err := p.list(variables)
	if err != nil {
		return err
	}
	for range n {
		v := &Var{}
		if v.Name, err = p.name(); err != nil {
			return err
		}
		if err := p.variable(v); err != nil {
			return fmt.Errorf("variable %q: %w", v.Name, err)
		}
		p.h.Vars = append(p.h.Vars, v)
	}
	return nil
}

func (p *parser) variable(v *Var) error {
	dims, err := p.count()
	if err != nil {
		return err
	}
	if dims > maxDims {
		return fmt.Errorf("%d dimensions, want at most %d", dims, maxDims)
	}
	for k := range dims {
		d, err := p.count()
		if err != nil {
			return err
		}
		if d >= int64(len(p.h.Dims)) {
			return fmt.Errorf("dimension %d, want 0 to %d", d, len(p.h.Dims)-1)
		}
		if k > 0 && int(d) == p.h.recordDim {
			return fmt.Errorf("the record dimension, %q, is not the first", p.h.Dims[d].Name)
		}
		v.Dims = append(v.Dims, int(d))
	}
	if v.Attrs, err = p.attrs(); err != nil {
		return err
	}
	if v.Type, err = p.dataType(); err != nil {
		return err
	}
	if _, err := p.count(); err != nil { // the size is ignored: it follows from the dimensions, and may not fit the field
		return err
	}
	v.begin, err = p.fileOffset()
	return err
}

// finish computes the sizes of variables and, if the header does not have it, the number of records.
func (p *parser) finish() error {
	h := p.h
	if err := h.computeSizes(); err != nil {
		return err
	}
	switch {
	case h.recordSize == 0:
		h.Records = max(h.Records, 0)
	case h.Records < 0:
		h.Records = max(0, p.size-h.recordsBegin) / h.recordSize
	case h.Records > p.size:
		return fmt.Errorf("%d records are more than the file has bytes, %d", h.Records, p.size)
	}
	return nil
}

// computeSizes computes the sizes of variables and of a record. Variables are padded to a multiple of 4 bytes, except
// if there is only one record variable.
func (h *Header) computeSizes() error {
	h.recordSize, h.recordsBegin = 0, math.MaxInt64
	var recordVar *Var
	recordVars := 0
	for _, v := range h.Vars {
		v.size = v.Type.Size()
		for _, d := range v.Dims {
			if d == h.recordDim {
				continue
			}
			if h.Dims[d].Length > math.MaxInt64/16/v.size {
				return fmt.Errorf("variable %q is too large", v.Name)
			}
			v.size *= h.Dims[d].Length
		}
		if !h.hasRecords(v) {
			continue
		}
		recordVar = v
		recordVars++
		h.recordsBegin = min(h.recordsBegin, v.begin)
		if h.recordSize += v.size + -v.size&3; h.recordSize < 0 {
			return fmt.Errorf("variable %q is too large", v.Name)
		}
	}
	if recordVars == 1 {
		h.recordSize = recordVar.size
	}
	return nil
}
