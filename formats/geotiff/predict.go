package geotiff

import "encoding/binary"

// The values of TIFF's tag 317, Predictor (TIFF 6.0, section 14, and Adobe's Technical Note 3).
const (
	noPrediction           = 1
	horizontalDifferencing = 2
	floatingPoint          = 3
)

// unpredict undoes the predictor of a block, row by row.
func (f *File) unpredict(block []byte) {
	row := f.grid.columns * f.cell.size
	var scratch []byte
	for ; len(block) >= row; block = block[row:] {
		switch f.predictor {
		case horizontalDifferencing:
			accumulate(f.dir.order, block[:row], f.cell.size)
		case floatingPoint:
			scratch = append(scratch[:0], block[:row]...)
			f.unshuffle(block[:row], scratch)
		}
	}
}

// accumulate undoes horizontal differencing: each value of a row, as an integer of size bytes, is stored as the
// difference to the previous one.
func accumulate(order binary.ByteOrder, row []byte, size int) {
	switch size {
	case 1:
		for i := 1; i < len(row); i++ {
			row[i] += row[i-1]
		}
	case 2:
		for i := 2; i < len(row); i += 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-2:]))
		}
	case 4:
		for i := 4; i < len(row); i += 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])+order.Uint32(row[i-4:]))
		}
	case 8:
		for i := 8; i < len(row); i += 8 {
			order.PutUint64(row[i:], order.Uint64(row[i:])+order.Uint64(row[i-8:]))
		}
	}
}

// unshuffle undoes the floating-point predictor: it stores the most significant bytes of all numbers of a row, then all
// second bytes and so on, each byte as the difference to the previous one.
func (f *File) unshuffle(row, bytes []byte) {
	for i := 1; i < len(bytes); i++ {
		bytes[i] += bytes[i-1]
	}
	size := f.cell.size
	n := len(bytes) / size
	for k := range size {
		position := k
		if f.dir.order == binary.LittleEndian {
			position = size - 1 - k
		}
		for i, b := range bytes[k*n : (k+1)*n] {
			row[i*size+position] = b
		}
	}
}
