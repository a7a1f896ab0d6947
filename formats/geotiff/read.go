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

// MostCells is how many cells may be read at once.
const MostCells = 1 << 30

// Window is a part of a raster: cells from a column and a row on, counted from the first of the file.
type Window struct{ Column, Row, Columns, Rows int }

// Narrow tells that every value is a float32.
func (f *File) Narrow() bool {
	return f.scale == 1 && f.offset == 0 && (f.cell.size < 4 || f.cell.float && f.cell.size == 4)
}

// Read returns the values of a window, row by row as in the file; NaN where there are no data. Only the blocks that the
// window touches are read.
func (f *File) Read(w Window) ([]float64, error) { return read[float64](f, w) }

// ReadNarrow is Read of a file whose values all are float32.
func (f *File) ReadNarrow(w Window) ([]float32, error) { return read[float32](f, w) }

func read[F float32 | float64](f *File, w Window) ([]F, error) {
	if w.Column < 0 || w.Row < 0 || w.Columns < 1 || w.Rows < 1 || w.Columns > f.Columns-w.Column ||
		w.Rows > f.Rows-w.Row {
		return nil, fmt.Errorf("%s: the window %+v is not in the raster of %d x %d", f.name, w, f.Columns, f.Rows)
	}
	if w.Columns > MostCells/w.Rows {
		return nil, fmt.Errorf("%s: %d x %d cells are more than %d: gdal_translate -projwin cuts out a part, and -outsize "+
			"makes a coarser one", f.name, w.Columns, w.Rows, MostCells)
	}
	g := &f.grid
	left, right := w.Column/g.columns, (w.Column+w.Columns-1)/g.columns
	top, bottom := w.Row/g.rows, (w.Row+w.Rows-1)/g.rows
	across := right - left + 1
	n := across * (bottom - top + 1)
	for k := range n { // before there is room for what may not be there
		if _, err := f.packed(left+k%across, top+k/across); err != nil {
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

// packed finds a block in the file; its length is 0 where there is none, as all its cells are without data.
func (f *File) packed(column, row int) (at extent, err error) {
	k := row*f.grid.across + column
	at = extent{f.grid.offsets[k], f.grid.counts[k]}
	if at.offset > f.dir.size-at.length || at.length > f.dir.size {
		return at, fmt.Errorf("block %d (%d, %d): its %d bytes at byte %d are beyond the end of the file of %d bytes", k,
			column, row, at.length, at.offset, f.dir.size)
	}
	if at.length == 0 || at.offset == 0 {
		return extent{}, nil
	}
	if whole := int64(f.grid.columns) * int64(f.grid.rows) * int64(f.cell.size); f.pack == 1 &&
		at.length < min(whole, f.least(row)) {
		return at, fmt.Errorf("block %d (%d, %d) has %d bytes instead of %d", k, column, row, at.length, whole)
	}
	// No packing makes less of it; a file cannot have room taken that it does not fill.
	if at.length < f.least(row)/mostPacked {
		return at, fmt.Errorf("block %d (%d, %d) cannot be packed into %d bytes", k, column, row, at.length)
	}
	return at, nil
}

// mostPacked is more than any packing saves: Zstandard repeats a byte up to 128 KiB by some 10 bytes.
const mostPacked = 1 << 16

// extent is where bytes are in a file.
type extent struct{ offset, length int64 }

// least is how many bytes the rows of a block take that are in the image. The last strip has no others.
func (f *File) least(row int) int64 {
	rows := min(f.grid.rows, f.Rows-row*f.grid.rows)
	return int64(rows) * int64(f.grid.columns) * int64(f.cell.size)
}

// reader reads blocks, one after the other.
type reader struct {
	*File
	packs, unpacked []byte
	block           []byte // the rows that were asked for
}

// load puts the part of a block that lies in a window into its values.
func load[F float32 | float64](f *reader, column, row int, w Window, values []F) error {
	g := &f.grid
	fromColumn, toColumn := max(w.Column, column*g.columns), min(w.Column+w.Columns, (column+1)*g.columns)
	fromRow, toRow := max(w.Row, row*g.rows), min(w.Row+w.Rows, (row+1)*g.rows)
	sparse, err := f.unpack(column, row, fromRow-row*g.rows, toRow-row*g.rows)
	if err != nil {
		return fmt.Errorf("block %d (%d, %d): %w", row*g.across+column, column, row, err)
	}
	for r := range toRow - fromRow {
		to := values[(r+fromRow-w.Row)*w.Columns+fromColumn-w.Column:][:toColumn-fromColumn]
		if sparse {
			empty := f.value(0)
			if f.none != nil {
				empty = math.NaN()
			}
			for i := range to {
				to[i] = F(empty)
			}
			continue
		}
		from := f.block[(r*g.columns+fromColumn-column*g.columns)*f.cell.size:]
		decode(f.File, to, from)
	}
	return nil
}

// unpack reads some rows of a block, and where it is packed all those before them; sparse tells that the file has none.
func (f *reader) unpack(column, row, from, to int) (sparse bool, err error) {
	at, err := f.packed(column, row)
	if err != nil || at == (extent{}) {
		return true, err
	}
	width := int64(f.grid.columns) * int64(f.cell.size)
	skipped := int64(from) * width
	if f.pack == 1 {
		at = extent{at.offset + skipped, int64(to)*width - skipped}
	}
	f.packs = slices.Grow(f.packs[:0], int(at.length))[:at.length]
	if _, err := f.dir.r.ReadAt(f.packs, at.offset); err != nil && err != io.EOF {
		return false, err
	}
	if f.pack == 1 {
		f.block = f.packs
		return false, nil
	}
	n := int(int64(to) * width)
	f.unpacked = slices.Grow(f.unpacked[:0], n)[:n]
	if err := unpackers[f.pack](f.unpacked, f.packs); err != nil {
		return false, fmt.Errorf("its %d bytes at byte %d do not unpack to %d: %w", at.length, at.offset, n, err)
	}
	f.block = f.unpacked[skipped:]
	if f.predictor != noPrediction {
		f.unpredict(f.block)
	}
	return false, nil
}

// decode turns numbers of the file into values.
func decode[F float32 | float64](f *File, to []F, from []byte) {
	order, size := f.dir.order, f.cell.size
	if f.cell.float && size == 4 && f.scale == 1 && f.offset == 0 { // the usual one, in a tight loop
		for i := range to {
			bits := order.Uint32(from[4*i:])
			to[i] = F(math.Float32frombits(bits))
			if f.none != nil && f.none(uint64(bits)) {
				to[i] = F(math.NaN())
			}
		}
		return
	}
	for i := range to {
		bits := f.cell.bits(order, from[i*size:])
		if f.none != nil && f.none(bits) {
			to[i] = F(math.NaN())
			continue
		}
		to[i] = F(f.value(bits))
	}
}

// value is what a number of the file stands for.
func (f *File) value(bits uint64) float64 {
	v := f.cell.value(bits)
	if f.scale == 1 && f.offset == 0 {
		return v
	}
	return v*f.scale + f.offset
}
