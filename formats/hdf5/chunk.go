package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// chunk is where a chunk is in the file.
type chunk struct {
	address uint64
	size    uint32 // bytes, compressed
	skipped uint32 // a bit for each filter that was not applied
}

// cachedChunk is the chunk that was read last.
type cachedChunk struct {
	key   [maxDims]uint32
	data  []byte
	valid bool
}

// maxChunk bounds the bytes of a chunk.
const maxChunk = 1 << 28

// Filters.
const (
	filterDeflate    = 1
	filterShuffle    = 2
	filterFletcher32 = 3
)

var filterNames = map[uint16]string{4: "szip", 5: "nbit", 6: "scaleoffset", 307: "bzip2", 32000: "lzf", 32001: "blosc",
	32004: "lz4", 32008: "bitshuffle", 32013: "zfp", 32015: "zstd"}

type filter struct {
	id     uint16
	values []uint32
}

func parseFilters(data []byte) (list []filter, err error) {
	c := cursor{b: data}
	version, count := c.u8(), int(c.u8())
	if version == 1 {
		c.skip(6)
	}
	for range count {
		x := filter{id: c.u16()}
		name := uint64(0)
		if version == 1 || x.id >= 256 {
			name = uint64(c.u16())
		}
		c.skip(2)
		n := int(c.u16())
		if version == 1 {
			name = (name + 7) / 8 * 8
		}
		c.skip(name)
		for k := 0; k < n && c.err == nil; k++ {
			x.values = append(x.values, c.u32())
		}
		if version == 1 && n%2 == 1 {
			c.skip(4)
		}
		if c.err != nil {
			return nil, c.err
		}
		switch x.id {
		case filterDeflate, filterShuffle, filterFletcher32:
		default:
			title := filterNames[x.id]
			if title == "" {
				title = fmt.Sprint(x.id)
			}
			return nil, fmt.Errorf("it is compressed by the filter %s, which is not supported: nccopy -k cdf5 -u in.nc out.nc "+
				"converts the file", title)
		}
		list = append(list, x)
	}
	return list, nil
}

// findChunks reads where all chunks are.
func (d *Dataset) findChunks() error {
	if d.chunks != nil {
		return nil
	}
	chunks := map[[maxDims]uint32]chunk{}
	if d.layout.address != undefined {
		rank := len(d.Shape)
		err := d.f.eachLeaf(d.layout.address, 1, uint64(8+8*(rank+1)), func(key []byte, child uint64) error {
			c := cursor{b: key}
			x := chunk{address: child, size: c.u32(), skipped: c.u32()}
			var k [maxDims]uint32
			for i := range rank {
				n := c.u64() / d.layout.chunk[i]
				if n > math.MaxUint32 {
					return errors.New("a chunk is beyond the dataset")
				}
				k[i] = uint32(n)
			}
			chunks[k] = x
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.chunks = chunks
	return nil
}

// readChunks reads a block of a chunked dataset, chunk by chunk.
func (d *Dataset) readChunks(start, count []int64, values []float64) error {
	if err := d.findChunks(); err != nil {
		return err
	}
	rank := len(d.Shape)
	bytesOfChunk := uint64(d.Type.Size)
	first, last := make([]int64, rank), make([]int64, rank)
	for i, n := range d.layout.chunk {
		if bytesOfChunk > maxChunk/n {
			return fmt.Errorf("a chunk of %v values is larger than the %d bytes that are read", d.layout.chunk, maxChunk)
		}
		bytesOfChunk *= n
		first[i], last[i] = start[i]/int64(n), (start[i]+count[i]-1)/int64(n)
	}
	for at := slices.Clone(first); ; {
		var key [maxDims]uint32
		for i, k := range at {
			key[i] = uint32(k)
		}
		data, err := d.chunk(key, bytesOfChunk)
		if err != nil {
			return fmt.Errorf("chunk %v: %w", at, err)
		}
		d.copyChunk(at, data, start, count, values)
		i := rank - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] <= last[i] {
				break
			}
			at[i] = first[i]
		}
		if i < 0 {
			return nil
		}
	}
}

// copyChunk copies the part of a chunk that is in the block. data is nil if the chunk was never written.
func (d *Dataset) copyChunk(at []int64, data []byte, start, count []int64, values []float64) {
	rank := len(at)
	from, n := make([]int64, rank), make([]int64, rank) // the common part, in indices of the dataset
	for i := range at {
		size := int64(d.layout.chunk[i])
		from[i] = max(start[i], at[i]*size)
		n[i] = min(start[i]+count[i], (at[i]+1)*size) - from[i]
	}
	line := n[rank-1]
	lines := int64(1)
	for _, k := range n[:rank-1] {
		lines *= k
	}
	index := slices.Clone(from)
	for range lines {
		to, in := int64(0), int64(0)
		for i := range index {
			to = to*count[i] + index[i] - start[i]
			in = in*int64(d.layout.chunk[i]) + index[i] - at[i]*int64(d.layout.chunk[i])
		}
		if data == nil {
			d.fillIn(values[to : to+line])
		} else {
			d.Type.numbers(values[to:to+line], data[in*int64(d.Type.Size):])
		}
		next(index, from, n)
	}
}

// chunk returns the bytes of a chunk, nil if it was never written.
func (d *Dataset) chunk(key [maxDims]uint32, size uint64) ([]byte, error) {
	if d.cached.valid && d.cached.key == key {
		return d.cached.data, nil
	}
	x, found := d.chunks[key]
	if !found {
		return nil, nil
	}
	b, err := d.f.data(x.address, uint64(x.size))
	if err != nil {
		return nil, err
	}
	for i := len(d.filters) - 1; i >= 0; i-- {
		if i < 32 && x.skipped>>i&1 != 0 {
			continue
		}
		switch d.filters[i].id {
		case filterDeflate:
			b, err = inflate(b, size+4) // with a checksum, if that was applied before
		case filterShuffle:
			b = unshuffle(b, d.filters[i].values, d.Type.Size)
		case filterFletcher32:
			b, err = checkFletcher32(b)
		}
		if err != nil {
			return nil, err
		}
	}
	if uint64(len(b)) != size {
		return nil, fmt.Errorf("it has %d bytes, want %d", len(b), size)
	}
	d.cached = cachedChunk{key, b, true}
	return b, nil
}

// inflate decompresses at most a number of bytes.
func inflate(b []byte, most uint64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if uint64(len(out)) > most {
		return nil, errors.New("it has more bytes than a chunk")
	}
	return out, nil
}

// unshuffle puts the bytes of values together, of which the first bytes come first, then the second, and so on.
func unshuffle(b []byte, values []uint32, size int) []byte {
	if len(values) > 0 {
		size = int(values[0])
	}
	if size < 2 || len(b) < size {
		return b
	}
	n := len(b) / size
	out := slices.Clone(b)
	for k := range size {
		column := b[k*n : (k+1)*n]
		for i, v := range column {
			out[i*size+k] = v
		}
	}
	return out
}

// checkFletcher32 checks the checksum at the end of a chunk, and removes it.
func checkFletcher32(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errShort
	}
	data := b[:len(b)-4]
	c := cursor{b: b[len(b)-4:]}
	if want := c.u32(); want != fletcher32(data) {
		return nil, errors.New("its checksum is wrong: the file is damaged")
	}
	return data, nil
}

// fletcher32 is J. Fletcher's checksum of 16-bit words, the first byte of which is the higher one.
func fletcher32(b []byte) uint32 {
	var low, high uint32
	for i := 0; i < len(b); i += 2 {
		word := uint32(b[i]) << 8
		if i+1 < len(b) {
			word |= uint32(b[i+1])
		}
		if low += word; low > 0xffff {
			low -= 0xffff
		}
		if high += low; high > 0xffff {
			high -= 0xffff
		}
	}
	return high<<16 | low
}
