package backendtest

import (
	"errors"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Keep implements backend.Keeper.
func (f *Far) Keep(src unsafe.Pointer, bytes int) (backend.Kept, error) {
	if bytes > f.Size-f.Used {
		return nil, nil
	}
	f.Copies++
	f.Used += bytes
	f.copied += bytes
	f.Copied = max(f.Copied, f.copied)
	return &copied{f, append([]byte(nil), unsafe.Slice((*byte)(src), bytes)...)}, nil
}

type copied struct {
	of    *Far
	bytes []byte
}

func (c *copied) Read(to []byte, at int) error {
	if c.bytes == nil || at+len(to) > len(c.bytes) {
		return errors.New("this is not in the copy")
	}
	copy(to, c.bytes[at:])
	return nil
}

func (c *copied) Close() error {
	c.of.Copies--
	c.of.Used -= len(c.bytes)
	c.of.copied -= len(c.bytes)
	c.bytes = nil
	return nil
}
