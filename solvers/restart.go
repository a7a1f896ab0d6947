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

// Source reads a saved state. All ranks call its methods, for the same fields in the same order.
type Source interface {
	// Locate finds the entities with these keys of a field's space, whose fields can then be read.
	Locate(ctx context.Context, field string, keys []int64) (FieldReader, error)
	// Select returns the keys of the entities that this rank owns, in any order: owner returns the rank that owns the
	// entity with these numbers of a field, size bytes. Several goroutines may call it at the same time.
	Select(ctx context.Context, field string, size int, owner func(numbers []byte) int) ([]int64, error)
}

// FieldReader calls put with the numbers of a field, size bytes, for each located entity, by the index of its key, in
// any order and on several goroutines. Entities that were not saved are skipped. All ranks call it.
type FieldReader func(ctx context.Context, field string, size int, put func(i int, numbers []byte)) error

// Restore sets a solver, on any number of ranks, to a saved state of the same case. All ranks call it with the same
// clock and scalars; each reads from the source the entities that it holds.
func Restore(ctx context.Context, s Restarter, clock Clock, scalars map[string]float64, from Source) error {
	if r, ok := s.(Remesher); ok {
		if err := r.Reload(ctx, clock, scalars, from); err != nil {
			return err
		}
	}
	return s.Restore(ctx, clock, scalars, func() error {
		if err := takeOwnership(ctx, s.Fields(), from); err != nil {
			return err
		}
		entities := map[*Space]located{}
		fields := s.Fields()
		for i := range fields {
			f := &fields[i]
			if !f.Saved {
				continue
			}
			if _, known := entities[f.Space]; !known {
				keys := f.Space.keys(max(f.Space.Owned, f.Space.Held))
				read, err := from.Locate(ctx, f.Name, keys)
				if err != nil {
					return err
				}
				entities[f.Space] = located{keys, read}
			}
			if err := f.fill(ctx, entities[f.Space]); err != nil {
				return err
			}
		}
		return nil
	})
}

// located are the entities of a space that a rank holds, found in a Source.
type located struct {
	keys []int64
	read FieldReader
}

// takeOwnership makes the rank own its entities of those spaces whose entities change ranks.
func takeOwnership(ctx context.Context, fields []Field, from Source) error {
	visited := map[*Space]bool{}
	for i := range fields {
		f := &fields[i]
		if !f.Saved || f.Space.TakeOwnership == nil || visited[f.Space] {
			continue
		}
		visited[f.Space] = true
		keys, err := from.Select(ctx, f.Name, len(f.Numbers())*f.View().Kind.Size(), f.Space.Owner)
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
func (f *Field) fill(ctx context.Context, of located) error {
	h, err := f.onHost()
	if err != nil {
		return err
	}
	filled := make([]bool, len(of.keys))
	put := func(i int, numbers []byte) {
		filled[i] = true
		copy(h.bytesOf(i), numbers)
	}
	if err := of.read(ctx, f.Name, h.size(), put); err != nil {
		return err
	}
	for i, ok := range filled {
		if !ok {
			return fmt.Errorf("field %q of %s %d is missing in the saved state: is it the state of another case?",
				f.Name, f.Space.Name, of.keys[i])
		}
	}
	return h.writeBack()
}
