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

// inflateAll fills out with what blocks hold, so many bytes each but for the last, several at a time.
func inflateAll(out []byte, blocks [][]byte, full int64) error {
	errs := make([]error, parallel.Parts(len(blocks), 2))
	parallel.Ranges(len(blocks), len(errs), func(part, lo, hi int) {
		var f inflater
		for i := lo; i < hi; i++ {
			to := out[int64(i)*full : min(int64(i+1)*full, int64(len(out)))]
			if err := f.inflate(to, blocks[i]); err != nil {
				errs[part] = fmt.Errorf("block %d of %d: %w", i, len(blocks), err)
				return
			}
		}
	})
	return cmp.Or(errs...)
}

// inflater is what the decompression of one block needs, kept for the next.
type inflater struct {
	from bytes.Reader
	z    io.ReadCloser
}

// inflate fills out with what block holds, no more and no less.
func (f *inflater) inflate(out, block []byte) (err error) {
	f.from.Reset(block)
	if f.z == nil {
		f.z, err = zlib.NewReader(&f.from)
	} else {
		err = f.z.(zlib.Resetter).Reset(&f.from, nil)
	}
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(f.z, out); err != nil {
		return fmt.Errorf("fewer than %d bytes: %w", len(out), err)
	}
	// The read that finds the end also checks the sum.
	if n, err := f.z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		if err == nil || err == io.EOF {
			err = errors.New("the block goes on")
		}
		return fmt.Errorf("after %d bytes: %w", len(out), err)
	}
	return nil
}
