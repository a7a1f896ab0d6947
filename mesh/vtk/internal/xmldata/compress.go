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
	compressors []blockCompressor
}

// blockCompressor is the state of one thread of a blockWriter, which it reuses for each block.
type blockCompressor struct {
	plain []byte
	out   bytes.Buffer
	z     *zlib.Writer
	err   error
}

// NewBlockWriter returns a writer that uses all processors.
func NewBlockWriter() *blockWriter {
	return &blockWriter{make([]blockCompressor, runtime.GOMAXPROCS(0))}
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
	for first := 0; first < blocks; first += len(b.compressors) {
		compressors := b.compressors[:min(len(b.compressors), blocks-first)]
		var wg sync.WaitGroup
		for i := range compressors {
			lo := (first + i) * perBlock
			wg.Go(func() { compressors[i].compress(v, lo, min(lo+perBlock, v.Len())) })
		}
		wg.Wait()
		for i := range compressors {
			c := &compressors[i]
			if c.err != nil {
				return nil, c.err
			}
			binary.LittleEndian.PutUint64(packed[lengths+8*(first+i):], uint64(c.out.Len()))
			packed = append(packed, c.out.Bytes()...)
		}
	}
	return packed, nil
}

func (c *blockCompressor) compress(v Values, lo, hi int) {
	c.out.Reset()
	if c.z == nil {
		c.z, c.err = zlib.NewWriterLevel(&c.out, zlib.BestSpeed)
		if c.err != nil {
			return
		}
	} else {
		c.z.Reset(&c.out)
	}
	c.plain = v.Encode(c.plain[:0], lo, hi)
	if _, c.err = c.z.Write(c.plain); c.err == nil {
		c.err = c.z.Close()
	}
}
