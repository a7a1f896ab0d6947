package drive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// carryOut carries out a request on all ranks, and answers it. An error ends the run.
func (r *Rank) carryOut(ctx context.Context, q *request, clock Clock) (err error) {
	switch q.Do {
	case "get":
		err = r.get(ctx, r.find(q.Name))
	case "set":
		err = r.set(ctx, r.find(q.Name), q.values)
	case "grid":
		err = r.grid(ctx, q.Name)
	}
	if err = errors.Join(err, r.Comm.Barrier(ctx)); err != nil || r.Comm.Rank() != 0 {
		return err
	}
	answer := reply{Clock: &clock}
	if q.Do == "grid" {
		answer.gridReply = &r.geometry
	}
	r.lost = r.conn.send(answer, r.numbers)
	r.numbers = nil
	return nil
}

// allocate makes room for the numbers of all ranks.
func (r *Rank) allocate(ctx context.Context, n int64) error {
	if r.Comm.Rank() == 0 {
		r.numbers = make([]float64, n)
	}
	return r.Comm.Barrier(ctx)
}

// get puts the numbers of a variable together, in the order of keys.
func (r *Rank) get(ctx context.Context, v *variable) error {
	if err := errors.Join(r.allocate(ctx, r.counts[v.Grid]), r.Solver.Quiesce(ctx)); err != nil {
		return err
	}
	if v.input != nil {
		if r.Comm.Rank() == 0 {
			r.numbers[0] = v.input.Get()
		}
		return nil
	}
	f := &r.Solver.Fields()[v.field]
	values, err := f.Read(ctx)
	if err != nil {
		return err
	}
	n := len(f.Numbers())
	for i := range f.Space.Owned {
		r.numbers[f.Space.Key(i)] = values[i*n+v.component]
	}
	return nil
}

// set replaces the numbers of a variable: for a field it saves the state, and restores it with the others.
func (r *Rank) set(ctx context.Context, v *variable, values []float64) error {
	if err := r.Settle(); err != nil {
		return err
	}
	if v.input != nil {
		return errors.Join(r.Solver.Quiesce(ctx), v.input.Set(values[0]))
	}
	snapshot, err := solvers.Save(ctx, r.Solver)
	if err != nil {
		return err
	}
	if err := errors.Join(snapshot.Detach(), snapshot.Close()); err != nil {
		return err
	}
	r.shares[r.Comm.Rank()] = snapshot
	if err := r.Comm.Barrier(ctx); err != nil {
		return err
	}
	f := &r.Solver.Fields()[v.saved]
	from, err := newReplaced(r.shares, r.Comm.Rank(), r.Solver.Fields(), r.dense)
	if err != nil {
		return err
	}
	from.field, from.values, from.kind = f.Name, values, f.View().Kind
	from.component = v.part
	if err := solvers.Restore(ctx, r.Solver, snapshot.Clock, snapshot.Scalars, from); err != nil {
		return fmt.Errorf("setting %s: %w", v.Name, err)
	}
	return nil
}

// replaced is a saved state in which one number of each entity is replaced.
type replaced struct {
	solvers.Source
	dense     map[string][]byte // numbers of fields, by key
	field     string
	component int
	kind      backend.Kind
	values    []float64 // by key
}

// newReplaced makes the source of the shares of all ranks, without a replacement.
func newReplaced(shares []*solvers.Snapshot, rank int, fields []solvers.Field, dense []int64) (*replaced, error) {
	s := &replaced{Source: solvers.SourceOf(shares, rank), dense: map[string][]byte{}}
	for i := range fields {
		if !fields[i].Saved || dense[i] == 0 {
			continue
		}
		for _, share := range shares {
			for k := range share.Spaces {
				if err := s.collect(&share.Spaces[k], fields[i].Name, dense[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, nil
}

// collect adds a rank's numbers of a field, if the space has it.
func (s *replaced) collect(space *solvers.SavedSpace, field string, count int64) error {
	for i := range space.Fields {
		f := &space.Fields[i]
		if f.Name != field {
			continue
		}
		numbers, err := f.Numbers(0, space.Owned, new(solvers.ReadBuffer))
		if err != nil {
			return err
		}
		if s.dense[field] == nil {
			s.dense[field] = make([]byte, count*int64(f.Size))
		}
		for k := range space.Owned {
			copy(s.dense[field][space.Key(k)*int64(f.Size):], numbers[k*f.Size:(k+1)*f.Size])
		}
	}
	return nil
}

// Locate implements solvers.Source.
func (s *replaced) Locate(ctx context.Context, field string, keys []int64) (solvers.FieldReader, error) {
	read, err := s.Source.Locate(ctx, field, keys)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, field string, size int, put func(i int, numbers []byte)) error {
		if s.dense[field] == nil {
			return read(ctx, field, size, put)
		}
		return s.read(field, size, keys, put)
	}, nil
}

// read reads a field of which all numbers are known.
func (s *replaced) read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	all := s.dense[field]
	one := make([]byte, size)
	for i, key := range keys {
		copy(one, all[key*int64(size):])
		if field == s.field {
			at := one[s.component*s.kind.Size():]
			if s.kind == backend.Float32 {
				binary.NativeEndian.PutUint32(at, math.Float32bits(float32(s.values[key])))
			} else {
				binary.NativeEndian.PutUint64(at, math.Float64bits(s.values[key]))
			}
		}
		put(i, one)
	}
	return nil
}

// grid puts the geometry of a space together.
func (r *Rank) grid(ctx context.Context, name string) error {
	fields := r.Solver.Fields()
	var space *solvers.Space
	for i := range fields {
		if s := fields[i].Space; s.Name == name && s.Format != "" && r.dense[i] > 0 {
			space = s
			break
		}
	}
	geometry, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	if b := geometry.Block; b != nil {
		if r.Comm.Rank() == 0 {
			r.geometry = gridReply{Cells: b.Whole[:b.Dim], Spacing: b.Spacing[:b.Dim], Origin: b.Origin[:b.Dim]}
		}
		return nil
	}
	mesh, corners := geometry.Mesh, 0
	if space.Owned > 0 {
		corners = len(mesh.Cell(0))
	}
	most := []int64{int64(corners)}
	if err := r.Comm.AllreduceInt64(ctx, dist.Max, most); err != nil {
		return err
	}
	corners = int(most[0])
	if r.Comm.Rank() == 0 {
		r.geometry = gridReply{Corners: corners}
	}
	if err := r.allocate(ctx, r.counts[name]*int64(3*corners)); err != nil {
		return err
	}
	for i := range space.Owned {
		cell := r.numbers[space.Key(i)*int64(3*corners):]
		for k, v := range mesh.Cell(i) {
			copy(cell[3*k:3*k+3], mesh.Points[3*v:3*v+3])
		}
	}
	return nil
}
