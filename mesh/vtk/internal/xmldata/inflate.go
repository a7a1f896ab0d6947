package xmldata

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// inflateAll decompresses blocks into out, in parallel. Each has blockBytes bytes, except that the last may have
// fewer.
func inflateAll(out []byte, blocks [][]byte, blockBytes int64) error {
	errs := make([]error, parallel.Parts(len(blocks), 2))
	parallel.Ranges(len(blocks), len(errs), func(part, lo, hi int) {
		var f inflater
		for i := lo; i < hi; i++ {
			block := out[int64(i)*blockBytes : min(int64(i+1)*blockBytes, int64(len(out)))]
			if err := f.inflate(block, blocks[i]); err != nil {
				errs[part] = fmt.Errorf("block %d of %d: %w", i, len(blocks), err)
				return
			}
		}
	})
	return cmp.Or(errs...)
}

// inflater decompresses blocks one after the other, and reuses its memory.
type inflater struct {
	reader bytes.Reader
	z      io.ReadCloser
}

// inflate decompresses a block into out, which it must fill exactly.
func (f *inflater) inflate(out, block []byte) (err error) {
	f.reader.Reset(block)
	if f.z == nil {
		f.z, err = zlib.NewReader(&f.reader)
	} else {
		err = f.z.(zlib.Resetter).Reset(&f.reader, nil)
	}
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(f.z, out); err != nil {
		return fmt.Errorf("the block has fewer than %d bytes: %w", len(out), err)
	}
	// The read that finds the end also verifies the checksum.
	if n, err := f.z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		if err == nil || err == io.EOF {
			err = errors.New("the block is longer")
		}
		return fmt.Errorf("after %d bytes: %w", len(out), err)
	}
	return nil
}
