package vtk

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"runtime"
	"sync"
)

// blockBytes is how much data goes in one zlib block: small enough to spread an array over many threads, large
// enough that the block table and a fresh dictionary cost nothing.
const blockBytes = 256 << 10

// blockWriter compresses arrays into the blocks of vtkZLibDataCompressor, several at a time.
type blockWriter struct {
	lanes []blockLane
}

// blockLane is what the compression of one block needs, kept for the next.
type blockLane struct {
	plain []byte
	out   bytes.Buffer
	z     *zlib.Writer
	err   error
}

func newBlockWriter() *blockWriter {
	return &blockWriter{lanes: make([]blockLane, runtime.GOMAXPROCS(0))}
}

// tableBytes is the length of the block table of n values of a size.
func tableBytes(size, n int) int {
	perBlock := blockBytes / size
	return 8 * (3 + (n+perBlock-1)/perBlock)
}

// write writes the blocks of v to w, in order, and returns the block table that goes before them: the number of
// blocks, the bytes in a block, the bytes in the last one if it is not full, and the compressed length of each.
func (b *blockWriter) write(w io.Writer, v values) (table []byte, err error) {
	perBlock := blockBytes / v.size()
	blocks := (v.len() + perBlock - 1) / perBlock
	table = binary.LittleEndian.AppendUint64(nil, uint64(blocks))
	table = binary.LittleEndian.AppendUint64(table, blockBytes)
	table = binary.LittleEndian.AppendUint64(table, uint64(v.len()%perBlock*v.size()))
	for first := 0; first < blocks; first += len(b.lanes) {
		lanes := b.lanes[:min(len(b.lanes), blocks-first)]
		var wg sync.WaitGroup
		for i := range lanes {
			lo := (first + i) * perBlock
			wg.Go(func() { lanes[i].compress(v, lo, min(lo+perBlock, v.len())) })
		}
		wg.Wait()
		for i := range lanes {
			if lanes[i].err != nil {
				return nil, lanes[i].err
			}
			table = binary.LittleEndian.AppendUint64(table, uint64(lanes[i].out.Len()))
			if _, err := w.Write(lanes[i].out.Bytes()); err != nil {
				return nil, err
			}
		}
	}
	return table, nil
}

func (l *blockLane) compress(v values, lo, hi int) {
	l.out.Reset()
	if l.z == nil {
		l.z, l.err = zlib.NewWriterLevel(&l.out, zlib.BestSpeed)
		if l.err != nil {
			return
		}
	} else {
		l.z.Reset(&l.out)
	}
	l.plain = v.encode(l.plain[:0], lo, hi)
	if _, l.err = l.z.Write(l.plain); l.err == nil {
		l.err = l.z.Close()
	}
}
