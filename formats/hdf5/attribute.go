package hdf5

import (
	"fmt"
	"strings"
)

// Attribute is an attribute of a dataset or of the root group.
type Attribute struct {
	Name    string
	Type    Datatype
	Numbers []float64
	Texts   []string

	refs [][]uint64 // addresses of objects: one list for each value
}

// attributes returns the attributes among the messages of an object.
func (f *File) attributes(list []message) (attrs []Attribute, err error) {
	for i := range list {
		m := &list[i]
		switch m.kind {
		case messageAttribute:
			if m.shared {
				return nil, fmt.Errorf("a shared attribute is not supported")
			}
			a, err := f.attribute(m.data)
			if err != nil {
				return nil, err
			}
			attrs = append(attrs, a)
		case messageAttrInfo:
			c := cursor{b: m.data}
			c.skip(1)
			if c.u8()&1 != 0 {
				c.skip(2)
			}
			heap, names := c.u64(), c.u64()
			if c.err != nil {
				return nil, c.err
			}
			if heap == undefined {
				continue
			}
			err := f.eachInHeap(heap, names, 0, func(object []byte) error {
				a, err := f.attribute(object)
				if err == nil {
					attrs = append(attrs, a)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return attrs, nil
}

// attribute parses an attribute message. Values of other types than numbers, texts and references are left out.
func (f *File) attribute(data []byte) (a Attribute, err error) {
	c := cursor{b: data}
	version := c.u8()
	shared := c.u8()&1 != 0
	nameSize, typeSize, spaceSize := uint64(c.u16()), uint64(c.u16()), uint64(c.u16())
	padding := func(n uint64) uint64 { return 0 }
	switch version {
	case 1:
		shared = false
		padding = func(n uint64) uint64 { return (8 - n%8) % 8 }
	case 2:
	case 3:
		c.skip(1)
	default:
		return a, fmt.Errorf("version %d of an attribute is not supported", version)
	}
	take := func(n uint64) []byte {
		b := c.take(n)
		c.take(min(padding(n), uint64(len(c.b))))
		return b
	}
	name, typeData, spaceData := take(nameSize), take(typeSize), take(spaceSize)
	if c.err != nil {
		return a, c.err
	}
	a.Name = untilZero(name)
	if a.Type, err = f.datatype(typeData, shared); err != nil {
		return a, fmt.Errorf("attribute %q: %w", a.Name, err)
	}
	s, err := parseSpace(spaceData)
	if err != nil {
		return a, fmt.Errorf("attribute %q: %w", a.Name, err)
	}
	if err := f.attributeValues(&a, s.count(int64(len(c.b))+1), c.b); err != nil {
		return a, fmt.Errorf("attribute %q: %w", a.Name, err)
	}
	return a, nil
}

// attributeValues decodes n values of an attribute.
func (f *File) attributeValues(a *Attribute, n int64, b []byte) error {
	size := int64(a.Type.Size)
	if a.Type.Class == Other || n == 0 {
		return nil
	}
	if size < 1 || n > int64(len(b))/size {
		return errShort
	}
	if a.Type.IsNumber() {
		a.Numbers = make([]float64, n)
		a.Type.numbers(a.Numbers, b)
		return nil
	}
	for i := range n {
		value := b[i*size : (i+1)*size]
		switch a.Type.Class {
		case FixedText:
			a.Texts = append(a.Texts, strings.TrimRight(untilZero(value), " "))
		case reference:
			c := cursor{b: value}
			a.refs = append(a.refs, []uint64{c.u64()})
		case VariableText, references:
			c := cursor{b: value}
			length := uint64(c.u32())
			address, index := c.u64(), c.u32()
			if c.err != nil {
				return c.err
			}
			var object []byte
			if length > 0 && address != 0 {
				var err error
				if object, err = f.global(address, index); err != nil {
					return err
				}
			}
			if a.Type.Class == VariableText {
				a.Texts = append(a.Texts, untilZero(object[:min(length, uint64(len(object)))]))
				continue
			}
			var list []uint64
			for o := (cursor{b: object}); len(o.b) >= 8 && uint64(len(list)) < length; {
				list = append(list, o.u64())
			}
			a.refs = append(a.refs, list)
		}
	}
	return nil
}
