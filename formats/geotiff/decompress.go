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

// decompressors decompress the first len(dst) bytes of a block, by the number of the compression.
var decompressors = map[int64]func(dst, src []byte) error{
	5:        decompressLZW,
	8:        decompressDeflate,
	32946:    decompressDeflate, // the number before Deflate became standard
	packBits: decompressPackBits,
	50000:    decompressZstd,
}

// compressionName returns the name, for errors, of a compression that is not supported.
func compressionName(number int64) string {
	names := map[int64]string{2: "CCITTRLE", 3: "CCITTFAX3", 4: "CCITTFAX4", 6: "JPEG", 7: "JPEG", 34887: "LERC",
		34925: "LZMA", 50001: "WEBP", 50002: "JXL"}
	if name, ok := names[number]; ok {
		return name
	}
	return fmt.Sprint(number)
}

func decompressLZW(dst, src []byte) error {
	r := lzw.NewReader(bytes.NewReader(src), lzw.MSB, 8)
	_, err := io.ReadFull(r, dst)
	return errors.Join(err, r.Close())
}

func decompressDeflate(dst, src []byte) error {
	r, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	_, err = io.ReadFull(r, dst)
	return errors.Join(err, r.Close())
}

// zstdDecoders are decoders for reuse. Their limits keep malformed files from causing large allocations.
var zstdDecoders = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlockSize),
		zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		return err
	}
	return r
}}

func decompressZstd(dst, src []byte) error {
	r, ok := zstdDecoders.Get().(*zstd.Decoder)
	if !ok {
		return errors.New("zstandard: cannot make a decoder")
	}
	defer zstdDecoders.Put(r)
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	_, err := io.ReadFull(r, dst)
	return err
}

// decompressPackBits undoes PackBits: after a byte n < 128 follow n+1 bytes to copy; after a byte n > 128 follows one
// byte to repeat 257-n times.
func decompressPackBits(dst, src []byte) error {
	for len(dst) > 0 {
		if len(src) < 2 {
			return io.ErrUnexpectedEOF
		}
		n := int(src[0])
		src = src[1:]
		switch {
		case n < 128:
			n++
			if n > len(src) {
				return io.ErrUnexpectedEOF
			}
			dst = dst[copy(dst, src[:n]):]
			src = src[n:]
		case n > 128:
			n = min(257-n, len(dst))
			for k := range n {
				dst[k] = src[0]
			}
			dst, src = dst[n:], src[1:]
		}
	}
	return nil
}
