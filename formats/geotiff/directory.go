package geotiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Tags of the fields that are read or written.
const (
	newSubfileType                = 254
	imageWidth                    = 256
	imageLength                   = 257
	bitsPerSample                 = 258
	compression                   = 259
	stripOffsets                  = 273
	samplesPerPixel               = 277
	rowsPerStrip                  = 278
	stripByteCounts               = 279
	planarConfiguration           = 284
	predictor                     = 317
	tileWidth                     = 322
	tileLength                    = 323
	tileOffsets                   = 324
	tileByteCounts                = 325
	sampleFormat                  = 339
	modelPixelScaleTag            = 33550
	modelTiepointTag              = 33922
	modelTransformationTag        = 34264
	geoKeyDirectoryTag            = 34735
	gdalMetadata                  = 42112
	gdalNoData                    = 42113
	maskSubfile            uint64 = 4 // bit of newSubfileType: the image is a mask
)

// sizes are the sizes in bytes of a value of each type, by the number of the type; 0 for unknown types.
var sizes = [...]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8,
	18: 8}

// Numbers of types.
const (
	typeByte     = 1
	typeASCII    = 2
	typeShort    = 3
	typeLong     = 4
	typeFloat    = 11
	typeDouble   = 12
	typeIFD      = 13
	typeLong8    = 16
	typeIFD8     = 18
	maxFieldSize = 1 << 28 // bytes: enough for the offsets of 32 million blocks
)

// entry is a field of a directory.
type entry struct {
	kind   int   // type of the values
	count  int64 // number of values
	offset int64 // of the values in the file
}

// directory is an image file directory: its fields by tag.
type directory struct {
	r     io.ReaderAt
	size  int64 // of the file
	order binary.ByteOrder
	big   bool  // BigTIFF
	start int64 // offset in the file
	tags  map[int]entry
	next  int64 // offset of the next directory, 0 for none
}

// read returns length bytes of the file from offset on. name names these bytes in errors.
func (d *directory) read(offset, length int64, name string) ([]byte, error) {
	if offset < 0 || length < 0 || offset > d.size-length {
		return nil, fmt.Errorf("%s: %d bytes at byte %d are beyond the end of the file of %d bytes", name, length, offset,
			d.size)
	}
	b := make([]byte, length)
	if _, err := d.r.ReadAt(b, offset); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// open reads the header of a file and its first directory.
func open(r io.ReaderAt, size int64) (*directory, error) {
	d := &directory{r: r, size: size}
	head, err := d.read(0, min(16, size), "header")
	if err != nil {
		return nil, err
	}
	switch {
	case len(head) >= 8 && string(head[:2]) == "II":
		d.order = binary.LittleEndian
	case len(head) >= 8 && string(head[:2]) == "MM":
		d.order = binary.BigEndian
	default:
		return nil, errors.New("byte 0: this is not a TIFF file")
	}
	first := int64(0)
	switch version := d.order.Uint16(head[2:]); version {
	case 42:
		first = int64(d.order.Uint32(head[4:]))
	case 43:
		if len(head) < 16 || d.order.Uint16(head[4:]) != 8 {
			return nil, errors.New("byte 4: this is not a BigTIFF file with offsets of 8 bytes")
		}
		d.big = true
		first = int64(d.order.Uint64(head[8:]))
	default:
		return nil, fmt.Errorf("byte 2: unknown version %d of TIFF: want 42 or 43", version)
	}
	return d.readDirectory(first)
}

// readDirectory reads the directory of the same file at offset start.
func (d *directory) readDirectory(start int64) (*directory, error) {
	o := &directory{r: d.r, size: d.size, order: d.order, big: d.big, start: start, tags: map[int]entry{}}
	name := fmt.Sprintf("directory at byte %d", start)
	countSize, entrySize, wordSize := int64(2), int64(12), int64(4)
	if d.big {
		countSize, entrySize, wordSize = 8, 20, 8
	}
	head, err := d.read(start, countSize, name)
	if err != nil {
		return nil, err
	}
	n := int64(d.order.Uint16(head))
	if d.big {
		if u := d.order.Uint64(head); u < math.MaxUint16 {
			n = int64(u)
		} else {
			return nil, fmt.Errorf("%s: %d fields, want fewer than %d", name, u, math.MaxUint16)
		}
	}
	fields, err := d.read(start+countSize, n*entrySize+wordSize, name)
	if err != nil {
		return nil, err
	}
	for k := range n {
		f := fields[k*entrySize:]
		tag, kind := int(d.order.Uint16(f)), int(d.order.Uint16(f[2:]))
		e := entry{kind: kind, count: d.word(f[4:]), offset: start + countSize + k*entrySize + 4 + wordSize}
		if kind >= len(sizes) || sizes[kind] == 0 {
			continue // TIFF requires readers to skip fields of unknown types
		}
		if e.count < 0 || e.count > maxFieldSize/sizes[kind] {
			return nil, fmt.Errorf("%s: tag %d has %d values, want at most %d", name, tag, e.count,
				maxFieldSize/sizes[kind])
		}
		if e.count*sizes[kind] > wordSize {
			e.offset = d.word(f[4+wordSize:])
		}
		if _, exists := o.tags[tag]; !exists {
			o.tags[tag] = e
		}
	}
	o.next = d.word(fields[n*entrySize:])
	return o, nil
}

// word decodes a count or an offset: 8 bytes in BigTIFF, else 4. It returns -1 if it does not fit an int64.
func (d *directory) word(b []byte) int64 {
	if !d.big {
		return int64(d.order.Uint32(b))
	}
	if v := d.order.Uint64(b); v <= math.MaxInt64 {
		return int64(v)
	}
	return -1
}

// values returns the bytes of a field, nil if the directory does not have it.
func (d *directory) values(tag int) (b []byte, e entry, err error) {
	e, ok := d.tags[tag]
	if !ok {
		return nil, e, nil
	}
	b, err = d.read(e.offset, e.count*sizes[e.kind], fmt.Sprintf("tag %d", tag))
	return b, e, err
}

// integers returns a field of non-negative integers, nil if the directory does not have it.
func (d *directory) integers(tag int) ([]int64, error) {
	b, e, err := d.values(tag)
	if err != nil || b == nil {
		return nil, err
	}
	list := make([]int64, e.count)
	for i := range list {
		switch e.kind {
		case typeByte:
			list[i] = int64(b[i])
		case typeShort:
			list[i] = int64(d.order.Uint16(b[2*i:]))
		case typeLong, typeIFD:
			list[i] = int64(d.order.Uint32(b[4*i:]))
		case typeLong8, typeIFD8:
			list[i] = int64(d.order.Uint64(b[8*i:]))
		default:
			return nil, fmt.Errorf("tag %d has type %d, want an integer type", tag, e.kind)
		}
		if list[i] < 0 {
			return nil, fmt.Errorf("tag %d: value %d is too large", tag, i)
		}
	}
	return list, nil
}

// integer returns a field of one integer, or of several equal ones, or fallback if the directory does not have it.
func (d *directory) integer(tag int, fallback int64) (int64, error) {
	list, err := d.integers(tag)
	if err != nil || len(list) == 0 {
		return fallback, err
	}
	for _, v := range list {
		if v != list[0] {
			return 0, fmt.Errorf("tag %d: the bands have different values, %d and %d; select one: gdal_translate -b 1", tag,
				list[0], v)
		}
	}
	return list[0], nil
}

// numbers returns a field of floating-point numbers, nil if the directory does not have it.
func (d *directory) numbers(tag int) ([]float64, error) {
	b, e, err := d.values(tag)
	if err != nil || b == nil {
		return nil, err
	}
	list := make([]float64, e.count)
	for i := range list {
		switch e.kind {
		case typeFloat:
			list[i] = float64(math.Float32frombits(d.order.Uint32(b[4*i:])))
		case typeDouble:
			list[i] = math.Float64frombits(d.order.Uint64(b[8*i:]))
		default:
			return nil, fmt.Errorf("tag %d has type %d, want a floating-point type", tag, e.kind)
		}
		if list[i]-list[i] != 0 {
			return nil, fmt.Errorf("tag %d: value %d is %v, not finite", tag, i, list[i])
		}
	}
	return list, nil
}

// text returns a field of text, "" if the directory does not have it.
func (d *directory) text(tag int) (string, error) {
	b, e, err := d.values(tag)
	if err != nil || b == nil {
		return "", err
	}
	if e.kind != typeASCII {
		return "", fmt.Errorf("tag %d has type %d, want text", tag, e.kind)
	}
	return strings.TrimRight(string(b), "\x00"), nil
}
