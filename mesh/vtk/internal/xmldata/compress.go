package xmldata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"runtime"
	"sync"
)

// BlockBytes is the size of a zlib block before compression: small enough to distribute an array over many threads,
// large enough that the block table and a new dictionary for each block cost little.
const BlockBytes = 256 << 10

// blockWriter compresses arrays into the blocks of vtkZLibDataCompressor, one block a thread.
type blockWriter struct {
	lanes []blockLane
}

// blockLane is the state of one thread of a blockWriter, which it reuses for each block.
type blockLane struct {
	plain []byte
	out   bytes.Buffer
	z     *zlib.Writer
	err   error
}

// NewBlockWriter returns a writer that uses all processors.
func NewBlockWriter() *blockWriter {
	return &blockWriter{lanes: make([]blockLane, runtime.GOMAXPROCS(0))}
}

// Pack returns the compressed blocks of v after their block table: the number of blocks, the bytes in a block, the
// bytes in the last one (0 if it is full), and the compressed length of each.
func (b *blockWriter) Pack(v Values) (packed []byte, err error) {
	perBlock := BlockBytes / v.Size()
	blocks := (v.Len() + perBlock - 1) / perBlock
	packed = binary.LittleEndian.AppendUint64(nil, uint64(blocks))
	packed = binary.LittleEndian.AppendUint64(packed, BlockBytes)
	packed = binary.LittleEndian.AppendUint64(packed, uint64(v.Len()%perBlock*v.Size()))
	lengths := len(packed)
	packed = append(packed, make([]byte, 8*blocks)...)
	for first := 0; first < blocks; first += len(b.lanes) {
		lanes := b.lanes[:min(len(b.lanes), blocks-first)]
		var wg sync.WaitGroup
		for i := range lanes {
			lo := (first + i) * perBlock
			wg.Go(func() { lanes[i].compress(v, lo, min(lo+perBlock, v.Len())) })
		}
		wg.Wait()
		for i := range lanes {
			if lanes[i].err != nil {
				return nil, lanes[i].err
			}
			binary.LittleEndian.PutUint64(packed[lengths+8*(first+i):], uint64(lanes[i].out.Len()))
			packed = append(packed, lanes[i].out.Bytes()...)
		}
	}
	return packed, nil
}

func (l *blockLane) compress(v Values, lo, hi int) {
	l.out.Reset()
	if l.z == nil {
		l.z, l.err = zlib.NewWriterLevel(&l.out, zlib.BestSpeed)
		if l.err != nil {
			return
		}
	} else {
		l.z.Reset(&l.out)
	}
	l.plain = v.Encode(l.plain[:0], lo, hi)
	if _, l.err = l.z.Write(l.plain); l.err == nil {
		l.err = l.z.Close()
	}
}
