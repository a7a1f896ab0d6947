package kerneltest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// memory stands for a device's: a copy of all that the arguments of a launch lead to.
type memory struct {
	copy    []byte // what the arguments lead to, and behind it what a block shares
	spans   []span
	regions []region
	kept    []byte // of copy, without what a block shares
	room    []byte // that copy is a part of
}

// span is a piece of the host's memory, and where its copy begins. Spans do not overlap.
type span struct {
	host   unsafe.Pointer
	size   uintptr
	offset uintptr
}

// region is what one argument, or one slice in it, leads to.
type region struct {
	name    string
	host    unsafe.Pointer
	size    uintptr
	element uintptr
	single  bool // one struct, not the elements of a slice
}

// apart is before, between and behind spans, so that they begin where any number may lie, as on a GPU, and an index
// just out of range does no harm.
const apart = 256

// sharable is enough for the arrays that a block shares without asking, each at its place.
const sharable = 64 << 10

// reach makes the memory of a launch, in place of that of the launch before.
func (m *memory) reach(k abi.Launch) {
	m.regions, m.spans = regions(k), nil
	for _, r := range m.regions {
		m.spans = append(m.spans, span{host: r.host, size: r.size})
	}
	slices.SortFunc(m.spans, func(a, b span) int { return cmp.Compare(uintptr(a.host), uintptr(b.host)) })
	m.spans = joined(m.spans)
	size := uintptr(apart)
	for i := range m.spans {
		m.spans[i].offset = size
		size += (m.spans[i].size+apart-1)/apart*apart + apart
	}
	all := size + sharable + uintptr(k.Shared)
	if need := int(all + apart); need > len(m.room) {
		m.room, m.kept = make([]byte, need), make([]byte, need)
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.room)))
	m.copy = m.room[(apart-base%apart)%apart:][:all]
	m.kept = m.kept[:size]
}

// joined makes one of spans that overlap, such as those of a slice and of a part of it.
func joined(sorted []span) []span {
	var all []span
	for _, s := range sorted {
		if n := len(all); n > 0 && uintptr(s.host) < uintptr(all[n-1].host)+all[n-1].size {
			last := &all[n-1]
			last.size = max(last.size, uintptr(s.host)+s.size-uintptr(last.host))
			continue
		}
		all = append(all, s)
	}
	return all
}

// regions are what the arguments of a launch lead to.
func regions(k abi.Launch) []region {
	var all []region
	for _, a := range k.Args {
		switch a.Kind {
		case abi.Pointer:
			all = append(all, region{name: a.Name, host: a.Data, size: a.Size, element: a.Size, single: true})
		case abi.Elements:
			if a.Size > 0 {
				all = append(all, region{name: a.Name, host: a.Data, size: a.Size, element: a.Size / uintptr(a.Len)})
			}
		case abi.Constant:
			for _, s := range a.Slices {
				slice := *(*[]byte)(unsafe.Add(a.Data, s.Offset)) // of any element: only its length counts
				if size := uintptr(len(slice)) * s.Elem; size > 0 {
					all = append(all, region{name: a.Name + "." + s.Name, host: unsafe.Pointer(unsafe.SliceData(slice)),
						size: size, element: s.Elem})
				}
			}
		}
	}
	return all
}

// reached is how many bytes the arguments lead to.
func (m *memory) reached() int { return len(m.kept) }

// take copies the host's memory.
func (m *memory) take() {
	for _, s := range m.spans {
		copy(m.copy[s.offset:], unsafe.Slice((*byte)(s.host), s.size))
	}
}

// keep notes what the memory holds.
func (m *memory) keep() { copy(m.kept, m.copy) }

// give copies what was kept to the host.
func (m *memory) give() {
	for _, s := range m.spans {
		copy(unsafe.Slice((*byte)(s.host), s.size), m.kept[s.offset:])
	}
}

// changed finds a byte that is not what was kept.
func (m *memory) changed() (offset int, found bool) {
	if bytes.Equal(m.kept, m.copy[:len(m.kept)]) {
		return 0, false
	}
	for m.kept[offset] == m.copy[offset] {
		offset++
	}
	return offset, true
}

// address is where the copy of the host's memory begins.
func (m *memory) address(host unsafe.Pointer, size uintptr) (uint64, error) {
	for _, s := range m.spans {
		if at := uintptr(host) - uintptr(s.host); at < s.size && at+size <= s.size {
			return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.copy))) + s.offset + at), nil
		}
	}
	return 0, fmt.Errorf("no argument leads there")
}
