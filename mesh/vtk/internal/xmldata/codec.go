package xmldata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// MaxExpansion is the largest factor by which deflate can expand data: a match of 258 bytes takes at least two bits.
const MaxExpansion = 1032

// Codec decodes the arrays of one file.
type Codec struct {
	order          binary.ByteOrder
	hasWideHeaders bool // headers are UInt64, not UInt32
	compressed     bool
	appended       *rawAppended
	BytesLeft      int64 // that may still be allocated; arrays can share data of the file, so their sum is bounded
}

// rawAppended is the section of appended data, from the first byte after the underscore.
type rawAppended struct {
	data   []byte
	base64 bool
}

// NewCodec returns the codec of a file with the given root element and AppendedData, nil if it has none.
func NewCodec(file []byte, root, appended *Element) (*Codec, error) {
	c := &Codec{BytesLeft: MaxExpansion * int64(len(file))}
	switch order := root.Attribute("byte_order"); order {
	case "LittleEndian", "":
		c.order = binary.LittleEndian
	case "BigEndian":
		c.order = binary.BigEndian
	default:
		return nil, root.Errorf("the attribute byte_order=%q is neither LittleEndian nor BigEndian", order)
	}
	switch header := root.Attribute("header_type"); header {
	case "UInt64":
		c.hasWideHeaders = true
	case "UInt32", "":
	default:
		return nil, root.Errorf("the attribute header_type=%q is neither UInt32 nor UInt64", header)
	}
	switch compressor := root.Attribute("compressor"); compressor {
	case "vtkZLibDataCompressor":
		c.compressed = true
	case "":
	default:
		return nil, root.Errorf("the compressor %q is not supported; write the file with zlib compression or none",
			compressor)
	}
	if appended == nil {
		return c, nil
	}
	a := &rawAppended{data: file[appended.offset:]}
	switch encoding := appended.Attribute("encoding"); encoding {
	case "raw":
	case "base64":
		a.base64 = true
	default:
		return nil, appended.Errorf("the attribute encoding=%q is neither raw nor base64", encoding)
	}
	a.data = bytes.TrimLeft(a.data, " \t\r\n")
	if len(a.data) == 0 || a.data[0] != '_' {
		return nil, appended.Errorf("the appended data do not begin with an underscore")
	}
	a.data = a.data[1:]
	if end := bytes.IndexByte(a.data, '<'); a.base64 && end >= 0 {
		a.data = bytes.TrimRight(a.data[:end], " \t\r\n")
	}
	c.appended = a
	return c, nil
}

// Decode decodes the values of a DataArray, which must be n; -1 accepts any number.
func (c *Codec) Decode(e *Element, n int64) (Values, error) {
	kind, ok := ValueTypes[e.Attribute("type")]
	if !ok {
		return nil, e.Errorf("values of type %q are not supported", e.Attribute("type"))
	}
	var (
		v   Values
		err error
	)
	switch format := e.Attribute("format"); format {
	case "ascii":
		v, err = c.ascii(e.text, kind, n)
	case "binary":
		v, err = c.blocks(&base64Source{text: removeSpace(e.text)}, kind, n)
	case "appended":
		var s source
		if s, err = c.seek(e); err == nil {
			v, err = c.blocks(s, kind, n)
		}
	default:
		err = fmt.Errorf("the attribute format=%q; want ascii, binary or appended", format)
	}
	if err != nil {
		return nil, e.Errorf("%w", err)
	}
	if n >= 0 && int64(v.Len()) != n {
		return nil, e.Errorf("the array has %d values; want %d", v.Len(), n)
	}
	return v, nil
}

func (c *Codec) ascii(text []byte, kind valueType, n int64) (Values, error) {
	if n > int64(len(text)+1)/2 {
		return nil, fmt.Errorf("%d bytes of text cannot hold %d values", len(text), n)
	}
	words := bytes.Fields(text)
	if err := c.spend(int64(len(words)) * int64(kind.size)); err != nil {
		return nil, err
	}
	return kind.Text(words)
}

// seek finds the data of an array among the appended data.
func (c *Codec) seek(e *Element) (source, error) {
	if c.appended == nil {
		return nil, errors.New("the file has no AppendedData")
	}
	offset, err := e.Count("offset", int64(len(c.appended.data)))
	if err != nil {
		return nil, err
	}
	data := c.appended.data[offset:]
	if c.appended.base64 {
		return &base64Source{text: data}, nil
	}
	raw := rawSource(data)
	return &raw, nil
}

// blocks decodes the values of an array from its header and its data.
func (c *Codec) blocks(s source, kind valueType, n int64) (Values, error) {
	if n > math.MaxInt64/8 {
		return nil, fmt.Errorf("%d values are too many", n)
	}
	var (
		raw []byte
		err error
	)
	if c.compressed {
		raw, err = c.inflate(s, n*int64(kind.size))
	} else {
		raw, err = c.plain(s)
	}
	if err != nil {
		return nil, err
	}
	if len(raw)%kind.size != 0 {
		return nil, fmt.Errorf("%d bytes are not a multiple of %d, the size of a value", len(raw), kind.size)
	}
	return kind.bytes(raw, c.order, c.compressed), nil
}

// plain reads data without compression: the length, then the bytes.
func (c *Codec) plain(s source) ([]byte, error) {
	head, err := c.words(s, 1)
	if err != nil {
		return nil, err
	}
	raw, err := s.take(head[0])
	if err != nil {
		return nil, err
	}
	return raw, c.spend(head[0])
}

// inflate decompresses data in zlib blocks: the number of blocks, the bytes in a block and in the last one (0 if it is
// full), the compressed length of each; then the blocks. The total must be need bytes; a negative need accepts any.
func (c *Codec) inflate(s source, need int64) ([]byte, error) {
	head, err := c.words(s, 3)
	if err != nil {
		return nil, err
	}
	blocks, blockBytes, lastBytes := head[0], head[1], head[2]
	if blocks == 0 {
		return nil, nil
	}
	if lastBytes == 0 {
		lastBytes = blockBytes
	}
	if lastBytes > blockBytes || blockBytes == 0 {
		return nil, fmt.Errorf("the block table has a last block of %d bytes, the others of %d", lastBytes, blockBytes)
	}
	sizes, err := c.words(s, blocks)
	if err != nil {
		return nil, fmt.Errorf("block table of %d blocks: %w", blocks, err)
	}
	packed := int64(0)
	for i, size := range sizes {
		if packed += size; packed > s.remaining() {
			return nil, fmt.Errorf("block %d of %d: %w", i, blocks, shortError(packed, s.remaining()))
		}
	}
	limit := MaxExpansion * packed
	if lastBytes > limit || blocks > 1 && blockBytes > (limit-lastBytes)/(blocks-1) {
		return nil, fmt.Errorf("%d compressed bytes cannot expand to %d blocks of %d bytes", packed, blocks, blockBytes)
	}
	total := (blocks-1)*blockBytes + lastBytes
	if need >= 0 && total != need {
		return nil, fmt.Errorf("the block table has %d bytes; want %d", total, need)
	}
	if err := c.spend(total); err != nil {
		return nil, err
	}
	taken := make([][]byte, blocks)
	for i, size := range sizes {
		if taken[i], err = s.take(size); err != nil {
			return nil, fmt.Errorf("block %d of %d: %w", i, blocks, err)
		}
	}
	out := make([]byte, total)
	return out, inflateAll(out, taken, blockBytes)
}

// words reads n header words, each a length below 2^62.
func (c *Codec) words(s source, n int64) ([]int64, error) {
	size := int64(4)
	if c.hasWideHeaders {
		size = 8
	}
	if n > s.remaining()/size {
		return nil, fmt.Errorf("the data are truncated: %d header words needed, at most %d bytes remain", n, s.remaining())
	}
	raw, err := s.take(n * size)
	if err != nil {
		return nil, err
	}
	words := make([]int64, n)
	for i := range words {
		var w uint64
		if c.hasWideHeaders {
			w = c.order.Uint64(raw[8*i:])
		} else {
			w = uint64(c.order.Uint32(raw[4*i:]))
		}
		if w >= 1<<62 {
			return nil, fmt.Errorf("header word %d is %d, which is not a length: check byte_order and header_type", i, w)
		}
		words[i] = int64(w)
	}
	return words, nil
}

// spend subtracts n bytes that are to be allocated from BytesLeft.
func (c *Codec) spend(n int64) error {
	if c.BytesLeft -= n; c.BytesLeft < 0 {
		return errors.New("the arrays are larger than a file of this size can hold")
	}
	return nil
}

func removeSpace(text []byte) []byte {
	return bytes.Join(bytes.Fields(text), nil)
}
