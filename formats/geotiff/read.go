package geotiff

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// MaxCells is how many cells one call of Read can read.
const MaxCells = 1 << 30

// Window is a part of a raster: its first column and row, counted from the first of the file, and its size.
type Window struct{ Column, Row, Columns, Rows int }

// IsFloat32 reports whether a float32 represents all values exactly.
func (f *File) IsFloat32() bool {
	return f.scale == 1 && f.offset == 0 && (f.cell.size < 4 || f.cell.isFloat && f.cell.size == 4)
}

// IsScaled reports whether the file has a scale or an offset of the values.
func (f *File) IsScaled() bool { return f.scale != 1 || f.offset != 0 }

// Read returns the values of a window, row by row as in the file, with NaN for no data. It reads only the blocks that
// overlap the window.
func (f *File) Read(w Window) ([]float64, error) { return read[float64](f, w) }

// ReadFloat32 is Read for files for which IsFloat32 returns true.
func (f *File) ReadFloat32(w Window) ([]float32, error) { return read[float32](f, w) }

// read reads the blocks that overlap a window, concurrently.
func read[F float32 | float64](f *File, w Window) ([]F, error) {
	if w.Column < 0 || w.Row < 0 || w.Columns < 1 || w.Rows < 1 || w.Columns > f.Columns-w.Column ||
		w.Rows > f.Rows-w.Row {
		return nil, fmt.Errorf("%s: the window %+v is outside the raster of %d x %d cells", f.name, w, f.Columns, f.Rows)
	}
	if w.Columns > MaxCells/w.Rows {
		return nil, fmt.Errorf("%s: %d x %d cells are more than %d: gdal_translate -projwin cuts out a part, -outsize "+
			"makes the raster coarser", f.name, w.Columns, w.Rows, MaxCells)
	}
	g := &f.grid
	left, right := w.Column/g.columns, (w.Column+w.Columns-1)/g.columns
	top, bottom := w.Row/g.rows, (w.Row+w.Rows-1)/g.rows
	across := right - left + 1
	n := across * (bottom - top + 1)
	for k := range n { // before allocating memory for values that the file may not have
		if _, err := f.blockExtent(left+k%across, top+k/across); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	values := make([]F, w.Columns*w.Rows)
	var lock sync.Mutex
	var failed error
	parallel.Ranges(n, parallel.Parts(n, 1), func(_, lo, hi int) {
		b := reader{File: f}
		for k := lo; k < hi; k++ {
			if err := load(&b, left+k%across, top+k/across, w, values); err != nil {
				lock.Lock()
				failed = errors.Join(failed, fmt.Errorf("%s: %w", f.name, err))
				lock.Unlock()
				return
			}
		}
	})
	return values, failed
}

// blockExtent returns the position of a block in the file. The length is 0 if the file does not have the block,
// because all its cells have no data.
func (f *File) blockExtent(column, row int) (e extent, err error) {
	k := row*f.grid.across + column
	e = extent{f.grid.offsets[k], f.grid.counts[k]}
	if e.offset > f.dir.size-e.length || e.length > f.dir.size {
		return e, fmt.Errorf("block %d (%d, %d): its %d bytes at byte %d are beyond the end of the file of %d bytes", k,
			column, row, e.length, e.offset, f.dir.size)
	}
	if e.length == 0 || e.offset == 0 {
		return extent{}, nil
	}
	if blockSize := int64(f.grid.columns) * int64(f.grid.rows) * int64(f.cell.size); f.compression == 1 &&
		e.length < min(blockSize, f.imageBytes(row)) {
		return e, fmt.Errorf("block %d (%d, %d) has %d bytes, want %d", k, column, row, e.length, blockSize)
	}
	// This check keeps a small malformed file from causing a large allocation.
	if e.length < f.imageBytes(row)/maxCompressionRatio {
		return e, fmt.Errorf("block %d (%d, %d): %d bytes are too few for its cells", k, column, row, e.length)
	}
	return e, nil
}

// maxCompressionRatio is larger than the ratio of any compression: Zstandard compresses 128 KiB of equal bytes to about
// 10 bytes.
const maxCompressionRatio = 1 << 16

// extent is a range of bytes in a file.
type extent struct{ offset, length int64 }

// imageBytes returns the uncompressed size in bytes of those rows of a block that are inside the image. The last strip
// may have only these.
func (f *File) imageBytes(row int) int64 {
	rows := min(f.grid.rows, f.Rows-row*f.grid.rows)
	return int64(rows) * int64(f.grid.columns) * int64(f.cell.size)
}

// reader reads blocks, one after the other.
type reader struct {
	*File
	raw, decompressed []byte
	rows              []byte // the rows of the last call of readRows
}

// load copies the values of a block that are in a window to values, the values of the window.
func load[F float32 | float64](f *reader, column, row int, w Window, values []F) error {
	g := &f.grid
	firstColumn, endColumn := max(w.Column, column*g.columns), min(w.Column+w.Columns, (column+1)*g.columns)
	firstRow, endRow := max(w.Row, row*g.rows), min(w.Row+w.Rows, (row+1)*g.rows)
	missing, err := f.readRows(column, row, firstRow-row*g.rows, endRow-row*g.rows)
	if err != nil {
		return fmt.Errorf("block %d (%d, %d): %w", row*g.across+column, column, row, err)
	}
	for r := range endRow - firstRow {
		dst := values[(r+firstRow-w.Row)*w.Columns+firstColumn-w.Column:][:endColumn-firstColumn]
		if missing {
			empty := f.value(0)
			if f.isNoData != nil {
				empty = math.NaN()
			}
			for i := range dst {
				dst[i] = F(empty)
			}
			continue
		}
		src := f.rows[(r*g.columns+firstColumn-column*g.columns)*f.cell.size:]
		decode(f.File, dst, src)
	}
	return nil
}

// readRows reads the rows [first, end) of a block into f.rows. If the block is compressed it also decompresses all rows
// before them. missing reports that the file does not have the block.
func (f *reader) readRows(column, row, first, end int) (missing bool, err error) {
	e, err := f.blockExtent(column, row)
	if err != nil || e == (extent{}) {
		return true, err
	}
	width := int64(f.grid.columns) * int64(f.cell.size)
	skipped := int64(first) * width
	if f.compression == 1 {
		e = extent{e.offset + skipped, int64(end)*width - skipped}
	}
	f.raw = slices.Grow(f.raw[:0], int(e.length))[:e.length]
	if _, err := f.dir.r.ReadAt(f.raw, e.offset); err != nil && err != io.EOF {
		return false, err
	}
	if f.compression == 1 {
		f.rows = f.raw
		return false, nil
	}
	n := int(int64(end) * width)
	f.decompressed = slices.Grow(f.decompressed[:0], n)[:n]
	if err := decompressors[f.compression](f.decompressed, f.raw); err != nil {
		return false, fmt.Errorf("cannot decompress its %d bytes at byte %d to %d: %w", e.length, e.offset, n, err)
	}
	f.rows = f.decompressed[skipped:]
	if f.predictor != noPrediction {
		f.unpredict(f.rows)
	}
	return false, nil
}

// decode converts numbers of the file to values.
func decode[F float32 | float64](f *File, dst []F, src []byte) {
	order, size := f.dir.order, f.cell.size
	if f.cell.isFloat && size == 4 && f.scale == 1 && f.offset == 0 { // the most common case, in a fast loop
		for i := range dst {
			bits := order.Uint32(src[4*i:])
			dst[i] = F(math.Float32frombits(bits))
			if f.isNoData != nil && f.isNoData(uint64(bits)) {
				dst[i] = F(math.NaN())
			}
		}
		return
	}
	for i := range dst {
		bits := f.cell.bits(order, src[i*size:])
		if f.isNoData != nil && f.isNoData(bits) {
			dst[i] = F(math.NaN())
			continue
		}
		dst[i] = F(f.value(bits))
	}
}

// value returns the value for a number in the file.
func (f *File) value(bits uint64) float64 {
	v := f.cell.value(bits)
	if f.scale == 1 && f.offset == 0 {
		return v
	}
	return v*f.scale + f.offset
}
