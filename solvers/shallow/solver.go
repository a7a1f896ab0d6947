package shallow

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Setting is a rank's part of a case.
type Setting struct {
	Part    *mesh.Part
	Plan    *halo.Plan
	Initial Initial
	Size    solvers.Size
	// Fields are the fields of the case, and Names what they show, one of Fields. The default is all, by these names.
	Fields []solvers.Field
	Names  []string
	Flows  []solvers.Flow // of the layers, through transects; nil for none
	// Of a solver on another mesh than that of the start: the time, the spacing of levels of the solver before (else 0),
	// and the thicknesses of the lower layer at t = 0, which Initial does not have then; nil if it has.
	Time, LevelSpacing float64
	Began              []float64
	// Quantities converts diagnostics to the quantities of the case; it may be nil.
	Quantities func(d *Diagnostics) []solvers.Quantity
}

// Solver advances the layers on a rank's part of the mesh. All ranks make the same calls.
type Solver struct {
	*engine.Engine
	*common
}

// New sets up the solver in the given precision, "float32" or "float64". All ranks call it.
func New(ctx context.Context, env solvers.Env, precision string, cfg Config, at Setting) (*Solver, error) {
	switch precision {
	case "float32":
		return solverOf(setUp[float32](ctx, env, cfg, at))
	case "float64":
		return solverOf(setUp[float64](ctx, env, cfg, at))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

func solverOf[F num.Float](s *solver[F], err error) (*Solver, error) {
	if err != nil {
		return nil, err
	}
	return &Solver{s.Engine, &s.common}, nil
}

// common is what does not depend on the precision.
type common struct {
	at         Setting
	part       *mesh.Part
	cells      *solvers.Space
	dry        float64 // the dry depth in m
	spacing    float64 // of levels, m
	defaultDry bool
	oneLayer   bool            // there is only the lower layer
	measured   Diagnostics     // last
	activity   *bands.Activity // by bands on a processor
}

// solver is a Solver in one precision: what its definition and its set-up put together.
type solver[F num.Float] struct {
	*rank[F]
	steps    stepper[F]
	lengths  lengths[F]
	copies   copies[F]
	extremes extremes[F]
	samples  samples[F]
	budget   budget[F]
	inputs   inputs[F]
}

// Step takes one time step, shortened so as not to pass until, and returns its length in s.
func (s *Solver) Step(ctx context.Context, until float64) (float64, error) {
	_, err := s.Advance(ctx, until, 0, 1)
	return s.Dt(), err
}

// Time returns the time in s, Steps the number of steps, and Dt the length of the last one in s.
func (s *Solver) Time() float64 { return s.Clock().Time }
func (s *Solver) Steps() int    { return s.Clock().Steps }
func (s *Solver) Dt() float64   { return s.Clock().Dt }

// DryDepth is the thickness in m below which a layer counts as absent.
func (s *Solver) DryDepth() float64 { return s.dry }

// LevelSpacing is the spacing in m to whose multiples levels at the start are rounded.
func (s *Solver) LevelSpacing() float64 { return s.spacing }

// field returns the field that shows a quantity: see Fields.
func (s *Solver) field(name string) (*solvers.Field, error) {
	fields := s.Engine.Fields()
	for k, known := range s.at.Names {
		if known == name {
			return &fields[k], nil
		}
	}
	return nil, fmt.Errorf("field %q is not known; use one of %v", name, s.at.Names)
}

// Field returns a quantity at every owned cell: one of Fields.
func (s *Solver) Field(name string) ([]float64, error) {
	f, err := s.field(name)
	if err != nil {
		return nil, err
	}
	return f.Read(context.Background())
}

// Value returns a quantity at one owned cell: one of Fields.
func (s *Solver) Value(name string, cell int) float64 {
	value := [1]float64{}
	f, err := s.field(name)
	if err == nil {
		err = f.ValuesAt(context.Background(), []int{cell}, value[:])
	}
	if err != nil {
		panic(err) // an unknown name; an error of the device is reported by the next step too
	}
	return value[0]
}

// Diagnose measures the state.
func (s *Solver) Diagnose(ctx context.Context) (Diagnostics, error) {
	_, err := s.Measure(ctx)
	return s.measured, err
}

// Hash returns the hash of the state: see solvers.Hash.
func (s *Solver) Hash(ctx context.Context) (string, error) { return solvers.Hash(ctx, s.Env().Comm, s) }

// ModifyState changes the state of every cell, ghosts included: change is called with a local cell and its h1, q1x,
// q1y, h2, q2x, q2y. It must make the same change on every rank that holds the cell. All ranks call it.
func (s *Solver) ModifyState(ctx context.Context, change func(cell int, w *[6]float64)) error {
	scalars, err := s.Scalars(ctx)
	if err != nil {
		return err
	}
	return s.Restore(ctx, s.Clock(), scalars, func() error {
		v := s.stateView()
		if v.Kind == backend.Float32 {
			return modify[float32](v, change)
		}
		return modify[float64](v, change)
	})
}

func (s *Solver) stateView() solvers.View {
	for _, f := range s.Engine.Fields() {
		if f.Name == stateName {
			return f.View()
		}
	}
	panic("shallow: there is no field of the state")
}

// modify changes the states in an array.
func modify[F num.Float](v solvers.View, change func(cell int, w *[6]float64)) error {
	array := unsafe.Slice((*kernels.State[F])(unsafe.Pointer(unsafe.SliceData(v.Memory))), v.N[0])
	host := array
	if _, separate := v.Device.(backend.Memory); separate {
		host = make([]kernels.State[F], len(array))
		if err := backend.Download(v.Device, host, array); err != nil {
			return err
		}
	}
	for i := range host {
		c := &host[i]
		w := [6]float64{float64(c.H1), float64(c.Q1x), float64(c.Q1y), float64(c.H2), float64(c.Q2x), float64(c.Q2y)}
		change(i, &w)
		*c = kernels.State[F]{H1: F(w[0]), Q1x: F(w[1]), Q1y: F(w[2]), H2: F(w[3]), Q2x: F(w[4]), Q2y: F(w[5])}
	}
	return backend.Upload(v.Device, array, host)
}
