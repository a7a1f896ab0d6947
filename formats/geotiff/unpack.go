package geotiff

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"
)

const packBits = 32773

// unpackers fill to with what a block holds, by the number of the packing. A block may hold more than that.
var unpackers = map[int64]func(to, packed []byte) error{
	5:        unpackLZW,
	8:        unpackDeflate,
	32946:    unpackDeflate, // the number of before it was standard
	packBits: unpackBits,
	50000:    unpackZstd,
}

// nameOf names a packing that is not read.
func nameOf(pack int64) string {
	names := map[int64]string{2: "CCITTRLE", 3: "CCITTFAX3", 4: "CCITTFAX4", 6: "JPEG", 7: "JPEG", 34887: "LERC",
		34925: "LZMA", 50001: "WEBP", 50002: "JXL"}
	if name, ok := names[pack]; ok {
		return name
	}
	return fmt.Sprint(pack)
}

func unpackLZW(to, packed []byte) error {
	r := lzw.NewReader(bytes.NewReader(packed), lzw.MSB, 8)
	_, err := io.ReadFull(r, to)
	return errors.Join(err, r.Close())
}

func unpackDeflate(to, packed []byte) error {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	_, err = io.ReadFull(r, to)
	return errors.Join(err, r.Close())
}

// zstandard keeps decoders that are not in use.
var zstandard = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostOfABlock),
		zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return err
	}
	return r
}}

func unpackZstd(to, packed []byte) error {
	r, ok := zstandard.Get().(*zstd.Decoder)
	if !ok {
		return errors.New("zstandard: no decoder")
	}
	defer zstandard.Put(r)
	if err := r.Reset(bytes.NewReader(packed)); err != nil {
		return err
	}
	_, err := io.ReadFull(r, to)
	return err
}

// unpackBits undoes PackBits: a byte n below 128 stands before n+1 bytes as they are, one above before a byte that is
// there 257-n times.
func unpackBits(to, packed []byte) error {
	for len(to) > 0 {
		if len(packed) < 2 {
			return io.ErrUnexpectedEOF
		}
		n := int(packed[0])
		packed = packed[1:]
		switch {
		case n < 128:
			n++
			if n > len(packed) {
				return io.ErrUnexpectedEOF
			}
			to = to[copy(to, packed[:n]):]
			packed = packed[n:]
		case n > 128:
			n = min(257-n, len(to))
			for k := range n {
				to[k] = packed[0]
			}
			to, packed = to[n:], packed[1:]
		}
	}
	return nil
}
