package solvers

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
)

// Remesher is a solver whose mesh changes between steps.
type Remesher interface {
	Restarter
	// RemeshDue reports whether the mesh may change before the next step. It is the same on all ranks, and depends on
	// nothing but the saved state.
	RemeshDue() bool
	// Remesh changes the mesh to suit the state, and carries the state to it. It returns false if the mesh stays;
	// otherwise spaces have other entities, and fields read these. No output may be pending. All ranks call it.
	Remesh(ctx context.Context) (changed bool, err error)
	// Reload makes the mesh of a saved state with its scalars, before Restore. All ranks call it.
	Reload(ctx context.Context, at Clock, scalars map[string]float64, from Source) error
}

// Carry is how the numbers of a saved field pass to another mesh.
type Carry int

const (
	NotCarried Carry = iota // not at all: the solver on the new mesh has its own
	Mean                    // the means over what old cells a new one covers: of amounts per area, whose sum is kept
	Nearest                 // those of the old cell that covers the largest part of the new one
	ByModel                 // by the solver
)

// Table has the numbers of a saved field of all entities of a space, by key: keys count from 0.
type Table struct {
	Name    string
	Carried Carry
	Bytes   []byte
	kind    backend.Kind
	size    int // bytes of an entity
}

// Count returns the number of entities, and Numbers that of numbers of each.
func (t *Table) Count() int   { return len(t.Bytes) / t.size }
func (t *Table) Numbers() int { return t.size / t.kind.Size() }

// New returns a table of the same field with n entities, of zeros.
func (t *Table) New(n int) *Table {
	other := *t
	other.Bytes = make([]byte, n*t.size)
	return &other
}

// Entity returns the numbers of an entity, in memory.
func (t *Table) Entity(i int) []byte { return t.Bytes[i*t.size : (i+1)*t.size] }

// At returns the k-th number of an entity, and Set sets it.
func (t *Table) At(i, k int) float64 {
	v := View{Kind: t.kind}
	return v.decode(t.Bytes[i*t.size+k*t.kind.Size():])
}

// Set sets a number of a table of floating-point numbers.
func (t *Table) Set(i, k int, x float64) {
	to := t.Bytes[i*t.size+k*t.kind.Size():]
	if t.kind == backend.Float32 {
		binary.NativeEndian.PutUint32(to, math.Float32bits(float32(x)))
		return
	}
	binary.NativeEndian.PutUint64(to, math.Float64bits(x))
}

// Tables returns, on rank 0, the tables of the saved fields that are carried to another mesh. All ranks call it.
func (s *Snapshot) Tables(ctx context.Context, comm dist.Comm) ([]*Table, error) {
	var message []byte
	var spaces []*SavedSpace
	for k := range s.Spaces {
		space := &s.Spaces[k]
		carried := space.carried()
		if len(carried) == 0 {
			continue
		}
		spaces = append(spaces, space)
		message = binary.LittleEndian.AppendUint64(message, uint64(space.Owned))
		for i := range space.Owned {
			message = binary.LittleEndian.AppendUint64(message, uint64(space.Key(i)))
		}
		for _, f := range carried {
			numbers, err := f.Numbers(0, space.Owned, new(ReadBuffer))
			if err != nil {
				return nil, err
			}
			message = append(message, numbers...)
		}
	}
	messages, err := comm.Gatherv(ctx, 0, message)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	var list []*Table
	for _, space := range spaces {
		tables, err := space.collect(messages)
		if err != nil {
			return nil, err
		}
		list = append(list, tables...)
	}
	return list, nil
}

// carried returns the fields of a space that are carried.
func (s *SavedSpace) carried() (list []*Saved) {
	for k := range s.Fields {
		if f := &s.Fields[k]; f.field.Carried != NotCarried {
			list = append(list, f)
		}
	}
	return list
}

// collect makes the tables of a space from what comes next in the messages of all ranks, which it shortens.
func (s *SavedSpace) collect(messages [][]byte) (tables []*Table, err error) {
	counts, total := make([]int, len(messages)), 0
	for rank, m := range messages {
		counts[rank] = int(binary.LittleEndian.Uint64(m))
		messages[rank], total = m[8:], total+counts[rank]
	}
	fields := s.carried()
	for _, f := range fields {
		tables = append(tables, &Table{Name: f.Name, Carried: f.field.Carried, kind: f.kind, size: f.Size,
			Bytes: make([]byte, total*f.Size)})
	}
	for rank, n := range counts {
		keys := messages[rank][:8*n]
		rest := messages[rank][8*n:]
		for k, t := range tables {
			for i := range n {
				key := binary.LittleEndian.Uint64(keys[8*i:])
				if key >= uint64(total) {
					return nil, fmt.Errorf("field %q: %s %d of %d", fields[k].Name, s.Name, key, total)
				}
				copy(t.Entity(int(key)), rest[i*t.size:])
			}
			rest = rest[n*t.size:]
		}
		messages[rank] = rest
	}
	return tables, nil
}

// Rows is a rank's part of tables: the numbers of the entities with some keys.
type Rows struct {
	Keys   []int64
	Names  []string
	Values [][]byte       // of each table
	Kinds  []backend.Kind // of their numbers
}

// RowsOf returns the numbers of the entities with some keys.
func RowsOf(tables []*Table, keys []int64) *Rows {
	r := &Rows{Keys: keys}
	for _, t := range tables {
		values := make([]byte, 0, len(keys)*t.size)
		for _, key := range keys {
			values = append(values, t.Entity(int(key))...)
		}
		r.Names, r.Values, r.Kinds = append(r.Names, t.Name), append(r.Values, values), append(r.Kinds, t.kind)
	}
	return r
}

// Check refuses rows whose lengths differ.
func (r *Rows) Check(int, int) error {
	if len(r.Names) != len(r.Values) || len(r.Kinds) != len(r.Values) {
		return errors.New("as many tables as names are needed")
	}
	for k, values := range r.Values {
		if n := len(r.Keys); n == 0 && len(values) > 0 || n > 0 && len(values)%n != 0 {
			return fmt.Errorf("table %q has %d bytes for %d entities", r.Names[k], len(values), n)
		}
	}
	return nil
}

// At returns the k-th number of the i-th entity in a table, which must be there.
func (r *Rows) At(name string, i, k int) float64 {
	n := slices.Index(r.Names, name)
	v := View{Kind: r.Kinds[n]}
	width := len(r.Values[n]) / len(r.Keys)
	return v.decode(r.Values[n][i*width+k*v.Kind.Size():])
}

// Locate implements Source. Fields without a table stay as they are.
func (r *Rows) Locate(_ context.Context, _ string, keys []int64) (FieldReader, error) {
	at := make(map[int64]int, len(r.Keys))
	for i, key := range r.Keys {
		at[key] = i
	}
	return func(_ context.Context, field string, size int, put func(i int, numbers []byte)) error {
		var values []byte
		if k := slices.Index(r.Names, field); k >= 0 {
			values = r.Values[k]
		}
		for i, key := range keys {
			row, ok := at[key]
			switch {
			case values == nil:
				put(i, nil)
			case ok:
				put(i, values[row*size:(row+1)*size])
			}
		}
		return nil
	}, nil
}

// Select implements Source.
func (r *Rows) Select(context.Context, string, int, func(numbers []byte) int) ([]int64, error) {
	return nil, errors.New("entities that change ranks are not carried to another mesh")
}
