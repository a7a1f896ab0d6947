package geotiff

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a raster of one band that is open for reading.
type File struct {
	Columns, Rows int
	// West and North are the outer corner of the first cell, in the units of the coordinates, and Width and Height the
	// size of a cell. A Height below 0 is of rows that go from south to north.
	West, North, Width, Height float64
	EPSG                       int // code of the coordinates, 0 where the file tells none

	name      string
	dir       *directory
	close     io.Closer
	cell      number
	grid      blocks
	pack      int64 // compression
	predictor int64 // of TIFF's tag 317: noPrediction, horizontalDifferencing or floatingPoint

	scale, offset float64 // a value is scale times the number in the file, plus offset
	none          func(bits uint64) bool
}

// blocks are the strips or tiles of an image.
type blocks struct {
	columns, rows   int // of a block
	across, down    int // how many there are
	offsets, counts []int64
}

// most bounds the sides of an image, and mostOfABlock the bytes of one of its blocks.
const (
	most         = 1 << 30
	mostOfABlock = 1 << 30
)

// Open opens a file. Errors start with its name.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := New(file, info.Size(), path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file
	return f, nil
}

// New reads what a file of so many bytes tells of its raster. Errors start with the name.
func New(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{name: name}
	if err := f.begin(r, size); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close.Close()
}

func (f *File) begin(r io.ReaderAt, size int64) (err error) {
	if f.dir, err = open(r, size); err != nil {
		return err
	}
	for _, part := range []func(*directory) error{f.shape, f.numbers, f.layout, f.place, f.meaning, f.unmasked} {
		if err := part(f.dir); err != nil {
			return err
		}
	}
	return nil
}

// shape finds how large the image is.
func (f *File) shape(d *directory) error {
	for _, of := range []struct {
		tag  int
		name string
		to   *int
	}{{imageWidth, "width", &f.Columns}, {imageLength, "height", &f.Rows}} {
		n, err := d.integer(of.tag, 0)
		if err != nil {
			return err
		}
		if n < 1 || n > most {
			return fmt.Errorf("tag %d: a %s of %d cells is not between 1 and %d", of.tag, of.name, n, most)
		}
		*of.to = int(n)
	}
	return nil
}

// numbers finds what the numbers of a cell are and how they are packed.
func (f *File) numbers(d *directory) error {
	bands, err := d.integer(samplesPerPixel, 1)
	if err != nil {
		return err
	}
	if bands != 1 {
		return fmt.Errorf("tag %d: the raster has %d bands, and one is needed: gdal_translate -b 1", samplesPerPixel, bands)
	}
	bits, err := d.integer(bitsPerSample, 1)
	if err != nil {
		return err
	}
	format, err := d.integer(sampleFormat, 1)
	if err != nil {
		return err
	}
	if f.cell, err = numberOf(format, bits); err != nil {
		return err
	}
	if f.pack, err = d.integer(compression, 1); err != nil {
		return err
	}
	if _, known := unpackers[f.pack]; !known && f.pack != 1 {
		return fmt.Errorf("tag %d: compression %s is not read: gdal_translate -co COMPRESS=DEFLATE converts it", compression,
			nameOf(f.pack))
	}
	if f.predictor, err = d.integer(predictor, 1); err != nil {
		return err
	}
	if f.predictor < noPrediction || f.predictor > floatingPoint || f.predictor == floatingPoint && !f.cell.float {
		return fmt.Errorf("tag %d: predictor %d of %v is not known: gdal_translate -co PREDICTOR=1 converts it", predictor,
			f.predictor, f.cell)
	}
	if f.pack == 1 || f.pack == packBits {
		f.predictor = noPrediction // writers apply one only before LZW and Deflate, whatever the tag says
	}
	return nil
}

// layout finds the strips or tiles.
func (f *File) layout(d *directory) error {
	g := &f.grid
	offsets, counts := stripOffsets, stripByteCounts
	columns, rows := int64(f.Columns), int64(f.Rows)
	var err error
	if _, tiled := d.tags[tileWidth]; tiled {
		offsets, counts = tileOffsets, tileByteCounts
		if columns, err = d.integer(tileWidth, 0); err != nil {
			return err
		}
		if rows, err = d.integer(tileLength, 0); err != nil {
			return err
		}
	} else {
		if rows, err = d.integer(rowsPerStrip, rows); err != nil {
			return err
		}
		rows = min(rows, int64(f.Rows))
	}
	if columns < 1 || rows < 1 || columns > most || rows > most || columns*rows > mostOfABlock/int64(f.cell.size) {
		return fmt.Errorf("blocks of %d x %d cells are empty or too large: gdal_translate -co TILED=YES converts it",
			columns, rows)
	}
	g.columns, g.rows = int(columns), int(rows)
	g.across, g.down = (f.Columns+g.columns-1)/g.columns, (f.Rows+g.rows-1)/g.rows
	if g.offsets, err = d.integers(offsets); err != nil {
		return err
	}
	if g.counts, err = d.integers(counts); err != nil {
		return err
	}
	n := int64(g.across) * int64(g.down)
	if int64(len(g.offsets)) != n || int64(len(g.counts)) != n {
		return fmt.Errorf("tags %d and %d: %d offsets and %d lengths of blocks, where there are %d x %d", offsets, counts,
			len(g.offsets), len(g.counts), g.across, g.down)
	}
	return nil
}

// unmasked refuses a file that has a mask beside the image: cells without data would be taken for some.
func (f *File) unmasked(d *directory) error {
	seen := map[int64]bool{d.at: true}
	for at := d.next; at != 0 && !seen[at] && len(seen) < 100; {
		seen[at] = true
		o, err := d.directory(at)
		if err != nil {
			return err
		}
		kind, err := o.integer(newSubfileType, 0)
		if err != nil {
			return err
		}
		if uint64(kind)&maskSubfile != 0 {
			return fmt.Errorf("directory at byte %d: a mask tells which cells have data: "+
				"gdal_translate -a_nodata none -mask none, or gdalwarp -dstnodata -9999, converts it", at)
		}
		at = o.next
	}
	return nil
}
