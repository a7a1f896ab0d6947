package geotiff

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"math"

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
	Float64       bool      // the file has numbers of 8 bytes; otherwise values are rounded to float32
}

// maxClassic is the largest size of a file, in bytes, whose offsets are certain to fit into 4 bytes.
const maxClassic = 1<<32 - 1<<20

// Write writes a raster to a TIFF file: to BigTIFF, which fewer programs read, only if it has 4 GiB or more.
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

// file returns the bytes of the file, which is a BigTIFF file if its strips have more than a number of bytes.
func (w *writer) file(maxClassic int) ([]byte, error) {
	if err := w.strips(); err != nil {
		return nil, err
	}
	w.big = w.compressed.Len() > maxClassic
	return w.encode()
}

// writer makes a TIFF file: header, strips, values of fields that are longer than an offset, directory.
type writer struct {
	*Image
	big        bool         // offsets and counts have 8 bytes, otherwise 4
	rows       int          // of a strip
	compressed bytes.Buffer // the strips
	counts     []uint64     // bytes of each strip
}

// word is the size of offsets in bytes.
func (w *writer) word() int {
	if w.big {
		return 8
	}
	return 4
}

// headerSize is the size of the header in bytes, with padding for the strips to be aligned.
const headerSize = 16

// strips compresses the values, in strips of about 64 KiB.
func (w *writer) strips() error {
	w.rows = min(w.Rows, max(1, 1<<13/w.Columns))
	var plain []byte
	for row := 0; row < w.Rows; row += w.rows {
		plain = plain[:0]
		for _, v := range w.Values[row*w.Columns : min(w.Rows, row+w.rows)*w.Columns] {
			if w.Float64 {
				plain = binary.LittleEndian.AppendUint64(plain, math.Float64bits(v))
			} else {
				plain = binary.LittleEndian.AppendUint32(plain, math.Float32bits(float32(v)))
			}
		}
		start := w.compressed.Len()
		z := zlib.NewWriter(&w.compressed)
		if _, err := z.Write(plain); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		w.counts = append(w.counts, uint64(w.compressed.Len()-start))
	}
	return nil
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
// value that is stored here, the count 1 and the value. EPSG codes from 4000 to 4999 are geodetic systems, of longitude
// and latitude.
func (w *writer) keys() []uint16 {
	const modelKey, projectedModel, geodeticModel, area = 1024, 1, 2, 1
	if w.EPSG == 0 {
		return []uint16{1, 1, 0, 1, rasterTypeKey, 0, 1, area}
	}
	model, key := uint16(projectedModel), uint16(projectedKey)
	if w.EPSG >= 4000 && w.EPSG < 5000 {
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

// encode returns the bytes of the file.
func (w *writer) encode() ([]byte, error) {
	metadata, err := w.metadata()
	if err != nil {
		return nil, err
	}
	if w.EPSG < 0 || w.EPSG > math.MaxUint16 {
		return nil, fmt.Errorf("EPSG:%d: want a code from 0 to %d", w.EPSG, math.MaxUint16)
	}
	bits := uint16(32)
	if w.Float64 {
		bits = 64
	}
	return w.assemble([]field{ // in the order of tags
		integerField[uint32](imageWidth, typeLong, uint32(w.Columns)),
		integerField[uint32](imageLength, typeLong, uint32(w.Rows)),
		integerField[uint16](bitsPerSample, typeShort, bits),
		integerField[uint16](compression, typeShort, 8),
		integerField[uint16](262, typeShort, 1), // photometric interpretation: the least value is black
		w.positions(stripOffsets, w.offsets()),
		integerField[uint16](samplesPerPixel, typeShort, 1),
		integerField[uint32](rowsPerStrip, typeLong, uint32(w.rows)),
		w.positions(stripByteCounts, w.counts),
		integerField[uint16](planarConfiguration, typeShort, 1),
		integerField[uint16](sampleFormat, typeShort, 3),
		doubleField(modelPixelScaleTag, w.Width, w.Height, 0),
		doubleField(modelTiepointTag, 0, 0, 0, w.West, w.North, 0),
		integerField(geoKeyDirectoryTag, typeShort, w.keys()...),
		textField(gdalMetadata, metadata),
		textField(gdalNoData, "nan"),
	}), nil
}

// offsets returns the offsets of the strips in the file.
func (w *writer) offsets() []uint64 {
	list := make([]uint64, len(w.counts))
	at := uint64(headerSize)
	for i, n := range w.counts {
		list[i] = at
		at += n
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

// assemble returns the bytes of the file with the fields of its directory.
func (w *writer) assemble(fields []field) []byte {
	var longValues, directory []byte
	order := binary.LittleEndian
	valuesOffset := uint64(headerSize+w.compressed.Len()+7) &^ 7 // offset of the values of fields
	for _, f := range fields {
		directory = order.AppendUint16(order.AppendUint16(directory, f.tag), f.kind)
		directory = w.appendWord(directory, uint64(f.count))
		if word := w.word(); len(f.data) <= word {
			directory = append(append(directory, f.data...), make([]byte, word-len(f.data))...)
			continue
		}
		directory = w.appendWord(directory, valuesOffset+uint64(len(longValues)))
		longValues = append(longValues, f.data...)
		longValues = append(longValues, make([]byte, -len(longValues)&7)...)
	}
	start := valuesOffset + uint64(len(longValues)) // of the directory
	var b []byte
	if w.big {
		b = append(b, "II\x2b\x00\x08\x00\x00\x00"...) // little endian, version 43, offsets of 8 bytes
	} else {
		b = append(b, "II\x2a\x00"...)
	}
	b = w.appendWord(b, start)
	b = append(b, make([]byte, headerSize-len(b))...)
	b = append(b, w.compressed.Bytes()...)
	b = append(b, make([]byte, int(valuesOffset)-len(b))...)
	b = append(b, longValues...)
	if w.big {
		b = order.AppendUint64(b, uint64(len(fields)))
	} else {
		b = order.AppendUint16(b, uint16(len(fields)))
	}
	b = append(b, directory...)
	return w.appendWord(b, 0) // no further directory
}
