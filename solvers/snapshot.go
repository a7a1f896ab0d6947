package solvers

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Snapshot is a rank's share of the state of a run: all that the next steps follow from. Those of all ranks together
// are the same for any number of them, but for the order of keys.
type Snapshot struct {
	Clock   Clock
	Scalars map[string]float64
	Spaces  []SavedSpace
}

// SavedSpace is what a rank's own entities of a space have of its saved fields.
type SavedSpace struct {
	Name   string
	Keys   []int64
	Fields []Saved
}

// Saved is a field of the entities of a space.
type Saved struct {
	Name   string
	Size   int // bytes of an entity
	Hashed bool

	packed []byte   // nil before Data
	from   readable // a copy of the array, of which packed is made
	owned  int
}

// Data are the numbers of all entities, as they lie in memory, one entity after the other.
func (s *Saved) Data() []byte {
	if s.packed == nil {
		s.packed = s.from.pack(s.owned)
		s.from = readable{}
	}
	return s.packed
}

// downloads are copies of arrays, by where they begin on their device: fields may share one.
type downloads map[*byte][]byte

// save copies what the rank's own entities have of a field. What the host reads as it is, the next step changes, and is
// packed at once; a device's array is downloaded whole.
func (f *Field) save(arrays downloads) (Saved, error) {
	saved := Saved{Name: f.Name, Hashed: f.Hashed, owned: f.On.Owned}
	if f.View == nil {
		return saved, fmt.Errorf("field %q is to be saved and has no view of an array", f.Name)
	}
	h := readable{View: f.View(), count: len(f.Numbers())}
	saved.Size = h.count * h.Kind.Size()
	if _, apart := h.Device.(backend.Memory); !apart {
		h.bytes = h.Memory
		saved.packed = bytes.Clone(h.pack(f.On.Owned))
		return saved, nil
	}
	array := unsafe.SliceData(h.Memory)
	if arrays[array] == nil || len(arrays[array]) != len(h.Memory) {
		copied, err := h.host(nil)
		if err != nil {
			return saved, err
		}
		arrays[array] = copied
	}
	h.bytes, saved.from = arrays[array], h
	saved.from.bytes = arrays[array]
	return saved, nil
}

// pack returns what the first n entities have, one after the other; a part of the array itself where it lies so there.
func (h *readable) pack(n int) []byte {
	size := h.count * h.Kind.Size()
	row := h.N[0]
	if h.N[1]*h.N[2] == 1 {
		row = n
	}
	if h.Stride[0] == size && row >= n {
		return h.bytes[h.Offset : h.Offset+n*size]
	}
	packed := make([]byte, 0, n*size)
	if h.Stride[0] != size {
		for i := range n {
			packed = append(packed, h.of(i)...)
		}
		return packed
	}
	for i := 0; i < n; i += row {
		at := h.at(i)
		packed = append(packed, h.bytes[at:at+min(row, n-i)*size]...)
	}
	return packed
}

// Sums are the sums of digests of the spaces that have hashed fields, in their order: see Hash.
func (s *Snapshot) Sums() []Digests {
	var all []Digests
	for k := range s.Spaces {
		space := &s.Spaces[k]
		state := State{Owned: len(space.Keys), Key: func(i int) int64 { return space.Keys[i] }}
		var hashed []*Saved
		for f := range space.Fields {
			if space.Fields[f].Hashed {
				hashed = append(hashed, &space.Fields[f])
				state.Size += space.Fields[f].Size
				space.Fields[f].Data()
			}
		}
		if hashed == nil {
			continue
		}
		state.Bytes = func(i int) []byte {
			one := hashed[0].packed[i*hashed[0].Size : (i+1)*hashed[0].Size]
			if len(hashed) > 1 {
				one = bytes.Clone(one)
				for _, f := range hashed[1:] {
					one = append(one, f.packed[i*f.Size:(i+1)*f.Size]...)
				}
			}
			return one
		}
		all = append(all, state.sum())
	}
	return all
}

// SourceOf finds a saved state in the shares of all ranks that saved them. Several goroutines may read from it.
func SourceOf(shares []*Snapshot) Source {
	for _, share := range shares {
		for _, space := range share.Spaces {
			for k := range space.Fields {
				space.Fields[k].Data()
			}
		}
	}
	return shots(shares)
}

type shots []*Snapshot

// each calls f with each share of a field.
func (s shots) each(field string, size int, f func(keys []int64, numbers []byte)) {
	for _, shot := range s {
		for _, space := range shot.Spaces {
			for k := range space.Fields {
				if of := &space.Fields[k]; of.Name == field && of.Size == size {
					f(space.Keys, of.Data())
				}
			}
		}
	}
}

func (s shots) Select(field string, size int, wanted func(numbers []byte) bool) (keys []int64, err error) {
	s.each(field, size, func(all []int64, numbers []byte) {
		for i, key := range all {
			if wanted(numbers[i*size : (i+1)*size]) {
				keys = append(keys, key)
			}
		}
	})
	return keys, nil
}

func (s shots) Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	of := map[int64][]byte{}
	s.each(field, size, func(all []int64, numbers []byte) {
		for i, key := range all {
			of[key] = numbers[i*size : (i+1)*size]
		}
	})
	for i, key := range keys {
		if numbers, ok := of[key]; ok {
			put(i, numbers)
		}
	}
	return nil
}
