package drive

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// survey finds the variables and grids, at the first call.
func (r *Rank) survey(ctx context.Context) error {
	if r.about != nil {
		return nil
	}
	fields := r.Solver.Fields()
	counts := make([]int64, len(fields)) // of entities
	keys := make([]int64, len(fields))   // the largest ones
	for i := range fields {
		space := fields[i].Space
		if keys[i] = -2; space.TakeOwnership != nil { // entities that come and go, such as particles
			continue
		}
		counts[i], keys[i] = int64(space.Owned), -1
		for k := range space.Owned {
			keys[i] = max(keys[i], space.Key(k))
		}
	}
	err := errors.Join(r.Comm.AllreduceInt64(ctx, dist.Sum, counts), r.Comm.AllreduceInt64(ctx, dist.Max, keys))
	if err != nil {
		return err
	}
	r.about = &about{Solver: r.Name, Unit: "s", End: r.End}
	if r.Sweeps {
		r.about.Unit = "1"
	}
	r.counts, r.dense = map[string]int64{}, make([]int64, len(fields))
	for i := range fields {
		f := &fields[i]
		if keys[i] == counts[i]-1 {
			r.dense[i] = counts[i]
		}
		if f.Space.Format == "" || r.dense[i] == 0 {
			continue
		}
		if r.counts[f.Space.Name] == 0 {
			r.counts[f.Space.Name] = counts[i]
			r.about.Grids = append(r.about.Grids, gridInfo{f.Space.Name, f.Space.Format, counts[i]})
		}
		r.addVariables(fields, i)
	}
	r.addInputs()
	if r.Comm.Rank() == 0 {
		r.shares = make([]*solvers.Snapshot, r.Comm.Size())
	}
	return r.Comm.Barrier(ctx)
}

// addVariables adds the numbers of a field. Fields of the state that appear only as a whole, such as momenta, are left
// out: what cases can write has a name of its own.
func (r *Rank) addVariables(fields []solvers.Field, i int) {
	f := &fields[i]
	saved, part, visible := setting(fields, i)
	if !visible {
		return
	}
	for k, component := range f.Numbers() {
		name := f.Name
		if f.Components != nil {
			name += "_" + component
		}
		if r.find(name) != nil {
			continue
		}
		v := variable{Name: name, Unit: f.Unit, Doc: f.Doc, Grid: f.Space.Name, Type: "float64", field: i, component: k,
			saved: saved, part: part + k, Settable: saved >= 0, least: math.Inf(-1), most: math.Inf(1)}
		if saved >= 0 {
			if slices.Contains(fields[saved].NotNegative, fields[saved].Numbers()[v.part]) {
				v.least = 0
			}
			if fields[saved].View().Kind == backend.Float32 {
				v.Type = "float32"
			}
		}
		r.about.Variables = append(r.about.Variables, v)
	}
}

// addInputs adds the numbers of the case that the driver can set.
func (r *Rank) addInputs() {
	s, ok := r.Solver.(solvers.Driven)
	if !ok {
		return
	}
	for _, in := range s.Inputs() {
		if r.counts[scalar] == 0 {
			r.counts[scalar] = 1
			r.about.Grids = append(r.about.Grids, gridInfo{scalar, "", 1})
		}
		r.about.Variables = append(r.about.Variables, variable{Name: in.Name, Unit: in.Unit, Doc: in.Doc, Grid: scalar,
			Type: "float64", Settable: true, saved: -1, least: in.Least, most: in.Most, input: &in})
	}
}

// setting returns the saved field, and the first component of it, that are set with a field; -1 if the field only
// follows from the state. visible is false for the state of several numbers, of which other fields are parts.
func setting(fields []solvers.Field, i int) (saved, part int, visible bool) {
	f := &fields[i]
	if f.Saved {
		whole := slices.ContainsFunc(fields, func(o solvers.Field) bool {
			return o.Part != "" && slices.Contains(f.Components, o.Part)
		})
		return i, 0, f.Hashed && !whole
	}
	if f.Part != "" && f.From != nil {
		for k := range fields {
			if fields[k].Saved && fields[k].Name == f.From.Name {
				return k, slices.Index(fields[k].Numbers(), f.Part), true
			}
		}
	}
	return -1, 0, true
}
