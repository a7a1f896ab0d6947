package geotiff

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/formats/internal/broken"
)

// sample returns a BigTIFF file of 6 x 4 cells; classic one of classic TIFF.
func sample(t testing.TB) []byte { return sampleOf(t, 0, true) }

func classic(t testing.TB) []byte { return sampleOf(t, maxClassic, false) }

func sampleOf(t testing.TB, maxClassic int, float64s bool) []byte {
	t.Helper()
	m := &Image{Columns: 6, Rows: 4, West: 10, North: 20, Width: 1, Height: 1, EPSG: 4326, Values: make([]float64, 24)}
	for i := range m.Values {
		m.Values[i] = float64(i)
	}
	m.Float64 = float64s
	text, err := (&writer{Image: m}).file(maxClassic)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fieldOffset returns the offset of the field with a tag in a BigTIFF file.
func fieldOffset(t testing.TB, text []byte, tag uint16) int {
	t.Helper()
	for k := int(binary.LittleEndian.Uint64(text[8:])) + 8; k+20 <= len(text); k += 20 {
		if binary.LittleEndian.Uint16(text[k:]) == tag {
			return k
		}
	}
	t.Fatalf("the file has no tag %d", tag)
	return 0
}

// readAll reads a file, and up to 100 x 100 cells of its raster.
func readAll(text []byte) error {
	f, err := New(bytes.NewReader(text), int64(len(text)), "b.tif")
	if err != nil {
		return err
	}
	w := Window{0, 0, min(f.Columns, 100), min(f.Rows, 100)}
	if int64(f.grid.columns)*int64(f.grid.rows) > 1<<20 {
		return nil // its blocks would need much memory
	}
	_, err = f.Read(w)
	return err
}

func TestBrokenFilesAreRefused(t *testing.T) {
	order := binary.LittleEndian
	set := func(tag uint16, value uint64) func(text []byte) []byte {
		return func(text []byte) []byte {
			order.PutUint64(text[fieldOffset(t, text, tag)+12:], value)
			return text
		}
	}
	kind := func(tag, kind uint16) func(text []byte) []byte {
		return func(text []byte) []byte {
			order.PutUint16(text[fieldOffset(t, text, tag)+2:], kind)
			return text
		}
	}
	rename := func(tag, newTag uint16) func(text []byte) []byte {
		return func(text []byte) []byte {
			order.PutUint16(text[fieldOffset(t, text, tag):], newTag)
			return text
		}
	}
	broken.Refused(t, readAll, func() []byte { return sample(t) }, []broken.Case{
		{func(b []byte) []byte { return nil }, "b.tif: byte 0: this is not a TIFF file"},
		{func(b []byte) []byte { b[2] = 44; return b }, "byte 2: unknown version 44 of TIFF"},
		{func(b []byte) []byte { return b[:12] }, "byte 4: this is not a BigTIFF file"},
		{func(b []byte) []byte { return b[:200] }, "directory at byte"},
		{func(b []byte) []byte { order.PutUint64(b[8:], 1<<40); return b }, "beyond the end of the file"},
		{set(imageWidth, 0), "tag 256: the width is 0 cells, want 1"},
		{set(imageLength, 1<<31), "tag 257: the height is 2147483648 cells"},
		{set(samplesPerPixel, 3), "the raster has 3 bands, want 1: gdal_translate -b 1"},
		{set(bitsPerSample, 12), "numbers of format 3 and 12 bits are not supported: gdal_translate -ot Float64"},
		{set(sampleFormat, 6), "numbers of format 6 and 64 bits are not supported"},
		{set(compression, 7), "compression JPEG is not supported: gdal_translate -co COMPRESS=DEFLATE"},
		{set(compression, 5), "block 0 (0, 0): "},
		{set(compression, 1), "block 0 (0, 0) has"},
		{set(stripOffsets, 1<<40), "block 0 (0, 0): "},
		{set(rowsPerStrip, 2), "1 offsets and 1 lengths of blocks, want 1 x 2"},
		{set(rowsPerStrip, 0), "blocks of 6 x 0 cells are empty"},
		{kind(imageWidth, 12), "tag 256 has type 12, want an integer"},
		{kind(gdalNoData, 3), "tag 42113 has type 3, want text"},
		{kind(gdalMetadata, 12), "tag 42112"},
		{rename(modelTiepointTag, 33921), "want 3 and 6"},
		{func(b []byte) []byte {
			return rename(modelTiepointTag, 33921)(rename(modelPixelScaleTag, 33549)(b))
		}, "the file does not have the position of the raster: gdal_translate -a_ullr"},
		{func(b []byte) []byte {
			offset := order.Uint64(b[fieldOffset(t, b, modelPixelScaleTag)+12:])
			order.PutUint64(b[offset:], math.Float64bits(math.NaN()))
			return b
		}, "tag 33550: value 0 is NaN, not finite"},
		{func(b []byte) []byte {
			offset := order.Uint64(b[fieldOffset(t, b, modelPixelScaleTag)+12:])
			order.PutUint64(b[offset:], math.Float64bits(-1))
			return b
		}, "gdalwarp converts the raster"},
		{func(b []byte) []byte { b[len(b)-34] ^= 0x55; return b }, "block 0 (0, 0)"},
		{func(b []byte) []byte {
			offset := order.Uint64(b[fieldOffset(t, b, geoKeyDirectoryTag)+12:])
			order.PutUint16(b[offset+6:], 200)
			return b
		}, "numbers are too few for the number of keys"},
	}...)
}

// Of classic TIFF files the header, the directory and the values of fields are cut or beyond the end.
func TestBrokenClassicFilesAreRefused(t *testing.T) {
	order := binary.LittleEndian
	broken.Refused(t, readAll, func() []byte { return classic(t) }, []broken.Case{
		{func(b []byte) []byte { return b[:12] }, "directory at byte"},
		{func(b []byte) []byte { return b[:200] }, "directory at byte"},
		{func(b []byte) []byte { order.PutUint32(b[4:], 1<<31); return b }, "beyond the end of the file"},
		{func(b []byte) []byte { order.PutUint16(b[order.Uint32(b[4:]):], 3); return b }, "tag"},
		{func(b []byte) []byte { b[len(b)-34] ^= 0x55; return b }, "block 0 (0, 0)"},
	}...)
}

func FuzzRead(f *testing.F) {
	valid := [][]byte{sample(f), classic(f)}
	files, err := filepath.Glob("testdata/*.tif")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		valid = append(valid, text)
	}
	broken.Fuzz(f, "b.tif", readAll, valid...)
}
