package hdf5

import "fmt"

// mostLevels bounds the depth of trees.
const mostLevels = 32

// eachLeaf calls visit with the keys, of a size, and children of the leaves of a B-tree of version 1 of a kind: 0 for
// groups, 1 for chunks.
func (f *File) eachLeaf(address uint64, kind uint8, keySize uint64, visit func(key []byte, child uint64) error) error {
	return f.eachLeafBelow(address, kind, keySize, mostLevels, visit)
}

func (f *File) eachLeafBelow(address uint64, kind uint8, keySize uint64, most int, visit func(key []byte,
	child uint64) error) error {
	head, err := f.block(address, 24, "TREE")
	if err != nil {
		return err
	}
	if k := head.u8(); k != kind {
		return fmt.Errorf("the tree at address %d is of kind %d, want %d", address, k, kind)
	}
	level := int(head.u8())
	n := uint64(head.u16())
	if level >= most {
		return fmt.Errorf("the tree at address %d has %d levels below one of %d", address, level, most)
	}
	b, err := f.bytes(address+24, n*(keySize+8)+keySize)
	if err != nil {
		return err
	}
	c := cursor{b: b}
	for range n {
		key := c.take(keySize)
		child := c.u64()
		if level > 0 {
			err = f.eachLeafBelow(child, kind, keySize, level, visit)
		} else {
			err = visit(key, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newTree is a B-tree of version 2.
type newTree struct {
	nodeSize   uint64
	recordSize uint64
	countSize  int   // bytes of the number of records of a node
	totalSize  []int // bytes of the number of records below a node, by level
}

// eachRecord calls visit with the records of a B-tree of version 2.
func (f *File) eachRecord(address uint64, visit func(record []byte) error) error {
	c, err := f.block(address, 38, "BTHD")
	if err != nil {
		return err
	}
	c.skip(2)
	t := newTree{nodeSize: uint64(c.u32()), recordSize: uint64(c.u16())}
	depth := int(c.u16())
	c.skip(2)
	root, records := c.u64(), uint64(c.u16())
	if t.recordSize == 0 || t.nodeSize < 10+t.recordSize || depth > mostLevels {
		return fmt.Errorf("the tree at address %d has nodes of %d bytes and records of %d", address, t.nodeSize, t.recordSize)
	}
	if root == undefined {
		return nil
	}
	most := (t.nodeSize - 10) / t.recordSize
	t.countSize = bytesOf(most)
	t.totalSize = []int{0}
	for level, below := 1, most; level <= depth; level++ {
		pointer := uint64(8 + t.countSize + t.totalSize[level-1])
		if t.nodeSize < 10+2*pointer+t.recordSize {
			return fmt.Errorf("the tree at address %d has nodes of %d bytes", address, t.nodeSize)
		}
		here := (t.nodeSize - 10 - pointer) / (t.recordSize + pointer)
		below = (here+1)*below + here
		t.totalSize = append(t.totalSize, bytesOf(below))
	}
	return f.eachRecordBelow(&t, root, records, depth, visit)
}

// bytesOf is how many bytes numbers up to a limit take.
func bytesOf(limit uint64) (n int) {
	for n = 1; limit > 0xff && n < 8; n++ {
		limit >>= 8
	}
	return n
}

func (f *File) eachRecordBelow(t *newTree, address, records uint64, level int, visit func(record []byte) error) error {
	signature := "BTLF"
	if level > 0 {
		signature = "BTIN"
	}
	c, err := f.block(address, t.nodeSize, signature)
	if err != nil {
		return err
	}
	c.skip(2)
	for range records {
		r := c.take(t.recordSize)
		if c.err != nil {
			return c.err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	if level == 0 {
		return nil
	}
	for range records + 1 {
		child := c.u64()
		n := c.number(t.countSize)
		c.skip(uint64(t.totalSize[level-1]))
		if c.err != nil {
			return c.err
		}
		if err := f.eachRecordBelow(t, child, n, level-1, visit); err != nil {
			return err
		}
	}
	return nil
}
