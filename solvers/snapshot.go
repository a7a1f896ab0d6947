package solvers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Snapshot is a rank's share of the state of a run: everything that the next steps depend on. The shares of all ranks
// together hold the same data for any number of ranks, in a different order of keys.
type Snapshot struct {
	Clock   Clock
	Scalars map[string]float64
	Spaces  []SavedSpace

	arrays copies // copies of arrays on the device
}

// SavedSpace holds the saved fields of a rank's own entities of a space.
type SavedSpace struct {
	Name   string
	Owned  int
	Key    func(i int) int64 // of the Owned entities; safe for concurrent use
	Fixed  *Space            // set if the entities are the same in every snapshot of a run; nil if they appear and vanish
	Fields []Saved
}

// Close frees the copies on the device. The snapshot must not be read afterwards.
func (s *Snapshot) Close() error { return s.arrays.close() }

// Detach copies the fields from the device to the host, and frees the copies there.
func (s *Snapshot) Detach() error {
	for i := range s.Spaces {
		space := &s.Spaces[i]
		for k := range space.Fields {
			f := &space.Fields[k]
			numbers, err := f.Numbers(0, space.Owned, new(ReadBuffer))
			if err != nil {
				return err
			}
			f.packed, f.deviceCopy, f.from = numbers, nil, hostField{}
		}
	}
	return s.Close()
}

// Saved is a saved field of the entities of a space.
type Saved struct {
	Name   string
	Size   int // bytes per entity
	Hashed bool

	field      *Field           // nil for a field of a file
	kind       backend.Kind     // of each number
	packed     []byte           // the numbers of the entities, one after the other; or
	from       hostField        // the layout of an array whose bytes were copied, and
	deviceCopy backend.Snapshot // the copy on the device, if it is there
}

// ReadBuffer is a buffer for the numbers of a range of entities, field by field. One goroutine uses it.
type ReadBuffer struct {
	parts  []part   // ranges of arrays that were copied to the host
	packed [][]byte // packed numbers of fields
	used   struct{ parts, packed int }
}

// part is a range of bytes of a device's array, copied to the host.
type part struct {
	of    backend.Snapshot
	begin int
	bytes []byte
}

// Reset empties the buffer for the next range of entities.
func (b *ReadBuffer) Reset() { b.used.parts, b.used.packed = 0, 0 }

// Numbers returns the numbers of the entities lo to hi-1, one entity after the other. They are valid until the buffer
// is Reset.
func (s *Saved) Numbers(lo, hi int, buffer *ReadBuffer) ([]byte, error) {
	if lo == hi {
		return nil, nil
	}
	if s.packed != nil {
		return s.packed[lo*s.Size : hi*s.Size], nil
	}
	from := s.from
	if s.deviceCopy != nil {
		begin, end := from.offsetOf(lo), from.offsetOf(hi-1)+s.Size
		var err error
		if from.bytes, err = buffer.read(s.deviceCopy, begin, end); err != nil {
			return nil, fmt.Errorf("field %q: %w", s.Name, err)
		}
		from.Offset -= begin
	}
	if buffer.used.packed == len(buffer.packed) {
		buffer.packed = append(buffer.packed, nil)
	}
	packed, grown := from.pack(lo, hi, buffer.packed[buffer.used.packed][:0])
	buffer.packed[buffer.used.packed] = grown
	buffer.used.packed++
	return packed, nil
}

// read copies a range of bytes of an array to the host, unless the buffer has it: several fields may share an array.
func (b *ReadBuffer) read(from backend.Snapshot, begin, end int) ([]byte, error) {
	for _, p := range b.parts[:b.used.parts] {
		if p.of == from && p.begin <= begin && end <= p.begin+len(p.bytes) {
			return p.bytes[begin-p.begin : end-p.begin], nil
		}
	}
	if b.used.parts == len(b.parts) {
		b.parts = append(b.parts, part{})
	}
	p := &b.parts[b.used.parts]
	p.of, p.begin = from, begin
	p.bytes = slices.Grow(p.bytes[:0], end-begin)[:end-begin]
	if err := from.Read(p.bytes, begin); err != nil {
		return nil, err
	}
	b.used.parts++
	return p.bytes, nil
}

// copies are copies of arrays, or of some numbers of each of their elements: several fields may share them.
type copies map[numbers]arrayCopy

// numbers are some numbers of each element of an array on its device. A whole array counts as one element.
type numbers struct {
	first *byte // of the first element's numbers
	size  int   // bytes in each element
}

func wholeArray(array []byte) numbers { return numbers{unsafe.SliceData(array), len(array)} }

// arrayCopy is on the host or on the device.
type arrayCopy struct {
	bytes      []byte
	deviceCopy backend.Snapshot
}

// keep returns the copy of numbers on their device, which the first call makes; nil if the device has no memory for
// one. The numbers of the next element begin stride bytes later; array ends with those of the last.
func (c copies) keep(d backend.Device, array []byte, size, stride int) (backend.Snapshot, error) {
	which := numbers{unsafe.SliceData(array), size}
	a := c[which]
	if a.deviceCopy != nil || a.bytes != nil {
		return a.deviceCopy, nil
	}
	var err error
	if a.deviceCopy, err = backend.TakeSnapshot(d, array, size, stride); a.deviceCopy != nil {
		c[which] = a
	}
	return a.deviceCopy, err
}

// keepWhole returns the copy of a whole array.
func (c copies) keepWhole(v *View) (backend.Snapshot, error) {
	return c.keep(v.Device, v.Memory, len(v.Memory), len(v.Memory))
}

// close frees the copies on the device.
func (c copies) close() error {
	var err error
	for which, a := range c {
		if a.deviceCopy != nil {
			err = errors.Join(err, a.deviceCopy.Close())
		}
		delete(c, which)
	}
	return err
}

// save copies a field of the rank's own entities. An array in the host's memory is packed at once, since the next
// step changes it; an array in a device's separate memory is copied whole, on the device if it has enough memory, else
// to the host.
func (f *Field) save(arrays copies) (Saved, error) {
	saved := Saved{Name: f.Name, Hashed: f.Hashed, field: f}
	if f.View == nil {
		return saved, fmt.Errorf("field %q is to be saved and has no view of an array", f.Name)
	}
	h := hostField{View: f.View(), count: len(f.Numbers())}
	saved.Size, saved.kind = h.size(), h.Kind
	if _, separate := h.Device.(backend.Memory); !separate {
		h.bytes = h.Memory
		packed, buffer := h.pack(0, f.Space.Owned, nil)
		if buffer == nil { // packed is a part of the array itself
			packed = bytes.Clone(packed)
		}
		saved.packed = packed
		return saved, nil
	}
	var err error
	if saved.deviceCopy, err = arrays.keepWhole(&h.View); err != nil {
		return saved, err
	}
	if saved.deviceCopy == nil {
		array := wholeArray(h.Memory)
		if h.bytes = arrays[array].bytes; len(h.bytes) != len(h.Memory) {
			if h.bytes, err = h.hostBytes(nil); err != nil {
				return saved, err
			}
			arrays[array] = arrayCopy{bytes: h.bytes}
		}
	}
	saved.from = h
	return saved, nil
}

// pack returns the numbers of the entities lo to hi-1, one after the other: a slice of the array if they are
// contiguous there, else a copy in buffer, which it also returns.
func (h *hostField) pack(lo, hi int, buffer []byte) (packed, used []byte) {
	if lo == hi {
		return nil, buffer
	}
	size := h.size()
	row := h.N[0]
	if h.N[1]*h.N[2] == 1 {
		row = hi
	}
	if h.Stride[0] == size && lo/row == (hi-1)/row {
		at := h.offsetOf(lo)
		return h.bytes[at : at+(hi-lo)*size], buffer
	}
	if cap(buffer) < (hi-lo)*size {
		buffer = make([]byte, 0, (hi-lo)*size)
	}
	if h.Stride[0] != size {
		for i := lo; i < hi; i++ {
			buffer = append(buffer, h.bytesOf(i)...)
		}
		return buffer, buffer
	}
	for i := lo; i < hi; {
		n := min(row-i%row, hi-i)
		at := h.offsetOf(i)
		buffer = append(buffer, h.bytes[at:at+n*size]...)
		i += n
	}
	return buffer, buffer
}

// Hashes reports whether the space has hashed fields.
func (s *SavedSpace) Hashes() bool {
	for k := range s.Fields {
		if s.Fields[k].Hashed {
			return true
		}
	}
	return false
}

// Digest returns the sum of digests (see Hash) of the entities lo to hi-1, whose numbers are given field by field.
func (s *SavedSpace) Digest(lo, hi int, numbers [][]byte) Digests {
	state := State{Owned: hi - lo, Key: func(i int) int64 { return s.Key(lo + i) }}
	for k := range s.Fields {
		if s.Fields[k].Hashed {
			state.Size += s.Fields[k].Size
		}
	}
	entity := make([]byte, 0, state.Size)
	state.Bytes = func(i int) []byte {
		entity = entity[:0]
		for k := range s.Fields {
			if f := &s.Fields[k]; f.Hashed {
				entity = append(entity, numbers[k][i*f.Size:(i+1)*f.Size]...)
			}
		}
		return entity
	}
	return state.digest(0, hi-lo)
}

// SourceOf makes the Source of a rank from the snapshots of all ranks of the saved run, for runs in one process. It is
// safe for concurrent use.
func SourceOf(shares []*Snapshot, rank int) Source { return &snapshotSource{shares, rank} }

type snapshotSource struct {
	shares []*Snapshot
	rank   int
}

// each calls f with the key of each entity of all shares and its numbers of a field, size bytes.
func (s *snapshotSource) each(field string, size int, f func(key int64, numbers []byte)) error {
	for _, shot := range s.shares {
		for k := range shot.Spaces {
			space := &shot.Spaces[k]
			for i := range space.Fields {
				saved := &space.Fields[i]
				if saved.Name != field || saved.Size != size {
					continue
				}
				numbers, err := saved.Numbers(0, space.Owned, new(ReadBuffer))
				if err != nil {
					return err
				}
				for e := range space.Owned {
					f(space.Key(e), numbers[e*size:(e+1)*size])
				}
			}
		}
	}
	return nil
}

func (s *snapshotSource) Select(_ context.Context, field string, size int, owner func([]byte) int) ([]int64, error) {
	var keys []int64
	err := s.each(field, size, func(key int64, numbers []byte) {
		if owner(numbers) == s.rank {
			keys = append(keys, key)
		}
	})
	return keys, err
}

func (s *snapshotSource) Locate(_ context.Context, _ string, keys []int64) (FieldReader, error) {
	return func(_ context.Context, field string, size int, put func(i int, numbers []byte)) error {
		numbersOf := map[int64][]byte{}
		err := s.each(field, size, func(key int64, numbers []byte) { numbersOf[key] = numbers })
		for i, key := range keys {
			if numbers, ok := numbersOf[key]; ok {
				put(i, numbers)
			}
		}
		return err
	}, nil
}
