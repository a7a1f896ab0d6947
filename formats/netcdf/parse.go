package netcdf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Tags of lists, and what stands for a count of records that is not known.
const (
	dimensions = 10
	variables  = 11
	attributes = 12
	streaming  = math.MaxUint32
)

// mostNames bounds names and texts, and mostDims the dimensions of a variable.
const (
	mostNames = 1 << 16
	mostDims  = 1024
)

// parser reads the head of a file.
type parser struct {
	r        io.Reader
	buffered *bufio.Reader
	size     int64
	at       int64
	h        *Header
}

// bytes reads so many, in pieces as they come.
func (p *parser) bytes(n int64) ([]byte, error) {
	if n < 0 || n > p.size-p.at {
		return nil, fmt.Errorf("%d bytes are needed, and the file has %d", n, p.size)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(p.buffered, b); err != nil {
		return nil, err
	}
	p.at += n
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
	return p.long()
}

func (p *parser) long() (int64, error) {
	b, err := p.bytes(8)
	if err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint64(b)
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%d is too large", n)
	}
	return int64(n), nil
}

// offset reads a position in the file.
func (p *parser) offset() (int64, error) {
	if p.h.Version == 1 {
		n, err := p.word()
		return int64(n), err
	}
	return p.long()
}

// padded reads bytes, and those that fill up to a multiple of 4.
func (p *parser) padded(n int64) ([]byte, error) {
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
	if n < 1 || n > mostNames {
		return "", fmt.Errorf("a name of %d bytes", n)
	}
	b, err := p.padded(n)
	return string(b), err
}

// list reads the tag of a list and how many there are in it, each of at least 8 bytes.
func (p *parser) list(tag uint32) (int64, error) {
	found, err := p.word()
	if err != nil {
		return 0, err
	}
	n, err := p.count()
	if err != nil {
		return 0, err
	}
	if found != tag && (found != 0 || n != 0) {
		return 0, fmt.Errorf("list %d of %d where list %d is to be", found, n, tag)
	}
	if n > (p.size-p.at)/8 {
		return 0, fmt.Errorf("a list of %d does not fit into the file of %d bytes", n, p.size)
	}
	return n, nil
}

func (p *parser) header() error {
	p.buffered = bufio.NewReaderSize(p.r, 1<<14)
	magic, err := p.bytes(min(4, p.size))
	switch {
	case err != nil:
		return err
	case string(magic) == "\x89HDF":
		return errors.New("this is a NetCDF-4 file, which is HDF5: nccopy -k cdf5 IN.nc OUT.nc converts it " +
			"(nccopy -3 where no number has 64 bits)")
	case len(magic) < 4 || string(magic[:3]) != "CDF" || magic[3] != 1 && magic[3] != 2 && magic[3] != 5:
		return errors.New("this is no NetCDF file of format CDF-1, CDF-2 or CDF-5")
	}
	h := p.h
	h.Version, h.record = int(magic[3]), -1
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
		h.Records = int64(binary.BigEndian.Uint64(b)) // all ones stand for -1
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
	return p.arrange()
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
			if p.h.record >= 0 {
				return fmt.Errorf("both dimensions %q and %q are of records", p.h.Dims[p.h.record].Name, d.Name)
			}
			p.h.record = int(k)
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
	var all Attrs
	for range n {
		var a Attr
		if a.Name, err = p.name(); err != nil {
			return nil, err
		}
		if a.Type, err = p.kind(); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		count, err := p.count()
		if err != nil {
			return nil, err
		}
		if count > p.size {
			return nil, fmt.Errorf("attribute %q: %d values are more than the file has", a.Name, count)
		}
		b, err := p.padded(count * a.Type.Size())
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		if a.Type == Char {
			a.Text = string(b)
		} else {
			a.Numbers = make([]float64, count)
			a.Type.decode(a.Numbers, b)
		}
		all = append(all, a)
	}
	return all, nil
}

// kind reads a type.
func (p *parser) kind() (Type, error) {
	n, err := p.word()
	if err != nil {
		return 0, err
	}
	last := Float64
	if p.h.Version == 5 {
		last = Uint64
	}
	if n < uint32(Int8) || n > uint32(last) {
		return 0, fmt.Errorf("type %d is not known in CDF-%d", n, p.h.Version)
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
	if dims > mostDims {
		return fmt.Errorf("%d dimensions are more than %d", dims, mostDims)
	}
	for k := range dims {
		d, err := p.count()
		if err != nil {
			return err
		}
		if d >= int64(len(p.h.Dims)) {
			return fmt.Errorf("dimension %d of %d", d, len(p.h.Dims))
		}
		if k > 0 && int(d) == p.h.record {
			return fmt.Errorf("the dimension of records, %q, is not the first", p.h.Dims[d].Name)
		}
		v.Dims = append(v.Dims, int(d))
	}
	if v.Attrs, err = p.attrs(); err != nil {
		return err
	}
	if v.Type, err = p.kind(); err != nil {
		return err
	}
	if _, err := p.count(); err != nil { // the size, which follows from the dimensions, and may be too large to be told
		return err
	}
	v.begin, err = p.offset()
	return err
}

// arrange finds how many bytes variables take, and how many records there are if the head does not tell.
func (p *parser) arrange() error {
	h := p.h
	if err := h.sizes(); err != nil {
		return err
	}
	switch {
	case h.recordSize == 0:
		h.Records = max(h.Records, 0)
	case h.Records < 0:
		h.Records = max(0, p.size-h.records) / h.recordSize
	case h.Records > p.size:
		return fmt.Errorf("%d records are more than a file of %d bytes has", h.Records, p.size)
	}
	return nil
}

// sizes finds how many bytes variables take, and a record. The last record variable of a file with one alone is not
// filled up to a multiple of 4.
func (h *Header) sizes() error {
	h.recordSize, h.records = 0, math.MaxInt64
	var last *Var
	count := 0
	for _, v := range h.Vars {
		v.each = v.Type.Size()
		for _, d := range v.Dims {
			if d == h.record {
				continue
			}
			if h.Dims[d].Length > math.MaxInt64/16/v.each {
				return fmt.Errorf("variable %q is too large", v.Name)
			}
			v.each *= h.Dims[d].Length
		}
		if !h.grows(v) {
			continue
		}
		last = v
		count++
		h.records = min(h.records, v.begin)
		if h.recordSize += v.each + -v.each&3; h.recordSize < 0 {
			return fmt.Errorf("variable %q is too large", v.Name)
		}
	}
	if count == 1 {
		h.recordSize = last.each
	}
	return nil
}
