package solvers

import (
	"context"
	"fmt"
)

// Snapshot is a rank's share of the state of a run: all that the next steps follow from. Those of all ranks together
// are the same for any number of them, but for the order of keys.
type Snapshot struct {
	Clock   Clock
	Scalars map[string]float64
	Fields  []Saved
}

// Saved is what a rank's own entities have of a field: the numbers of each, of Size bytes in all, as they lie in
// memory.
type Saved struct {
	Name string
	Size int
	Keys []int64
	Data []byte
}

// Save copies a rank's share of the state as it is. All ranks call it.
func Save(ctx context.Context, s Restarter) (*Snapshot, error) {
	if err := s.Rest(ctx); err != nil {
		return nil, err
	}
	scalars, err := s.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	all := &Snapshot{Clock: s.Clock(), Scalars: scalars}
	for _, f := range s.Fields() {
		if !f.Saved {
			continue
		}
		h, err := f.hold()
		if err != nil {
			return nil, err
		}
		saved := Saved{Name: f.Name, Size: h.count * h.Kind.Size()}
		for i := range f.On.Owned {
			saved.Keys = append(saved.Keys, f.On.Key(i))
			saved.Data = append(saved.Data, h.of(i)...)
		}
		all.Fields = append(all.Fields, saved)
	}
	return all, nil
}

// Source finds what an entity of a key had of a saved field, nil if it knows nothing of it.
type Source func(field string, key int64) []byte

// SourceOf finds it in the shares of all ranks that saved them.
func SourceOf(shares []*Snapshot) Source {
	where := map[string]map[int64][]byte{}
	for _, share := range shares {
		for _, f := range share.Fields {
			if where[f.Name] == nil {
				where[f.Name] = map[int64][]byte{}
			}
			for i, key := range f.Keys {
				where[f.Name][key] = f.Data[i*f.Size : (i+1)*f.Size]
			}
		}
	}
	return func(field string, key int64) []byte { return where[field][key] }
}

// Restore puts a solver of the same case, on any number of ranks, into a state that was saved. All ranks call it with
// the same clock and scalars; each takes from the source what it holds.
func Restore(ctx context.Context, s Restarter, clock Clock, scalars map[string]float64, from Source) error {
	return s.Restore(ctx, clock, scalars, func() error {
		for _, f := range s.Fields() {
			if !f.Saved {
				continue
			}
			if err := f.fill(from); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill overwrites the numbers of all entities that the rank holds.
func (f *Field) fill(from Source) error {
	h, err := f.hold()
	if err != nil {
		return err
	}
	for i := range max(f.On.Owned, f.On.Held) {
		to, saved := h.of(i), from(f.Name, f.On.Key(i))
		if len(saved) != len(to) {
			return fmt.Errorf("field %q of %s %d is saved in %d bytes, and has %d here: is it the state of another case?",
				f.Name, f.On.Name, f.On.Key(i), len(saved), len(to))
		}
		copy(to, saved)
	}
	return h.put()
}
