package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// undefined is the address of what does not exist.
const undefined = math.MaxUint64

// Signature is how a file begins.
const Signature = "\x89HDF\r\n\x1a\n"

// File is an HDF5 file.
type File struct {
	Datasets []*Dataset  // of the root group, in the order of creation where the file has it, else by name
	Attrs    []Attribute // of the root group
	Groups   []string    // names of the groups in it, which are not read

	r    io.ReaderAt
	size uint64
	base uint64 // address of the superblock
	left uint64 // bytes of structures that may still be read
}

// mostReads bounds the bytes of structures that are read, as a multiple of the size of a file, so that the reading of
// one that refers to itself ends. Structures that hold several things, such as heaps, are read more than once.
const mostReads = 64

// maxStructure bounds the bytes of a structure other than data.
const maxStructure = 1 << 28

// New reads the root group of a file of size bytes.
func New(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: uint64(max(0, size)), left: mostReads*uint64(max(0, size)) + 1<<20}
	head, err := f.bytes(0, uint64(min(size, 100)))
	if err != nil {
		return nil, err
	}
	if len(head) < 48 || string(head[:8]) != Signature {
		return nil, errors.New("it is not an HDF5 file")
	}
	c := cursor{b: head[8:]}
	version := c.u8()
	var root uint64
	switch version {
	case 0, 1:
		c.skip(4)
		err = checkSizes(c.u8(), c.u8())
		c.skip(1 + 2 + 2 + 4)
		if version == 1 {
			c.skip(4)
		}
		f.base = c.u64()
		c.skip(3*8 + 8)
		root = c.u64()
	case 2, 3:
		err = checkSizes(c.u8(), c.u8())
		c.skip(1)
		f.base = c.u64()
		c.skip(2 * 8)
		root = c.u64()
	default:
		err = fmt.Errorf("version %d of HDF5's superblock is not supported", version)
	}
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	return f, f.readRoot(root)
}

func checkSizes(offsets, lengths uint8) error {
	if offsets != 8 || lengths != 8 {
		return fmt.Errorf("addresses of %d and lengths of %d bytes are not supported, want 8", offsets, lengths)
	}
	return nil
}

// bytes reads n bytes at an address.
func (f *File) bytes(address, n uint64) ([]byte, error) {
	if n > f.left {
		return nil, errors.New("its structures refer to each other too often")
	}
	f.left -= n
	return f.data(address, n)
}

// data is bytes for values, which may be read any number of times.
func (f *File) data(address, n uint64) ([]byte, error) {
	at := address + f.base
	if address == undefined || at < address || at > f.size || n > f.size-at || n > maxStructure {
		return nil, fmt.Errorf("%d bytes at address %d are beyond the end of the file of %d bytes", n, address, f.size)
	}
	b := make([]byte, n)
	if k, err := f.r.ReadAt(b, int64(at)); err != nil && (err != io.EOF || k < len(b)) {
		return nil, err
	}
	return b, nil
}

// upTo reads n bytes at an address, or up to the end of the file.
func (f *File) upTo(address, n uint64) ([]byte, error) {
	if at := address + f.base; address != undefined && at >= address && at <= f.size {
		n = min(n, f.size-at)
	}
	return f.bytes(address, n)
}

// block reads a structure that begins with a signature, and returns what follows it.
func (f *File) block(address, n uint64, signature string) (*cursor, error) {
	b, err := f.bytes(address, n)
	if err != nil {
		return nil, err
	}
	if len(b) < 4 || string(b[:4]) != signature {
		return nil, fmt.Errorf("the structure at address %d is not a %s", address, signature)
	}
	return &cursor{b: b[4:]}, nil
}

// cursor reads numbers from bytes, little-endian. After its end it has an error, and all numbers are 0.
type cursor struct {
	b   []byte
	err error
}

var errShort = errors.New("a structure is shorter than it says")

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.b, c.err = nil, errShort
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n uint64) { c.take(n) }

// number reads a number of n ≤ 8 bytes.
func (c *cursor) number(n int) uint64 {
	var b [8]byte
	copy(b[:], c.take(uint64(n)))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) u8() uint8   { return uint8(c.number(1)) }
func (c *cursor) u16() uint16 { return uint16(c.number(2)) }
func (c *cursor) u32() uint32 { return uint32(c.number(4)) }
func (c *cursor) u64() uint64 { return c.number(8) }
