package hdf5

import "fmt"

// Kinds of messages in object headers.
const (
	messageSpace        = 0x01
	messageLinkInfo     = 0x02
	messageType         = 0x03
	messageOldFill      = 0x04
	messageFill         = 0x05
	messageLink         = 0x06
	messageLayout       = 0x08
	messageFilters      = 0x0b
	messageAttribute    = 0x0c
	messageContinuation = 0x10
	messageSymbolTable  = 0x11
	messageAttrInfo     = 0x15
)

// message is a message of an object header.
type message struct {
	kind   uint16
	shared bool // it refers to a message elsewhere
	data   []byte
}

const mostMessages = 1 << 16

// messages reads the messages of an object header.
func (f *File) messages(address uint64) (list []message, err error) {
	head, err := f.upTo(address, 32)
	if err != nil {
		return nil, err
	}
	if len(head) >= 4 && string(head[:4]) == "OHDR" {
		return f.newMessages(address, head)
	}
	c := cursor{b: head}
	if version := c.u8(); version != 1 {
		return nil, fmt.Errorf("the object header at address %d has version %d, want 1 or 2", address, version)
	}
	c.skip(1)
	count := int(c.u16())
	c.skip(4)
	size := uint64(c.u32())
	if c.err != nil {
		return nil, c.err
	}
	type part struct{ address, size uint64 }
	for parts := []part{{address + 16, size}}; len(parts) > 0; parts = parts[1:] {
		b, err := f.bytes(parts[0].address, parts[0].size)
		if err != nil {
			return nil, err
		}
		c := cursor{b: b}
		for len(c.b) >= 8 && len(list) < count {
			m := message{kind: c.u16()}
			n := uint64(c.u16())
			m.shared = c.u8()&2 != 0
			c.skip(3)
			if m.data = c.take(n); c.err != nil {
				return nil, c.err
			}
			if m.kind == messageContinuation {
				next := cursor{b: m.data}
				parts = append(parts, part{next.u64(), next.u64()})
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// newMessages reads those of a header of version 2.
func (f *File) newMessages(address uint64, first []byte) (list []message, err error) {
	c := cursor{b: first}
	c.skip(5)
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16)
	}
	if flags&0x10 != 0 {
		c.skip(4)
	}
	size := c.number(1 << (flags & 3))
	if c.err != nil {
		return nil, c.err
	}
	type part struct{ address, size uint64 }
	parts := []part{{address + uint64(len(first)-len(c.b)), size}}
	head := 4 // of a message
	if flags&4 != 0 {
		head = 6
	}
	for ; len(parts) > 0; parts = parts[1:] {
		b, err := f.bytes(parts[0].address, parts[0].size)
		if err != nil {
			return nil, err
		}
		c := cursor{b: b}
		for len(c.b) >= head { // less is a gap
			m := message{kind: uint16(c.u8())}
			n := uint64(c.u16())
			m.shared = c.u8()&2 != 0
			if flags&4 != 0 {
				c.skip(2)
			}
			if m.data = c.take(n); c.err != nil {
				return nil, c.err
			}
			if m.kind == messageContinuation {
				next := cursor{b: m.data}
				at, length := next.u64(), next.u64()
				if next.err != nil || length < 8 {
					return nil, errShort
				}
				parts = append(parts, part{at + 4, length - 8}) // without signature and checksum
			}
			if list = append(list, m); len(list) > mostMessages {
				return nil, fmt.Errorf("the object header at address %d has more than %d messages", address, mostMessages)
			}
		}
	}
	return list, nil
}

// find returns the first message of a kind, nil if there is none.
func find(list []message, kind uint16) *message {
	for i := range list {
		if list[i].kind == kind {
			return &list[i]
		}
	}
	return nil
}
