package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// link is a name of an object.
type link struct {
	name    string
	address uint64 // of its header
	order   uint64 // of creation; 0 if it is not known
}

// readRoot reads the root group and what is in it. Groups in it, types and links to other files are left out.
func (f *File) readRoot(address uint64) error {
	list, err := f.messages(address)
	if err != nil {
		return err
	}
	if f.Attrs, err = f.attributes(list); err != nil {
		return err
	}
	links, err := f.links(list)
	if err != nil {
		return err
	}
	slices.SortStableFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name))
	})
	for _, l := range links {
		list, err := f.messages(l.address)
		if err != nil {
			return fmt.Errorf("%q: %w", l.name, err)
		}
		if find(list, messageLayout) == nil || find(list, messageSpace) == nil {
			if find(list, messageType) == nil { // it is no type with a name
				f.Groups = append(f.Groups, l.name)
			}
			continue
		}
		d, err := f.dataset(l.name, l.address, list)
		if err != nil {
			return fmt.Errorf("dataset %q: %w", l.name, err)
		}
		f.Datasets = append(f.Datasets, d)
	}
	return nil
}

// links returns the links of a group.
func (f *File) links(list []message) (links []link, err error) {
	for i := range list {
		m := &list[i]
		switch m.kind {
		case messageLink:
			l, ok, err := parseLink(m.data)
			if err != nil {
				return nil, err
			}
			if ok {
				links = append(links, l)
			}
		case messageLinkInfo:
			c := cursor{b: m.data}
			c.skip(1)
			if c.u8()&1 != 0 {
				c.skip(8)
			}
			heap, names := c.u64(), c.u64()
			if c.err != nil {
				return nil, c.err
			}
			if heap == undefined {
				continue
			}
			err = f.eachInHeap(heap, names, 4, func(object []byte) error { // after a hash of 4 bytes
				l, ok, err := parseLink(object)
				if ok {
					links = append(links, l)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		case messageSymbolTable:
			if links, err = f.symbols(links, m.data); err != nil {
				return nil, err
			}
		}
	}
	return links, nil
}

// parseLink parses a link message; ok is false for a link that is not to an object of the file.
func parseLink(data []byte) (l link, ok bool, err error) {
	c := cursor{b: data}
	if version := c.u8(); c.err == nil && version != 1 {
		return l, false, fmt.Errorf("a link has version %d, want 1", version)
	}
	flags, kind := c.u8(), uint8(0)
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		l.order = c.u64()
	}
	if flags&0x10 != 0 {
		c.skip(1)
	}
	l.name = string(c.take(c.number(1 << (flags & 3))))
	if kind == 0 {
		l.address = c.u64()
	}
	return l, kind == 0 && c.err == nil, c.err
}

// symbols appends the links of a group of the old form: a B-tree of tables of symbols, with names in a local heap.
func (f *File) symbols(links []link, data []byte) ([]link, error) {
	c := cursor{b: data}
	tree, heap := c.u64(), c.u64()
	if c.err != nil {
		return nil, c.err
	}
	h, err := f.block(heap, 32, "HEAP")
	if err != nil {
		return nil, err
	}
	h.skip(4)
	size := h.u64()
	h.skip(8)
	names, err := f.bytes(h.u64(), size)
	if err != nil {
		return nil, err
	}
	err = f.eachLeaf(tree, 0, 8, func(_ []byte, child uint64) error {
		const entry = 40
		head, err := f.block(child, 8, "SNOD")
		if err != nil {
			return err
		}
		head.skip(2)
		n := uint64(head.u16())
		b, err := f.bytes(child+8, n*entry)
		if err != nil {
			return err
		}
		for c := (cursor{b: b}); len(c.b) >= entry; {
			at, address := c.u64(), c.u64()
			cached := c.u32()
			c.skip(4 + 16)
			if at >= uint64(len(names)) {
				return errors.New("the name of a link is beyond its heap")
			}
			if cached == 2 {
				continue // a symbolic link
			}
			links = append(links, link{name: untilZero(names[at:]), address: address})
		}
		return nil
	})
	return links, err
}

func untilZero(b []byte) string {
	if k := slices.Index(b, 0); k >= 0 {
		b = b[:k]
	}
	return string(b)
}
