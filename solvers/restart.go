package solvers

import (
	"context"
	"errors"
	"fmt"
)

// Save copies a rank's share of the state. All ranks call it; steps may go on before the copy is used.
func Save(ctx context.Context, s Restarter) (*Snapshot, error) {
	if err := s.Quiesce(ctx); err != nil {
		return nil, err
	}
	scalars, err := s.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	shot := &Snapshot{Clock: s.Clock(), Scalars: scalars}
	spaces := map[*Space]int{}
	arrays := copies{}
	fields := s.Fields()
	for i := range fields {
		f := &fields[i]
		if !f.Saved {
			continue
		}
		space, ok := spaces[f.On]
		if !ok {
			space = len(shot.Spaces)
			spaces[f.On] = space
			shot.Spaces = append(shot.Spaces, f.On.saved())
		}
		saved, err := f.save(arrays)
		if err != nil {
			return nil, errors.Join(err, shot.hold(arrays).Close())
		}
		shot.Spaces[space].Fields = append(shot.Spaces[space].Fields, saved)
	}
	return shot.hold(arrays), nil
}

// hold lets the snapshot have what was copied for it.
func (s *Snapshot) hold(arrays copies) *Snapshot {
	for _, a := range arrays {
		if a.kept != nil {
			s.kept = append(s.kept, a.kept)
		}
	}
	return s
}

// saved is the space as it is now, without fields.
func (s *Space) saved() SavedSpace {
	if s.Take == nil {
		return SavedSpace{Name: s.Name, Owned: s.Owned, Key: s.Key, Fixed: s}
	}
	keys := s.keys(s.Owned)
	return SavedSpace{Name: s.Name, Owned: s.Owned, Key: func(i int) int64 { return keys[i] }}
}

// keys are those of the first n entities.
func (s *Space) keys(n int) []int64 {
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = s.Key(i)
	}
	return keys
}

// Source is where a saved state is read from.
type Source interface {
	// Read hands put the numbers of a field, of so many bytes, of entities with these keys, in any order. Entities that it
	// does not know are left out.
	Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error
	// Select returns the keys of the entities whose numbers of a field, of so many bytes, are wanted, in any order.
	Select(field string, size int, wanted func(numbers []byte) bool) ([]int64, error)
}

// Restore puts a solver of the same case, on any number of ranks, into a state that was saved. All ranks call it with
// the same clock and scalars; each takes from the source what it holds.
func Restore(ctx context.Context, s Restarter, clock Clock, scalars map[string]float64, from Source) error {
	return s.Restore(ctx, clock, scalars, func() error {
		if err := take(s.Fields(), from); err != nil {
			return err
		}
		keys := map[*Space][]int64{}
		fields := s.Fields()
		for i := range fields {
			f := &fields[i]
			if !f.Saved {
				continue
			}
			if keys[f.On] == nil {
				keys[f.On] = f.On.keys(max(f.On.Owned, f.On.Held))
			}
			if err := f.fill(from, keys[f.On]); err != nil {
				return err
			}
		}
		return nil
	})
}

// take lets spaces whose entities change ranks have those that belong to them.
func take(fields []Field, from Source) error {
	asked := map[*Space]bool{}
	for i := range fields {
		f := &fields[i]
		if !f.Saved || f.On.Take == nil || asked[f.On] {
			continue
		}
		asked[f.On] = true
		view := f.View()
		keys, err := from.Select(f.Name, len(f.Numbers())*view.Kind.Size(), f.On.Belongs)
		if err != nil {
			return err
		}
		if err := f.On.Take(keys); err != nil {
			return err
		}
	}
	return nil
}

// fill overwrites the numbers of all entities that the rank holds.
func (f *Field) fill(from Source, keys []int64) error {
	h, err := f.hold()
	if err != nil {
		return err
	}
	filled := make([]bool, len(keys))
	put := func(i int, numbers []byte) {
		filled[i] = true
		copy(h.of(i), numbers)
	}
	if err := from.Read(f.Name, h.count*h.Kind.Size(), keys, put); err != nil {
		return err
	}
	for i, ok := range filled {
		if !ok {
			return fmt.Errorf("field %q of %s %d is not in what was saved: is it the state of another case?",
				f.Name, f.On.Name, keys[i])
		}
	}
	return h.put()
}
