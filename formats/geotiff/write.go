package geotiff

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Image is a raster for Write.
type Image struct {
	Columns, Rows int
	West, North   float64   // position of the first cell's outer corner
	Width, Height float64   // size of a cell, above 0
	EPSG          int       // code of the coordinate system, 0 for none
	Name, Unit    string    // of the values; "" for none
	Values        []float64 // from the north-west corner, row by row; NaN means no data
	Classes       bool      // values are numbers of classes, of which reductions have the most frequent
	Float64       bool      // the file has numbers of 8 bytes; otherwise values are rounded to float32
}

// maxClassic is the largest size of a file, in bytes, whose offsets are certain to fit into 4 bytes.
const maxClassic = 1<<32 - 1<<20

// Write writes a raster to a TIFF file, as a cloud optimized GeoTIFF: one of more than 512 columns or rows in tiles,
// with reductions by 2, 4 and so on, whose values are means of those that there are. It is a BigTIFF file, which fewer
// programs read, only if it has 4 GiB or more.
func Write(path string, m *Image) error {
	if m.Columns < 1 || m.Rows < 1 || len(m.Values) != m.Columns*m.Rows {
		return fmt.Errorf("%s: %d values for a raster of %d x %d cells", path, len(m.Values), m.Columns, m.Rows)
	}
	w := writer{Image: m}
	data, err := w.file(maxClassic)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		_, err := f.Write(data)
		return err
	})
}

// file returns the bytes of the file, which is a BigTIFF file if its blocks have more than a number of bytes.
func (w *writer) file(maxClassic int) ([]byte, error) {
	size := 0
	for r := (reduction{values: w.Values, columns: w.Columns, rows: w.Rows}); ; r = r.next(w.Classes) {
		l, err := w.compress(&r)
		if err != nil {
			return nil, err
		}
		w.levels, size = append(w.levels, l), size+l.blocks.Len()
		if longest := max(r.columns, r.rows); longest <= tileSide || max(w.Columns, w.Rows) <= maxPlain {
			break
		}
	}
	w.big = size > maxClassic
	return w.encode()
}

// writer makes a TIFF file in the layout of a cloud optimized GeoTIFF: header, directories with the values of fields
// that are longer than an offset, that of the image before those of its reductions (overviews); then the blocks, of the
// smallest reduction first.
type writer struct {
	*Image
	big    bool     // offsets and counts have 8 bytes, otherwise 4
	levels []*level // the image and its reductions
}

// level is the image or a reduction of it.
type level struct {
	columns, rows int
	isTiled       bool
	stripRows     int          // without tiles
	blocks        bytes.Buffer // compressed, each after its size and before a copy of its last four bytes
	counts        []uint64     // bytes of each block
}

const (
	tileSide = 256 // of a tile, and of the smallest reduction at most
	maxPlain = 512 // a smaller image has strips and no reductions
)

// word is the size of offsets in bytes.
func (w *writer) word() int {
	if w.big {
		return 8
	}
	return 4
}

// compress compresses values, in tiles, or those of a small image in strips of about 64 KiB.
func (w *writer) compress(r *reduction) (*level, error) {
	l := &level{columns: r.columns, rows: r.rows, isTiled: max(w.Columns, w.Rows) > maxPlain}
	width, height := tileSide, tileSide
	if !l.isTiled {
		width, height = r.columns, min(r.rows, max(1, 1<<13/r.columns))
		l.stripRows = height
	}
	var plain []byte
	for top := 0; top < r.rows; top += height {
		for left := 0; left < r.columns; left += width {
			plain = plain[:0]
			for row := top; row < top+height && (l.isTiled || row < r.rows); row++ {
				for column := left; column < left+width; column++ {
					v := math.NaN() // beyond the image
					if row < r.rows && column < r.columns {
						v = r.values[row*r.columns+column]
					}
					if w.Float64 {
						plain = binary.LittleEndian.AppendUint64(plain, math.Float64bits(v))
					} else {
						plain = binary.LittleEndian.AppendUint32(plain, math.Float32bits(float32(v)))
					}
				}
			}
			start := l.blocks.Len() + 4
			l.blocks.Write(make([]byte, 4)) // for the size
			z := zlib.NewWriter(&l.blocks)
			if _, err := z.Write(plain); err != nil {
				return nil, err
			}
			if err := z.Close(); err != nil {
				return nil, err
			}
			size := l.blocks.Len() - start
			l.counts = append(l.counts, uint64(size))
			all := l.blocks.Bytes()
			binary.LittleEndian.PutUint32(all[start-4:], uint32(size))
			l.blocks.Write(all[len(all)-4:])
		}
	}
	return l, nil
}

// field is a field of the directory, with its values as bytes.
type field struct {
	tag, kind uint16
	count     int
	data      []byte
}

func integerField[T uint16 | uint32 | uint64](tag, kind uint16, list ...T) field {
	data, _ := binary.Append(nil, binary.LittleEndian, list) // never fails for these types
	return field{tag, kind, len(list), data}
}

func doubleField(tag uint16, list ...float64) field {
	data, _ := binary.Append(nil, binary.LittleEndian, list)
	return field{tag, typeDouble, len(list), data}
}

func textField(tag uint16, s string) field {
	return field{tag, typeASCII, len(s) + 1, append([]byte(s), 0)}
}

// keys returns the GeoKeyDirectory: its version (1, 1, 0) and the number of keys; then for each key its number, 0 for a
// value that is stored here, the count 1 and the value. Systems in degrees are geodetic ones.
func (w *writer) keys() []uint16 {
	const modelKey, projectedModel, geodeticModel, area = 1024, 1, 2, 1
	if w.EPSG == 0 {
		return []uint16{1, 1, 0, 1, rasterTypeKey, 0, 1, area}
	}
	model, key := uint16(projectedModel), uint16(projectedKey)
	if epsg.Geographic(w.EPSG) {
		model, key = geodeticModel, geodeticKey
	}
	return []uint16{1, 1, 0, 3, modelKey, 0, 1, model, rasterTypeKey, 0, 1, area, key, 0, 1, uint16(w.EPSG)}
}

// metadata returns the band's name and unit in GDAL's XML.
func (w *writer) metadata() (string, error) {
	var b bytes.Buffer
	b.WriteString("<GDALMetadata>")
	for _, item := range [][2]string{{"DESCRIPTION", w.Name}, {"UNITTYPE", w.Unit}} {
		if item[1] == "" {
			continue
		}
		fmt.Fprintf(&b, `<Item name=%q sample="0" role=%q>`, item[0], map[string]string{"DESCRIPTION": "description",
			"UNITTYPE": "unittype"}[item[0]])
		if err := xml.EscapeText(&b, []byte(item[1])); err != nil {
			return "", err
		}
		b.WriteString("</Item>")
	}
	b.WriteString("</GDALMetadata>")
	return b.String(), nil
}

// structure is what GDAL writes after the header of a cloud optimized GeoTIFF, and gdalinfo shows as LAYOUT=COG. The
// directory after it begins at an even byte.
func structure() string {
	const text = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n" +
		"BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n  "
	return fmt.Sprintf("GDAL_STRUCTURAL_METADATA_SIZE=%06d bytes\n%s", len(text), text)
}

// encode returns the bytes of the file.
func (w *writer) encode() ([]byte, error) {
	metadata, err := w.metadata()
	if err != nil {
		return nil, err
	}
	if w.EPSG < 0 || w.EPSG > math.MaxUint16 {
		return nil, fmt.Errorf("EPSG:%d: want a code from 0 to %d", w.EPSG, math.MaxUint16)
	}
	b := []byte("II\x2a\x00") // little endian, version 42
	if w.big {
		b = []byte("II\x2b\x00\x08\x00\x00\x00") // version 43, offsets of 8 bytes
	}
	first := len(b) + w.word() + len(structure())
	b = append(w.appendWord(b, uint64(first)), structure()...)
	starts, at := []int{}, first // of directories, whose lengths do not depend on what they tell
	for k := range w.levels {
		starts = append(starts, at)
		at += len(w.directory(k, at, 0, 0, metadata))
	}
	blocks := make([]int, len(w.levels))
	for k := len(w.levels) - 1; k >= 0; k-- {
		blocks[k] = at
		at += w.levels[k].blocks.Len()
	}
	starts = append(starts, 0) // no further directory
	for k := range w.levels {
		b = append(b, w.directory(k, starts[k], starts[k+1], blocks[k], metadata)...)
	}
	for k := len(w.levels) - 1; k >= 0; k-- {
		b = append(b, w.levels[k].blocks.Bytes()...)
	}
	return b, nil
}

// directory returns the directory of a level that starts at a byte, and the values of its fields, for a following
// directory and blocks from other bytes on.
func (w *writer) directory(k, start, next, blocks int, metadata string) []byte {
	l, bits := w.levels[k], uint16(32)
	if w.Float64 {
		bits = 64
	}
	fields := []field{
		integerField[uint32](imageWidth, typeLong, uint32(l.columns)),
		integerField[uint32](imageLength, typeLong, uint32(l.rows)),
		integerField[uint16](bitsPerSample, typeShort, bits),
		integerField[uint16](compression, typeShort, 8),
		integerField[uint16](262, typeShort, 1), // photometric interpretation: the least value is black
		integerField[uint16](samplesPerPixel, typeShort, 1),
		integerField[uint16](planarConfiguration, typeShort, 1),
		integerField[uint16](sampleFormat, typeShort, 3),
		textField(gdalNoData, "nan"),
	}
	if l.isTiled {
		fields = append(fields, integerField[uint32](tileWidth, typeLong, tileSide),
			integerField[uint32](tileLength, typeLong, tileSide), w.positions(tileOffsets, l.offsets(blocks)),
			w.positions(tileByteCounts, l.counts))
	} else {
		fields = append(fields, integerField[uint32](rowsPerStrip, typeLong, uint32(l.stripRows)),
			w.positions(stripOffsets, l.offsets(blocks)), w.positions(stripByteCounts, l.counts))
	}
	if k > 0 {
		const reduced = 1
		fields = append(fields, integerField[uint32](newSubfileType, typeLong, reduced))
	} else {
		fields = append(fields, doubleField(modelPixelScaleTag, w.Width, w.Height, 0),
			doubleField(modelTiepointTag, 0, 0, 0, w.West, w.North, 0),
			integerField(geoKeyDirectoryTag, typeShort, w.keys()...), textField(gdalMetadata, metadata))
	}
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.tag, b.tag) })
	return w.assemble(fields, start, next)
}

// offsets returns the offsets of the blocks in the file, of which the first is at a byte.
func (l *level) offsets(first int) []uint64 {
	list := make([]uint64, len(l.counts))
	at := uint64(first)
	for i, n := range l.counts {
		list[i] = at + 4
		at += n + 8
	}
	return list
}

// positions returns a field of offsets or counts, with numbers of the file's word.
func (w *writer) positions(tag uint16, list []uint64) field {
	if w.big {
		return integerField(tag, typeLong8, list...)
	}
	short := make([]uint32, len(list))
	for i, v := range list {
		short[i] = uint32(v)
	}
	return integerField(tag, typeLong, short...)
}

// appendWord appends an offset or a count.
func (w *writer) appendWord(b []byte, v uint64) []byte {
	if w.big {
		return binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(v))
}

// assemble returns a directory of fields that starts at a byte, with the offset of the next one, and the values of its
// fields.
func (w *writer) assemble(fields []field, start, next int) []byte {
	var longValues, b []byte
	order := binary.LittleEndian
	count, entry := 2, 12 // bytes of the number of fields, and of a field
	if w.big {
		count, entry = 8, 20
		b = order.AppendUint64(b, uint64(len(fields)))
	} else {
		b = order.AppendUint16(b, uint16(len(fields)))
	}
	size := count + entry*len(fields) + w.word()
	valuesOffset := (start + size + 7) &^ 7 // offset of the values of fields
	for _, f := range fields {
		b = order.AppendUint16(order.AppendUint16(b, f.tag), f.kind)
		b = w.appendWord(b, uint64(f.count))
		if word := w.word(); len(f.data) <= word {
			b = append(append(b, f.data...), make([]byte, word-len(f.data))...)
			continue
		}
		b = w.appendWord(b, uint64(valuesOffset+len(longValues)))
		longValues = append(longValues, f.data...)
		longValues = append(longValues, make([]byte, -len(longValues)&7)...)
	}
	b = w.appendWord(b, uint64(next))
	b = append(b, make([]byte, valuesOffset-start-size)...)
	return append(b, longValues...)
}
