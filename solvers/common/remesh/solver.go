package remesh

import (
	"context"
	"errors"
	"maps"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/transfer"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/stable"
)

// Inner is a solver on one mesh.
type Inner interface {
	solvers.Restarter
	solvers.Observer
	solvers.Ender
	solvers.Concluder
	solvers.Outliner
	solvers.Sampler
	solvers.Stepper
	solvers.Flowing
}

// Problem is what a solver does for its mesh to change.
type Problem interface {
	// Prepare evaluates what the case gives on a rank's part of a new mesh, and returns a number of each cell, the ground,
	// at a time, that rank 0 needs of all. It is not collective.
	Prepare(ctx context.Context, part *mesh.Part, at solvers.Clock) (ground []float64, err error)
	// Ground returns that number of the solver on the present mesh.
	Ground(ctx context.Context, s Inner) ([]float64, error)
	// Build makes the solver on the part that was prepared last, at a time. state has what is carried, for all cells of
	// the part; nil at the start, and before a saved state is restored. All ranks call it.
	Build(ctx context.Context, part *mesh.Part, plan *halo.Plan, at solvers.Clock, state *solvers.Rows) (Inner, error)
	// Leave is called before the solver on an old mesh is closed. All ranks call it.
	Leave(ctx context.Context, old Inner) error
	// Goes reports whether a scalar of the old solver goes on in the new one.
	Goes(scalar string) bool
	// Scalars returns numbers of the problem that a checkpoint keeps, and SetScalars sets them.
	Scalars() map[string]float64
	SetScalars(scalars map[string]float64)

	// Wanted returns what the state wants of the mesh, on rank 0. tables is nil for the initial state, on the mesh for
	// all of which Prepare was called last.
	Wanted(w *Whole, tables []*solvers.Table) (*Wishes, error)
	// Carry carries the fields that are carried by the model, on rank 0.
	Carry(m *Move) error
}

// Move is a change from one mesh to another, on rank 0.
type Move struct {
	From, To *Whole
	Overlap  *transfer.Overlap
	Old, New []*solvers.Table // of the carried fields, in the same order
}

// Table returns the tables of a field on both meshes; nil if it is not carried.
func (m *Move) Table(name string) (from, to *solvers.Table) {
	for k, t := range m.Old {
		if t.Name == name {
			return t, m.New[k]
		}
	}
	return nil, nil
}

// Whole is a whole mesh, on rank 0.
type Whole struct {
	*mesh.Mesh
	Neighbours [][3]int32
	Ground     []float64 // of each cell
	finder     *transfer.Finder
}

func wholeOf(m *mesh.Mesh) (*Whole, error) {
	nb, err := m.Neighbours()
	return &Whole{Mesh: m, Neighbours: nb}, err
}

// Finder returns the finder of the mesh.
func (w *Whole) Finder() *transfer.Finder {
	if w.finder == nil {
		w.finder = transfer.NewFinder(w.Mesh)
	}
	return w.finder
}

// Setting is where a solver with a changing mesh runs.
type Setting struct {
	Env     solvers.Env
	Options Options
	Problem Problem
	Divide  decompose.Options // without Ranks
}

// Solver is a solver whose mesh changes. Its fields and spaces stay while the mesh and the solver behind it change.
type Solver struct {
	Inner
	Setting
	mesh     *Whole           // on rank 0
	original *background      // on rank 0: the mesh that was read, with its fields
	scale    float64          // error for which the mesh has the wanted number of vertices, so far; on all ranks
	parts    *mesh.Part       // of this rank
	stable   *stable.Declared // the fields as others know them
	spent    time.Duration
	earlier  map[string]float64 // phases of solvers on earlier meshes
	looked   int                // step after which the mesh was looked at last
	changes  int
	cellSum  float64 // of the cells of each step up to the last change
	since    int     // step of that
	closed   bool
}

// New makes the solver. load returns the mesh on rank 0. All ranks call it.
func New(ctx context.Context, at Setting, load func() (*mesh.Mesh, error)) (*Solver, error) {
	s := &Solver{Setting: at, scale: at.Options.Error, earlier: map[string]float64{}, looked: -1}
	var m *mesh.Mesh
	var err error
	if s.first() {
		if m, err = load(); err == nil {
			m, err = s.begin(ctx, m)
		}
	}
	if err := solvers.Agree(ctx, at.Env.Comm, err); err != nil {
		return nil, err
	}
	plan, err := s.place(ctx, m, solvers.Clock{})
	if err != nil {
		return nil, err
	}
	if s.Inner, err = s.Problem.Build(ctx, s.parts, plan, solvers.Clock{}, nil); err != nil {
		return nil, err
	}
	s.stable = stable.Of(s.Inner)
	return s, nil
}

func (s *Solver) first() bool { return s.Env.Comm.Rank() == 0 }

// begin keeps the mesh that was read, and adapts it to the initial state.
func (s *Solver) begin(ctx context.Context, m *mesh.Mesh) (*mesh.Mesh, error) {
	m.Marks = nil // of Medit files: required entities, which an adapted mesh would have to save
	if err := m.Check(); err != nil {
		return nil, err
	}
	s.original = newBackground(m)
	for range startRounds {
		w, err := wholeOf(m)
		if err != nil {
			return nil, err
		}
		d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: "natural", Method: s.Divide.Method})
		if err != nil {
			return nil, err
		}
		err = d.Each(func(_ int, part *mesh.Part, _ *halo.Plan) error {
			ground, err := s.Problem.Prepare(ctx, part, solvers.Clock{})
			if err == nil {
				w.Ground = ordered(part, ground)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		next, err := s.next(ctx, w, nil, true)
		if err != nil {
			return nil, err
		}
		m = next
	}
	return m, nil
}

// startRounds is how often the mesh is adapted to the initial state, each time as that is on the last mesh.
const startRounds = 4

// ordered returns numbers of the cells of the part of one rank by their ids.
func ordered(part *mesh.Part, numbers []float64) []float64 {
	all := make([]float64, part.Owned)
	for i := range all {
		all[part.Global[i]] = numbers[i]
	}
	return all
}

// place divides a mesh, of rank 0, among the ranks, and prepares the part of each. All ranks call it.
func (s *Solver) place(ctx context.Context, m *mesh.Mesh, at solvers.Clock) (plan *halo.Plan, err error) {
	comm := s.Env.Comm
	var d *decompose.Decomposition
	if s.first() {
		o := s.Divide
		o.Ranks = comm.Size()
		if s.mesh, err = wholeOf(m); err == nil {
			d, err = decompose.New(m, o)
		}
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	if s.parts, plan, err = decompose.Scatter(ctx, comm, d); err != nil {
		return nil, err
	}
	if d != nil {
		s.parts.Notes = d.Notes
	}
	ground, err := s.Problem.Prepare(ctx, s.parts, at)
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	return plan, s.gatherGround(ctx, ground)
}

// gatherGround gathers the ground of all cells on rank 0.
func (s *Solver) gatherGround(ctx context.Context, ground []float64) error {
	own := make([]float64, 0, 2*s.parts.Owned) // ids and their ground
	for i := range s.parts.Owned {
		own = append(own, float64(s.parts.Global[i]), ground[i])
	}
	all, err := domain.GatherOn(ctx, s.Env.Comm, 0, own)
	if err != nil || !s.first() {
		return err
	}
	s.mesh.Ground = make([]float64, len(s.mesh.Cells))
	for k := 0; k < len(all); k += 2 {
		s.mesh.Ground[int(all[k])] = all[k+1]
	}
	return nil
}

// RemeshDue implements solvers.Remesher.
func (s *Solver) RemeshDue() bool {
	now, o := s.Inner.Clock(), &s.Options
	if now.Steps == 0 || now.Steps == s.looked {
		return false
	}
	if o.Steps > 0 {
		return now.Steps%o.Steps == 0
	}
	return math.Floor(now.Time/o.Every) > math.Floor((now.Time-now.Dt)/o.Every)
}

// Advance implements solvers.Solver. It returns when the mesh may change.
func (s *Solver) Advance(ctx context.Context, until, pause float64, steps int) (done bool, err error) {
	now, o := s.Inner.Clock(), &s.Options
	if o.Steps > 0 {
		steps = min(max(steps, 1), o.Steps-now.Steps%o.Steps)
	} else {
		next := (math.Floor(now.Time/o.Every) + 1) * o.Every
		if pause <= 0 || next < pause {
			pause = next
		}
	}
	return s.Inner.Advance(ctx, until, pause, steps)
}

// Remesh implements solvers.Remesher.
func (s *Solver) Remesh(ctx context.Context) (changed bool, err error) {
	begun := time.Now()
	defer func() { s.spent += time.Since(begun) }()
	comm, at := s.Env.Comm, s.Inner.Clock()
	s.looked = at.Steps
	snapshot, err := solvers.Save(ctx, s)
	if err != nil {
		return false, err
	}
	tables, err := snapshot.Tables(ctx, comm)
	if err = errors.Join(err, snapshot.Close()); err != nil {
		return false, err
	}
	ground, err := s.Problem.Ground(ctx, s.Inner)
	if err != nil {
		return false, err
	}
	if err := s.gatherGround(ctx, ground); err != nil {
		return false, err
	}
	var next *mesh.Mesh
	if s.first() {
		next, err = s.next(ctx, s.mesh, tables, false)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return false, err
	}
	word := []int64{0, int64(math.Float64bits(s.scale))}
	if next != nil {
		word[0] = 1
	}
	if err := s.bcast(ctx, word); err != nil {
		return false, err
	}
	if s.scale = math.Float64frombits(uint64(word[1])); word[0] == 0 {
		return false, nil
	}
	return true, s.change(ctx, at, snapshot.Scalars, tables, next)
}

// bcast copies words of rank 0 to all ranks.
func (s *Solver) bcast(ctx context.Context, words []int64) error {
	if !s.first() {
		for k := range words {
			words[k] = math.MinInt64
		}
	}
	return s.Env.Comm.AllreduceInt64(ctx, dist.Max, words)
}

// change replaces the mesh and the solver.
func (s *Solver) change(ctx context.Context, at solvers.Clock, scalars map[string]float64, tables []*solvers.Table,
	next *mesh.Mesh) error {
	if err := s.Problem.Leave(ctx, s.Inner); err != nil {
		return err
	}
	old := s.mesh
	s.leave()
	plan, err := s.place(ctx, next, at)
	if err != nil {
		return err
	}
	state, err := s.carry(ctx, old, tables)
	if err != nil {
		return err
	}
	if s.Inner, err = s.Problem.Build(ctx, s.parts, plan, at, state); err != nil {
		s.closed = true
		return err
	}
	begins, err := s.Inner.Scalars(ctx)
	if err != nil {
		return err
	}
	for name := range begins {
		if s.Problem.Goes(name) {
			begins[name] = scalars[name]
		}
	}
	if err := solvers.Restore(ctx, s.Inner, at, begins, state); err != nil {
		return err
	}
	s.stable.Follow(s.Inner)
	return nil
}

// leave closes the solver on the old mesh.
func (s *Solver) leave() {
	size, now := s.Inner.Size(), s.Inner.Clock()
	s.cellSum += float64(size.Entities) * float64(now.Steps-s.since)
	s.since, s.changes = now.Steps, s.changes+1
	for phase, seconds := range s.Inner.Phases() {
		s.earlier[phase] += seconds
	}
	s.Inner.Close()
}

// carry carries the tables from an old mesh to the new one, and sends each rank what it needs of them.
func (s *Solver) carry(ctx context.Context, old *Whole, tables []*solvers.Table) (*solvers.Rows, error) {
	comm := s.Env.Comm
	keys := make([]int64, len(s.parts.Global))
	for i, id := range s.parts.Global {
		keys[i] = int64(id)
	}
	wanted, err := comm.Gatherv(ctx, 0, packed(keys))
	if err != nil {
		return nil, err
	}
	var carried []*solvers.Table
	if s.first() {
		carried, err = s.carried(old, tables)
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	return decompose.Share(ctx, comm, func(rank int) (*solvers.Rows, error) {
		return solvers.RowsOf(carried, unpacked(wanted[rank])), nil
	})
}

// carried returns the tables on the new mesh, on rank 0.
func (s *Solver) carried(old *Whole, tables []*solvers.Table) ([]*solvers.Table, error) {
	overlap, err := transfer.Intersect(old.Finder(), s.mesh.Mesh)
	if err != nil {
		return nil, err
	}
	m := &Move{From: old, To: s.mesh, Overlap: overlap, Old: tables}
	var largest []int32
	for _, t := range tables {
		to := t.New(len(s.mesh.Cells))
		switch t.Carried {
		case solvers.Mean:
			column := make([]float64, t.Count())
			for k := range t.Numbers() {
				for i := range column {
					column[i] = t.At(i, k)
				}
				for i, v := range overlap.Means(old.Mesh, s.mesh.Mesh, column, nil) {
					to.Set(i, k, v)
				}
			}
		case solvers.Nearest:
			if largest == nil {
				largest = overlap.Largest()
			}
			for i, from := range largest {
				copy(to.Entity(i), t.Entity(int(from)))
			}
		}
		m.New = append(m.New, to)
	}
	return m.New, s.Problem.Carry(m)
}

// Scalars implements solvers.Restarter.
func (s *Solver) Scalars(ctx context.Context) (map[string]float64, error) {
	scalars, err := s.Inner.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	maps.Copy(scalars, s.Problem.Scalars())
	scalars["remesh_error"], scalars["remesh_changes"] = s.scale, float64(s.changes)
	scalars["remesh_cells"], scalars["remesh_since"] = s.cellSum, float64(s.since)
	return scalars, nil
}

// Reload implements solvers.Remesher.
func (s *Solver) Reload(ctx context.Context, _ solvers.Clock, scalars map[string]float64, from solvers.Source) error {
	var groups []mesh.Group
	if s.first() {
		groups = s.mesh.Groups
	}
	m, err := readMesh(ctx, from, groups)
	if err != nil {
		return err
	}
	if s.first() {
		if err = m.Check(); err == nil {
			s.original.sampleOn(m)
		}
	} else {
		m = nil
	}
	if err := solvers.Agree(ctx, s.Env.Comm, err); err != nil {
		return err
	}
	s.Inner.Close()
	plan, err := s.place(ctx, m, solvers.Clock{})
	if err != nil {
		s.closed = true
		return err
	}
	if s.Inner, err = s.Problem.Build(ctx, s.parts, plan, solvers.Clock{}, nil); err != nil {
		s.closed = true
		return err
	}
	s.stable.Follow(s.Inner)
	s.Problem.SetScalars(scalars)
	s.scale, s.changes, s.looked = scalars["remesh_error"], int(scalars["remesh_changes"]), -1
	s.cellSum, s.since = scalars["remesh_cells"], int(scalars["remesh_since"])
	return nil
}

// Close implements solvers.Solver.
func (s *Solver) Close() {
	if !s.closed {
		s.Inner.Close()
	}
}

// Phases implements solvers.Solver.
func (s *Solver) Phases() map[string]float64 {
	phases := s.Inner.Phases()
	for phase, seconds := range s.earlier {
		phases[phase] += seconds
	}
	phases["remesh"] = s.spent.Seconds()
	return phases
}

// Quantities are the metrics of a run whose mesh changes.
var Quantities = []solvers.Quantity{
	{Name: "mesh_changes", Doc: "how often [adapt] has changed the mesh", Outputs: solvers.Metric},
	{Name: "mean_cells", Doc: "cells of the mesh that [adapt] changes, mean over all steps", Outputs: solvers.Metric},
}

// Conclude implements solvers.Concluder.
func (s *Solver) Conclude(ctx context.Context) ([]solvers.Quantity, error) {
	list, err := s.Inner.Conclude(ctx)
	if err != nil {
		return nil, err
	}
	now, cells := s.Inner.Clock(), float64(s.Inner.Size().Entities)
	mean := cells
	if now.Steps > 0 {
		mean = (s.cellSum + cells*float64(now.Steps-s.since)) / float64(now.Steps)
	}
	return append(list, solvers.Measured(Quantities, float64(s.changes), mean)...), nil
}
