package solvers

import (
	"context"
	"errors"
	"fmt"
)

// Save copies a rank's share of the state. All ranks call it. Later steps do not change the copy.
func Save(ctx context.Context, s Restarter) (*Snapshot, error) {
	if err := s.Quiesce(ctx); err != nil {
		return nil, err
	}
	scalars, err := s.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	snapshot := &Snapshot{Clock: s.Clock(), Scalars: scalars, arrays: copies{}}
	spaces := map[*Space]int{}
	fields := s.Fields()
	for i := range fields {
		f := &fields[i]
		if !f.Saved {
			continue
		}
		space, ok := spaces[f.Space]
		if !ok {
			space = len(snapshot.Spaces)
			spaces[f.Space] = space
			snapshot.Spaces = append(snapshot.Spaces, f.Space.saved())
		}
		saved, err := f.save(snapshot.arrays)
		if err != nil {
			return nil, errors.Join(err, snapshot.Close())
		}
		snapshot.Spaces[space].Fields = append(snapshot.Spaces[space].Fields, saved)
	}
	return snapshot, nil
}

// saved describes the space as it is now, without fields.
func (s *Space) saved() SavedSpace {
	if s.TakeOwnership == nil && !s.Changing {
		return SavedSpace{Name: s.Name, Owned: s.Owned, Key: s.Key, Fixed: s}
	}
	keys := s.keys(s.Owned)
	return SavedSpace{Name: s.Name, Owned: s.Owned, Key: func(i int) int64 { return keys[i] }}
}

// keys returns the keys of the first n entities.
func (s *Space) keys(n int) []int64 {
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = s.Key(i)
	}
	return keys
}

// Source reads a saved state.
type Source interface {
	// Read calls put with the numbers of a field, size bytes, for each of the entities with these keys, in any order.
	// Entities that were not saved are skipped.
	Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error
	// Select returns the keys of the entities whose numbers of a field, size bytes, satisfy wanted, in any order.
	Select(field string, size int, wanted func(numbers []byte) bool) ([]int64, error)
}

// Restore sets a solver, on any number of ranks, to a saved state of the same case. All ranks call it with the same
// clock and scalars; each reads from the source the entities that it holds.
func Restore(ctx context.Context, s Restarter, clock Clock, scalars map[string]float64, from Source) error {
	if r, ok := s.(Remesher); ok {
		if err := r.Reload(ctx, clock, scalars, from); err != nil {
			return err
		}
	}
	return s.Restore(ctx, clock, scalars, func() error {
		if err := takeOwnership(s.Fields(), from); err != nil {
			return err
		}
		keys := map[*Space][]int64{}
		fields := s.Fields()
		for i := range fields {
			f := &fields[i]
			if !f.Saved {
				continue
			}
			if keys[f.Space] == nil {
				keys[f.Space] = f.Space.keys(max(f.Space.Owned, f.Space.Held))
			}
			if err := f.fill(from, keys[f.Space]); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeOwnership makes the rank own its entities of those spaces whose entities change ranks.
func takeOwnership(fields []Field, from Source) error {
	visited := map[*Space]bool{}
	for i := range fields {
		f := &fields[i]
		if !f.Saved || f.Space.TakeOwnership == nil || visited[f.Space] {
			continue
		}
		visited[f.Space] = true
		view := f.View()
		keys, err := from.Select(f.Name, len(f.Numbers())*view.Kind.Size(), f.Space.Belongs)
		if err != nil {
			return err
		}
		if err := f.Space.TakeOwnership(keys); err != nil {
			return err
		}
	}
	return nil
}

// fill overwrites the numbers of all entities that the rank holds, ghosts included if views show them.
func (f *Field) fill(from Source, keys []int64) error {
	h, err := f.onHost()
	if err != nil {
		return err
	}
	filled := make([]bool, len(keys))
	put := func(i int, numbers []byte) {
		filled[i] = true
		copy(h.bytesOf(i), numbers)
	}
	if err := from.Read(f.Name, h.size(), keys, put); err != nil {
		return err
	}
	for i, ok := range filled {
		if !ok {
			return fmt.Errorf("field %q of %s %d is missing in the saved state: is it the state of another case?",
				f.Name, f.Space.Name, keys[i])
		}
	}
	return h.writeBack()
}
