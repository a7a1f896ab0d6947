package geotiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Tags of the fields that are looked at.
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
	maskSubfile            uint64 = 4
)

// sizes are how many bytes a value of each type takes, by the number of the type; 0 for types that are not known.
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
	mostOfAField = 1 << 28 // bytes: 16 million blocks
)

// entry is a field of a directory.
type entry struct {
	kind   int
	count  int64
	offset int64 // of its values in the file
}

// directory is an image file directory: its fields by tag.
type directory struct {
	r     io.ReaderAt
	size  int64 // of the file
	order binary.ByteOrder
	big   bool
	at    int64
	tags  map[int]entry
	next  int64 // where the next one is, 0 for none
}

// read returns so many bytes of the file.
func (d *directory) read(offset, length int64, what string) ([]byte, error) {
	if offset < 0 || length < 0 || offset > d.size-length {
		return nil, fmt.Errorf("%s: %d bytes at byte %d are beyond the end of the file of %d bytes", what, length, offset,
			d.size)
	}
	b := make([]byte, length)
	if _, err := d.r.ReadAt(b, offset); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", what, err)
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
		return nil, errors.New("byte 0: this is no TIFF file")
	}
	first := int64(0)
	switch version := d.order.Uint16(head[2:]); version {
	case 42:
		first = int64(d.order.Uint32(head[4:]))
	case 43:
		if len(head) < 16 || d.order.Uint16(head[4:]) != 8 {
			return nil, errors.New("byte 4: this is no BigTIFF file with offsets of 8 bytes")
		}
		d.big = true
		first = int64(d.order.Uint64(head[8:]))
	default:
		return nil, fmt.Errorf("byte 2: version %d of TIFF is not known; 42 and 43 are", version)
	}
	return d.directory(first)
}

// directory reads another directory of the same file.
func (d *directory) directory(at int64) (*directory, error) {
	o := &directory{r: d.r, size: d.size, order: d.order, big: d.big, at: at, tags: map[int]entry{}}
	what := fmt.Sprintf("directory at byte %d", at)
	counted, each, word := int64(2), int64(12), int64(4)
	if d.big {
		counted, each, word = 8, 20, 8
	}
	head, err := d.read(at, counted, what)
	if err != nil {
		return nil, err
	}
	n := int64(d.order.Uint16(head))
	if d.big {
		if u := d.order.Uint64(head); u < math.MaxUint16 {
			n = int64(u)
		} else {
			return nil, fmt.Errorf("%s: %d fields are too many", what, u)
		}
	}
	text, err := d.read(at+counted, n*each+word, what)
	if err != nil {
		return nil, err
	}
	for k := range n {
		f := text[k*each:]
		tag, kind := int(d.order.Uint16(f)), int(d.order.Uint16(f[2:]))
		e := entry{kind: kind, count: d.word(f[4:]), offset: at + counted + k*each + 4 + word}
		if kind >= len(sizes) || sizes[kind] == 0 {
			continue // readers are to skip types that they do not know
		}
		if e.count < 0 || e.count > mostOfAField/sizes[kind] {
			return nil, fmt.Errorf("%s: tag %d has %d values, too many", what, tag, e.count)
		}
		if e.count*sizes[kind] > word {
			e.offset = d.word(f[4+word:])
		}
		if _, twice := o.tags[tag]; !twice {
			o.tags[tag] = e
		}
	}
	o.next = d.word(text[n*each:])
	return o, nil
}

// word is a count or an offset.
func (d *directory) word(b []byte) int64 {
	if !d.big {
		return int64(d.order.Uint32(b))
	}
	if v := d.order.Uint64(b); v <= math.MaxInt64 {
		return int64(v)
	}
	return -1
}

// values returns the bytes of a field, nil where it is not there.
func (d *directory) values(tag int) (b []byte, e entry, err error) {
	e, ok := d.tags[tag]
	if !ok {
		return nil, e, nil
	}
	b, err = d.read(e.offset, e.count*sizes[e.kind], fmt.Sprintf("tag %d", tag))
	return b, e, err
}

// integers returns a field of integers that are not negative, nil where it is not there.
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
			return nil, fmt.Errorf("tag %d is of type %d; an integer is needed", tag, e.kind)
		}
		if list[i] < 0 {
			return nil, fmt.Errorf("tag %d: value %d is too large", tag, i)
		}
	}
	return list, nil
}

// integer returns a field of one integer, or of several that are equal, and the fallback where it is not there.
func (d *directory) integer(tag int, fallback int64) (int64, error) {
	list, err := d.integers(tag)
	if err != nil || len(list) == 0 {
		return fallback, err
	}
	for _, v := range list {
		if v != list[0] {
			return 0, fmt.Errorf("tag %d: the bands differ, %d and %d; choose one: gdal_translate -b 1", tag, list[0], v)
		}
	}
	return list[0], nil
}

// numbers returns a field of floating-point numbers, nil where it is not there.
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
			return nil, fmt.Errorf("tag %d is of type %d; floating-point numbers are needed", tag, e.kind)
		}
		if list[i]-list[i] != 0 {
			return nil, fmt.Errorf("tag %d: value %d is %v, not finite", tag, i, list[i])
		}
	}
	return list, nil
}

// text returns a field of text, "" where it is not there.
func (d *directory) text(tag int) (string, error) {
	b, e, err := d.values(tag)
	if err != nil || b == nil {
		return "", err
	}
	if e.kind != typeASCII {
		return "", fmt.Errorf("tag %d is of type %d; text is needed", tag, e.kind)
	}
	return strings.TrimRight(string(b), "\x00"), nil
}
