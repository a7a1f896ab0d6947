package hdf5

import (
	"fmt"
	"math/bits"
)

// fractalHeap is a heap of objects in blocks whose sizes double.
type fractalHeap struct {
	idSize             int
	width              uint64 // blocks in a row
	first, most        uint64 // sizes of the smallest and of the largest block with objects
	offsetSize         int    // bytes of an offset in the heap
	lengthSize         int    // bytes of the length of an object
	root, rows         uint64
	filtered, checksum bool
}

// eachInHeap calls visit with the objects of a fractal heap to which the records of a B-tree of version 2 refer, after
// skip bytes of each.
func (f *File) eachInHeap(heap, tree, skip uint64, visit func(object []byte) error) error {
	h, err := f.fractalHeap(heap)
	if err != nil {
		return err
	}
	return f.eachRecord(tree, func(record []byte) error {
		c := cursor{b: record}
		c.skip(skip)
		id := c.take(uint64(h.idSize))
		if c.err != nil {
			return c.err
		}
		object, err := f.heapObject(h, id)
		if err != nil {
			return err
		}
		return visit(object)
	})
}

func (f *File) fractalHeap(address uint64) (*fractalHeap, error) {
	c, err := f.block(address, 146, "FRHP")
	if err != nil {
		return nil, err
	}
	c.skip(1)
	h := &fractalHeap{idSize: int(c.u16())}
	h.filtered = c.u16() > 0
	h.checksum = c.u8()&2 != 0
	mostObject := uint64(c.u32())
	c.skip(12 * 8)
	h.width = uint64(c.u16())
	h.first, h.most = c.u64(), c.u64()
	bitsOfHeap := int(c.u16())
	c.skip(2)
	h.root, h.rows = c.u64(), uint64(c.u16())
	h.offsetSize = (bitsOfHeap + 7) / 8
	h.lengthSize = min(bytesOf(h.most), bytesOf(mostObject))
	powers := bits.OnesCount64(h.first) == 1 && bits.OnesCount64(h.most) == 1 && bits.OnesCount64(h.width) == 1
	switch {
	case h.filtered:
		return nil, fmt.Errorf("the heap at address %d is compressed, which is not supported", address)
	case !powers || h.first > h.most || h.offsetSize > 8 || h.offsetSize < 1 || h.idSize < 1+h.offsetSize || h.rows > 64:
		return nil, fmt.Errorf("the heap at address %d is malformed", address)
	}
	return h, nil
}

// heapObject returns an object of a heap.
func (f *File) heapObject(h *fractalHeap, id []byte) ([]byte, error) {
	c := cursor{b: id}
	switch kind := c.u8() >> 4 & 3; kind {
	case 0:
		offset, length := c.number(h.offsetSize), c.number(h.lengthSize)
		if c.err != nil {
			return nil, c.err
		}
		if h.rows == 0 {
			return f.bytes(h.root+offset, length)
		}
		return f.objectBelow(h, h.root, h.rows, 0, offset, length)
	case 2:
		n := uint64(id[0]&0xf) + 1
		object := c.take(n)
		return object, c.err
	}
	return nil, fmt.Errorf("a very large link or attribute is not supported")
}

// rowSize is the size of the blocks of a row.
func (h *fractalHeap) rowSize(row uint64) uint64 {
	if row == 0 {
		return h.first
	}
	return h.first << (row - 1)
}

// objectBelow finds an object in an indirect block, which begins at an offset of the heap.
func (f *File) objectBelow(h *fractalHeap, address, rows, begin, offset, length uint64) ([]byte, error) {
	head := uint64(4 + 1 + 8 + h.offsetSize)
	c, err := f.block(address, head+8*rows*h.width, "FHIB")
	if err != nil {
		return nil, err
	}
	c.skip(head - 4)
	for row := range rows {
		size := h.rowSize(row)
		for range h.width {
			child := c.u64()
			if offset >= begin && offset-begin < size {
				if size <= h.most {
					return f.bytes(child+offset-begin, length)
				}
				below := uint64(bits.Len64(size)-bits.Len64(h.first*h.width)) + 1
				if below >= rows+64 || child == address {
					return nil, fmt.Errorf("the heap block at address %d is malformed", address)
				}
				return f.objectBelow(h, child, below, begin, offset, length)
			}
			begin += size
		}
	}
	return nil, fmt.Errorf("an object at offset %d is beyond its heap", offset)
}

// global returns an object of a global heap, which holds values of variable length.
func (f *File) global(address uint64, index uint32) ([]byte, error) {
	head, err := f.block(address, 16, "GCOL")
	if err != nil {
		return nil, err
	}
	head.skip(4)
	b, err := f.bytes(address, head.u64())
	if err != nil {
		return nil, err
	}
	c := cursor{b: b}
	for c.skip(16); len(c.b) >= 16; {
		number := uint32(c.u16())
		c.skip(6)
		size := c.u64()
		if number == 0 {
			break
		}
		object := c.take(size)
		if number == index {
			return object, c.err
		}
		c.skip((8 - size%8) % 8)
	}
	return nil, fmt.Errorf("object %d is not in the heap at address %d", index, address)
}
