package solvers

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Snapshot is a rank's share of the state of a run: all that the next steps follow from. Those of all ranks together
// are the same for any number of them, but for the order of keys.
type Snapshot struct {
	Clock   Clock
	Scalars map[string]float64
	Spaces  []SavedSpace

	kept []backend.Kept
}

// SavedSpace is what a rank's own entities of a space have of its saved fields.
type SavedSpace struct {
	Name   string
	Owned  int
	Key    func(i int) int64 // of as many entities; any goroutine may call it
	Fixed  *Space            // whose entities are the same in every snapshot of a run; nil where they come and go
	Fields []Saved
}

// Close gives back what the snapshot holds of its device. Nothing is read of it after that.
func (s *Snapshot) Close() error {
	var err error
	for _, k := range s.kept {
		err = errors.Join(err, k.Close())
	}
	s.kept = nil
	return err
}

// Detach brings what the snapshot holds of its device to the host, and gives it back.
func (s *Snapshot) Detach() error {
	for i := range s.Spaces {
		space := &s.Spaces[i]
		for k := range space.Fields {
			f := &space.Fields[k]
			numbers, err := f.Numbers(0, space.Owned, new(Block))
			if err != nil {
				return err
			}
			f.packed, f.kept, f.from = numbers, nil, readable{}
		}
	}
	return s.Close()
}

// Saved is a field of the entities of a space.
type Saved struct {
	Name   string
	Size   int // bytes of an entity
	Hashed bool

	packed []byte       // entity after entity, or
	from   readable     // how the numbers lie in an array, of which bytes are a copy, or
	kept   backend.Kept // a copy on the device
}

// Block is room for the numbers of some entities, field by field, of one goroutine.
type Block struct {
	parts  []part   // of arrays that were read for this block
	packed [][]byte // of fields
	used   struct{ parts, packed int }
}

// part is a part of an array on the host.
type part struct {
	of    backend.Kept
	begin int
	bytes []byte
}

// Reset makes room for the next block.
func (b *Block) Reset() { b.used.parts, b.used.packed = 0, 0 }

// Numbers returns those of the entities from lo to below hi, one entity after the other. They are valid until the room
// is Reset.
func (s *Saved) Numbers(lo, hi int, room *Block) ([]byte, error) {
	if s.packed != nil || lo == hi {
		return s.packed[lo*s.Size : hi*s.Size], nil
	}
	from := s.from
	if s.kept != nil {
		begin, end := from.at(lo), from.at(hi-1)+s.Size
		var err error
		if from.bytes, err = room.read(s.kept, begin, end); err != nil {
			return nil, fmt.Errorf("field %q: %w", s.Name, err)
		}
		from.Offset -= begin
	}
	if room.used.packed == len(room.packed) {
		room.packed = append(room.packed, nil)
	}
	packed, grown := from.pack(lo, hi, room.packed[room.used.packed][:0])
	room.packed[room.used.packed] = grown
	room.used.packed++
	return packed, nil
}

// read brings bytes of an array to the host, unless they are there: several fields may lie in one array.
func (b *Block) read(from backend.Kept, begin, end int) ([]byte, error) {
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

// copies are copies of arrays, by where they begin on their device: fields may share one.
type copies map[*byte]arrayCopy

type arrayCopy struct {
	bytes []byte
	kept  backend.Kept
}

// keep returns the copy of an array that its device keeps, made with the first call; nil where it has no room for one.
func (c copies) keep(v *View) (backend.Kept, error) {
	array := unsafe.SliceData(v.Memory)
	a := c[array]
	if a.kept != nil || a.bytes != nil {
		return a.kept, nil
	}
	var err error
	if a.kept, err = backend.Keep(v.Device, v.Memory); a.kept != nil {
		c[array] = a
	}
	return a.kept, err
}

// save copies what the rank's own entities have of a field. What the host reads as it is, the next step changes, and is
// packed at once; a device's array is copied whole, on the device if it has room.
func (f *Field) save(arrays copies) (Saved, error) {
	saved := Saved{Name: f.Name, Hashed: f.Hashed}
	if f.View == nil {
		return saved, fmt.Errorf("field %q is to be saved and has no view of an array", f.Name)
	}
	h := readable{View: f.View(), count: len(f.Numbers())}
	saved.Size = h.count * h.Kind.Size()
	if _, apart := h.Device.(backend.Memory); !apart {
		h.bytes = h.Memory
		packed, room := h.pack(0, f.On.Owned, nil)
		if room == nil { // they are the array's own
			packed = bytes.Clone(packed)
		}
		saved.packed = packed
		return saved, nil
	}
	var err error
	if saved.kept, err = arrays.keep(&h.View); err != nil {
		return saved, err
	}
	if saved.kept == nil {
		array := unsafe.SliceData(h.Memory)
		if h.bytes = arrays[array].bytes; len(h.bytes) != len(h.Memory) {
			if h.bytes, err = h.host(nil); err != nil {
				return saved, err
			}
			arrays[array] = arrayCopy{bytes: h.bytes}
		}
	}
	saved.from = h
	return saved, nil
}

// pack returns what the entities from lo to below hi have, one after the other: a part of the array itself where it
// lies so there, or appended to room, which it returns then too.
func (h *readable) pack(lo, hi int, room []byte) (packed, used []byte) {
	if lo == hi {
		return nil, room
	}
	size := h.count * h.Kind.Size()
	row := h.N[0]
	if h.N[1]*h.N[2] == 1 {
		row = hi
	}
	if h.Stride[0] == size && lo/row == (hi-1)/row {
		at := h.at(lo)
		return h.bytes[at : at+(hi-lo)*size], room
	}
	if cap(room) < (hi-lo)*size {
		room = make([]byte, 0, (hi-lo)*size)
	}
	if h.Stride[0] != size {
		for i := lo; i < hi; i++ {
			room = append(room, h.of(i)...)
		}
		return room, room
	}
	for i := lo; i < hi; {
		n := min(row-i%row, hi-i)
		at := h.at(i)
		room = append(room, h.bytes[at:at+n*size]...)
		i += n
	}
	return room, room
}

// Hashes tells whether the space has hashed fields.
func (s *SavedSpace) Hashes() bool {
	for k := range s.Fields {
		if s.Fields[k].Hashed {
			return true
		}
	}
	return false
}

// Digest is the sum of digests of the entities from lo to below hi, whose numbers are given field by field: see Hash.
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

// SourceOf finds a saved state in the shares of all ranks that saved them. Several goroutines may read from it.
func SourceOf(shares []*Snapshot) Source { return snapshotSource(shares) }

type snapshotSource []*Snapshot

// each calls f with the share of a field that each rank has.
func (s snapshotSource) each(field string, size int, f func(space *SavedSpace, numbers []byte)) error {
	for _, shot := range s {
		for k := range shot.Spaces {
			space := &shot.Spaces[k]
			for i := range space.Fields {
				of := &space.Fields[i]
				if of.Name != field || of.Size != size {
					continue
				}
				numbers, err := of.Numbers(0, space.Owned, new(Block))
				if err != nil {
					return err
				}
				f(space, numbers)
			}
		}
	}
	return nil
}

func (s snapshotSource) Select(field string, size int, wanted func(numbers []byte) bool) (keys []int64, err error) {
	err = s.each(field, size, func(space *SavedSpace, numbers []byte) {
		for i := range space.Owned {
			if wanted(numbers[i*size : (i+1)*size]) {
				keys = append(keys, space.Key(i))
			}
		}
	})
	return keys, err
}

func (s snapshotSource) Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	of := map[int64][]byte{}
	err := s.each(field, size, func(space *SavedSpace, numbers []byte) {
		for i := range space.Owned {
			of[space.Key(i)] = numbers[i*size : (i+1)*size]
		}
	})
	for i, key := range keys {
		if numbers, ok := of[key]; ok {
			put(i, numbers)
		}
	}
	return err
}
