package hdf5

import (
	"errors"
	"fmt"
	"slices"
)

// Dataset is an array of values.
type Dataset struct {
	Name  string
	Shape []int64
	Type  Datatype
	Attrs []Attribute

	f       *File
	address uint64 // of its object header
	layout  layout
	filters []filter
	fill    []byte // value of what is not written; nil for zeros
	err     error  // why values cannot be read
	chunks  map[[maxDims]uint32]chunk
	cached  cachedChunk
}

// Kinds of layouts.
const (
	compact    = 0
	contiguous = 1
	chunked    = 2
)

type layout struct {
	kind    uint8
	address uint64
	data    []byte   // if it is compact
	chunk   []uint64 // shape of a chunk
}

// dataset reads what the header of an object says about a dataset.
func (f *File) dataset(name string, address uint64, list []message) (*Dataset, error) {
	d := &Dataset{Name: name, f: f, address: address}
	space, err := parseSpace(find(list, messageSpace).data)
	if err != nil {
		return nil, err
	}
	d.Shape = space.shape
	if space.isNull {
		d.Shape = []int64{0}
	}
	m := find(list, messageType)
	if m == nil {
		return nil, errors.New("it has no type")
	}
	if d.Type, err = f.datatype(m.data, m.shared); err != nil {
		return nil, err
	}
	if d.Attrs, err = f.attributes(list); err != nil {
		return nil, err
	}
	d.err = d.parseLayout(find(list, messageLayout).data)
	if m := find(list, messageFilters); m != nil && d.err == nil {
		d.filters, d.err = parseFilters(m.data)
	}
	if m := find(list, messageFill); m != nil {
		d.fill = parseFill(m.data)
	} else if m := find(list, messageOldFill); m != nil {
		c := cursor{b: m.data}
		d.fill = c.take(uint64(c.u32()))
	}
	if len(d.fill) != d.Type.Size {
		d.fill = nil
	}
	return d, nil
}

func parseFill(data []byte) []byte {
	c := cursor{b: data}
	switch version := c.u8(); version {
	case 1, 2:
		c.skip(2)
		if defined := c.u8(); version == 2 && defined == 0 {
			return nil
		}
		return c.take(uint64(c.u32()))
	case 3:
		if flags := c.u8(); flags&0x20 != 0 {
			return c.take(uint64(c.u32()))
		}
	}
	return nil
}

// errNewLayout is about layouts of files that were written for the latest versions of the library alone.
var errNewLayout = errors.New("its chunks are indexed in a way of HDF5 1.10 and later: " +
	"nccopy -k cdf5 -u in.nc out.nc converts the file")

func (d *Dataset) parseLayout(data []byte) error {
	c := cursor{b: data}
	version := c.u8()
	if version < 3 {
		return d.parseOldLayout(&c)
	}
	if version > 4 {
		return fmt.Errorf("version %d of a layout is not supported", version)
	}
	l := &d.layout
	switch l.kind = c.u8(); l.kind {
	case compact:
		l.data = c.take(uint64(c.u16()))
	case contiguous:
		l.address = c.u64()
	case chunked:
		if version == 4 {
			return errNewLayout
		}
		rank := int(c.u8()) - 1
		l.address = c.u64()
		for range max(0, rank) {
			l.chunk = append(l.chunk, uint64(c.u32()))
		}
	default:
		return fmt.Errorf("its layout is of kind %d, which is not supported", l.kind)
	}
	return d.checkLayout(&c)
}

// parseOldLayout parses versions 1 and 2.
func (d *Dataset) parseOldLayout(c *cursor) error {
	l := &d.layout
	rank := int(c.u8())
	l.kind = c.u8()
	c.skip(5)
	if l.kind != compact {
		l.address = c.u64()
	}
	if l.kind == chunked {
		rank--
	}
	if rank > maxDims {
		return errShort
	}
	for range max(0, rank) {
		l.chunk = append(l.chunk, uint64(c.u32()))
	}
	switch l.kind {
	case compact:
		l.data = c.take(uint64(c.u32()))
	case contiguous:
		l.chunk = nil
	}
	return d.checkLayout(c)
}

func (d *Dataset) checkLayout(c *cursor) error {
	if c.err != nil {
		return c.err
	}
	if d.layout.kind == chunked && (len(d.layout.chunk) != len(d.Shape) || slices.Contains(d.layout.chunk, 0)) {
		return fmt.Errorf("its chunks have the shape %v", d.layout.chunk)
	}
	return nil
}

// Attr returns the attribute with a name, nil if there is none.
func (d *Dataset) Attr(name string) *Attribute {
	if k := slices.IndexFunc(d.Attrs, func(a Attribute) bool { return a.Name == name }); k >= 0 {
		return &d.Attrs[k]
	}
	return nil
}

// Address returns the address of the dataset, which references have.
func (d *Dataset) Address() uint64 { return d.address }

// References returns the addresses of the objects to which each value of an attribute refers.
func (a *Attribute) References() [][]uint64 { return a.refs }

// Read reads a block of numbers into values: along each dimension count[i] values from index start[i] on. What was
// never written has the fill value of the dataset.
func (d *Dataset) Read(start, count []int64, values []float64) error {
	n := int64(1)
	if len(start) != len(d.Shape) || len(count) != len(d.Shape) {
		return fmt.Errorf("it has %d dimensions, but start and count have %d and %d", len(d.Shape), len(start),
			len(count))
	}
	for i := range start {
		if start[i] < 0 || count[i] < 0 || count[i] > d.Shape[i]-start[i] {
			return fmt.Errorf("%d values from index %d along dimension %d, which has %d", count[i], start[i], i, d.Shape[i])
		}
		n *= count[i]
	}
	switch {
	case n != int64(len(values)):
		return fmt.Errorf("the slice for %d values has length %d", n, len(values))
	case !d.Type.IsNumber():
		return fmt.Errorf("it is of type %s, want numbers", d.Type.Name)
	case d.err != nil:
		return d.err
	case n == 0:
		return nil
	}
	if d.layout.kind == chunked {
		return d.readChunks(start, count, values)
	}
	return d.readWhole(start, count, values)
}

// readWhole reads from a compact or contiguous layout.
func (d *Dataset) readWhole(start, count []int64, values []float64) error {
	size := int64(d.Type.Size)
	if d.layout.kind == contiguous && d.layout.address == undefined {
		d.fillIn(values)
		return nil
	}
	line := int64(1)
	if len(count) > 0 {
		line = count[len(count)-1]
	}
	index := slices.Clone(start)
	for ; len(values) > 0; values = values[line:] {
		at := int64(0)
		for i, n := range d.Shape {
			at = at*n + index[i]
		}
		const most = 1 << 20 // values at a time
		for from := int64(0); from < line; from += most {
			n := min(most, line-from)
			b, err := d.wholeBytes((at+from)*size, n*size)
			if err != nil {
				return err
			}
			d.Type.numbers(values[from:from+n], b)
		}
		next(index, start, count)
	}
	return nil
}

func (d *Dataset) wholeBytes(at, n int64) ([]byte, error) {
	if d.layout.kind == contiguous {
		return d.f.data(d.layout.address+uint64(at), uint64(n))
	}
	if at < 0 || n > int64(len(d.layout.data))-at {
		return nil, errShort
	}
	return d.layout.data[at : at+n], nil
}

// next advances an index by a line.
func next(index, start, count []int64) {
	for i := len(index) - 2; i >= 0; i-- {
		if index[i]++; index[i] < start[i]+count[i] {
			return
		}
		index[i] = start[i]
	}
}

// fillIn sets values to the fill value.
func (d *Dataset) fillIn(values []float64) {
	var fill [1]float64
	if d.fill != nil {
		d.Type.numbers(fill[:], d.fill)
	}
	for i := range values {
		values[i] = fill[0]
	}
}
