package geotiff

import "encoding/binary"

// unpredict undoes the predictor of a block, row by row.
func (f *File) unpredict(block []byte) {
	row := f.grid.columns * f.cell.size
	var scratch []byte
	for ; len(block) >= row; block = block[row:] {
		switch f.ahead {
		case 2:
			accumulate(f.dir.order, block[:row], f.cell.size)
		case 3:
			scratch = append(scratch[:0], block[:row]...)
			f.join(block[:row], scratch)
		}
	}
}

// accumulate adds up the differences between neighbours, as integers of so many bytes.
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

// join makes numbers of a row that has the highest bytes of all of them first, then the next ones, and of all bytes the
// differences to the one before.
func (f *File) join(row, bytes []byte) {
	for i := 1; i < len(bytes); i++ {
		bytes[i] += bytes[i-1]
	}
	size := f.cell.size
	n := len(bytes) / size
	for k := range size {
		at := k
		if f.dir.order == binary.LittleEndian {
			at = size - 1 - k
		}
		for i, b := range bytes[k*n : (k+1)*n] {
			row[i*size+at] = b
		}
	}
}
