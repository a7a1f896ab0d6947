package kerneltest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// memory stands for a device's memory: a copy of the slices and structs of a launch, followed by the shared memory of a
// block.
type memory struct {
	contents []byte // copies of the spans, then shared memory
	spans    []span
	regions  []region
	saved    []byte // a saved copy of contents, without shared memory
	buffer   []byte // the buffer that contents is a part of
}

// span is a range of the host's memory, and the offset of its copy. Spans do not overlap.
type span struct {
	host   unsafe.Pointer
	size   uintptr
	offset uintptr
}

// region is the memory of one argument, or of one slice in it.
type region struct {
	name    string
	host    unsafe.Pointer
	size    uintptr
	element uintptr
	single  bool // a struct instead of the elements of a slice
}

// padding is the alignment of the copies of spans and the padding around them: it suits every type, as on a GPU, and an
// index slightly out of range does no harm.
const padding = 256

// staticSharedBytes is the size of the memory for static shared arrays of a block.
const staticSharedBytes = 64 << 10

// layOut lays out the memory of a launch. It replaces that of the launch before.
func (m *memory) layOut(k abi.Launch) {
	m.regions, m.spans = regions(k), nil
	for _, r := range m.regions {
		m.spans = append(m.spans, span{host: r.host, size: r.size})
	}
	slices.SortFunc(m.spans, func(a, b span) int { return cmp.Compare(uintptr(a.host), uintptr(b.host)) })
	m.spans = mergeOverlapping(m.spans)
	size := uintptr(padding)
	for i := range m.spans {
		m.spans[i].offset = size
		size += (m.spans[i].size+padding-1)/padding*padding + padding
	}
	total := size + staticSharedBytes + uintptr(k.Shared)
	if needed := int(total + padding); needed > len(m.buffer) {
		m.buffer, m.saved = make([]byte, needed), make([]byte, needed)
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(m.buffer)))
	m.contents = m.buffer[(padding-base%padding)%padding:][:total]
	m.saved = m.saved[:size]
}

// mergeOverlapping merges overlapping spans, such as those of a slice and of a part of it.
func mergeOverlapping(sorted []span) []span {
	var merged []span
	for _, s := range sorted {
		if n := len(merged); n > 0 && uintptr(s.host) < uintptr(merged[n-1].host)+merged[n-1].size {
			last := &merged[n-1]
			last.size = max(last.size, uintptr(s.host)+s.size-uintptr(last.host))
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// regions returns the memory of the arguments of a launch.
func regions(k abi.Launch) []region {
	var found []region
	for _, a := range k.Args {
		switch a.Kind {
		case abi.Pointer:
			found = append(found, region{name: a.Name, host: a.Data, size: a.Size, element: a.Size, single: true})
		case abi.Elements:
			if a.Size > 0 {
				found = append(found, region{name: a.Name, host: a.Data, size: a.Size, element: a.Size / uintptr(a.Len)})
			}
		case abi.Constant:
			for _, s := range a.Slices {
				slice := *(*[]byte)(unsafe.Add(a.Data, s.Offset)) // of any element type: only the length is used
				if size := uintptr(len(slice)) * s.Elem; size > 0 {
					found = append(found, region{name: a.Name + "." + s.Name, host: unsafe.Pointer(unsafe.SliceData(slice)),
						size: size, element: s.Elem})
				}
			}
		}
	}
	return found
}

// argumentBytes returns the bytes of the copies of all spans, which end where shared memory begins.
func (m *memory) argumentBytes() int { return len(m.saved) }

// copyFromHost copies the spans from the host's memory.
func (m *memory) copyFromHost() {
	for _, s := range m.spans {
		copy(m.contents[s.offset:], unsafe.Slice((*byte)(s.host), s.size))
	}
}

// save saves the contents of the memory.
func (m *memory) save() { copy(m.saved, m.contents) }

// copyToHost copies the saved contents to the host's memory.
func (m *memory) copyToHost() {
	for _, s := range m.spans {
		copy(unsafe.Slice((*byte)(s.host), s.size), m.saved[s.offset:])
	}
}

// changed returns the offset of the first byte that differs from the saved contents.
func (m *memory) changed() (offset int, found bool) {
	if bytes.Equal(m.saved, m.contents[:len(m.saved)]) {
		return 0, false
	}
	for m.saved[offset] == m.contents[offset] {
		offset++
	}
	return offset, true
}

// address returns the address of the copy of size bytes of the host's memory.
func (m *memory) address(host unsafe.Pointer, size uintptr) (uint64, error) {
	for _, s := range m.spans {
		if offset := uintptr(host) - uintptr(s.host); offset < s.size && offset+size <= s.size {
			return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.contents))) + s.offset + offset), nil
		}
	}
	return 0, fmt.Errorf("no argument has this memory")
}
