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
	// West and North are the position of the first cell's outer corner, in the units of the coordinates. StepX and
	// StepY are the steps from one cell to the next along a row and a column: StepY is negative if rows go from north
	// to south.
	West, North, StepX, StepY float64
	EPSG                      int    // code of the coordinate system, 0 if the file has none
	CoordinateUnit            string // m, degree, foot …; "" if it is not known
	Unit                      string // of the values, as the file declares it; "" if it declares none
	HeightUnit                string // of heights, by the vertical system; "" if the file has none
	Depths                    bool   // the vertical system is one of depths

	name        string
	dir         *directory
	close       io.Closer
	cell        number // type of the values
	grid        blocks
	compression int64 // TIFF's tag 259
	predictor   int64 // TIFF's tag 317: noPrediction, horizontalDifferencing or floatingPoint

	scale, offset float64                // a value is scale times the number in the file, plus offset
	isNoData      func(bits uint64) bool // nil if the file has no number for no data
}

// blocks are the strips or tiles of an image.
type blocks struct {
	columns, rows   int // cells of a block
	across, down    int // number of blocks
	offsets, counts []int64
}

const (
	maxSide      = 1 << 30 // cells of an image along a side
	maxBlockSize = 1 << 30 // bytes of a block
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

// New reads the header of a file of size bytes. Errors start with the name.
func New(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{name: name}
	if err := f.readHeader(r, size); err != nil {
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

func (f *File) readHeader(r io.ReaderAt, size int64) (err error) {
	if f.dir, err = open(r, size); err != nil {
		return err
	}
	for _, read := range []func(*directory) error{f.readShape, f.readEncoding, f.readBlocks, f.readPosition, f.readScale,
		f.refuseMask} {
		if err := read(f.dir); err != nil {
			return err
		}
	}
	return nil
}

// readShape reads the size of the image.
func (f *File) readShape(d *directory) error {
	for _, side := range []struct {
		tag  int
		name string
		dst  *int
	}{{imageWidth, "width", &f.Columns}, {imageLength, "height", &f.Rows}} {
		n, err := d.integer(side.tag, 0)
		if err != nil {
			return err
		}
		if n < 1 || n > maxSide {
			return fmt.Errorf("tag %d: the %s is %d cells, want 1 to %d", side.tag, side.name, n, maxSide)
		}
		*side.dst = int(n)
	}
	return nil
}

// readEncoding reads the type of the values, the compression and the predictor.
func (f *File) readEncoding(d *directory) error {
	bands, err := d.integer(samplesPerPixel, 1)
	if err != nil {
		return err
	}
	if bands != 1 {
		return fmt.Errorf("tag %d: the raster has %d bands, want 1: gdal_translate -b 1 selects one", samplesPerPixel, bands)
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
	if f.compression, err = d.integer(compression, 1); err != nil {
		return err
	}
	if _, known := decompressors[f.compression]; !known && f.compression != 1 {
		return fmt.Errorf("tag %d: compression %s is not supported: gdal_translate -co COMPRESS=DEFLATE converts it",
			compression, compressionName(f.compression))
	}
	if f.predictor, err = d.integer(predictor, 1); err != nil {
		return err
	}
	if f.predictor < noPrediction || f.predictor > floatingPoint || f.predictor == floatingPoint && !f.cell.isFloat {
		return fmt.Errorf("tag %d: predictor %d is not supported for %v: gdal_translate -co PREDICTOR=1 converts it",
			predictor, f.predictor, f.cell)
	}
	if f.compression == 1 || f.compression == packBits {
		f.predictor = noPrediction // writers ignore the tag for these compressions
	}
	return nil
}

// readBlocks reads the size and positions of the strips or tiles.
func (f *File) readBlocks(d *directory) error {
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
	if columns < 1 || rows < 1 || columns > maxSide || rows > maxSide || columns*rows > maxBlockSize/int64(f.cell.size) {
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
		return fmt.Errorf("tags %d and %d: %d offsets and %d lengths of blocks, want %d x %d", offsets, counts,
			len(g.offsets), len(g.counts), g.across, g.down)
	}
	return nil
}

// refuseMask returns an error if the file has a mask: without it, cells without data would be read as data. It looks at
// 100 directories at most, and stops if a malformed file has a cycle of them.
func (f *File) refuseMask(d *directory) error {
	visited := map[int64]bool{d.start: true}
	for start := d.next; start != 0 && !visited[start] && len(visited) < 100; {
		visited[start] = true
		o, err := d.readDirectory(start)
		if err != nil {
			return err
		}
		kind, err := o.integer(newSubfileType, 0)
		if err != nil {
			return err
		}
		if uint64(kind)&maskSubfile != 0 {
			return fmt.Errorf("directory at byte %d: masks are not supported: "+
				"gdal_translate -a_nodata none -mask none, or gdalwarp -dstnodata -9999, converts the file", start)
		}
		start = o.next
	}
	return nil
}
