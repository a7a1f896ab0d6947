package shallow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Diagnostics are measurements of the whole state, the same on every rank and for any number of ranks. Integrals are
// exact sums of the products of cell value and area.
type Diagnostics struct {
	Mass1, Mass2  float64 // ∫h dA, m³
	H1Min, H1Max  float64
	H2Min, H2Max  float64
	SpeedMax      float64 // largest speed of either layer where it is not dry, m/s
	Z1AbsIntegral float64 // ∫|z1| dA
	H2SqIntegral  float64 // ∫h2² dA
	ComplexEdges  int64   // edges with complex eigenvalues, summed over the steps
	// CFLMax is the largest CFL number of any step so far, by the waves of its own state. It may exceed Config.CFL, since
	// the length of a step is computed from the waves of an earlier one.
	CFLMax        float64
	LimitedFluxes int64 // mass fluxes that were limited to the mass in the upwind cell, summed over the steps
	Sources       []Source
}

// Source is the net volume of each layer in m³ that has come in since the start through one physical group of open
// boundary edges, or from rain, evaporation or infiltration. It has the name of the group, "rest" for edges without a
// group, or "rain", "evaporation" or "infiltration".
type Source struct {
	Name             string
	Volume1, Volume2 float64
}

// allSources returns the boundary sources by group, rain, evaporation and infiltration.
func (s *solver[F]) allSources(ctx context.Context) ([]Source, error) {
	weight := 1.0 // of a stage of a step
	if s.middle != nil {
		weight = .5
	}
	through, err := s.boundarySources(ctx, weight)
	if err != nil {
		return nil, err
	}
	forced, err := s.rainAndLosses(ctx)
	return append(through, forced...), err
}

// Names of sources that are not groups of edges. The first is the edges without a group.
const (
	restOfBoundary     = "rest"
	rainSource         = "rain"
	evaporationSource  = "evaporation"
	infiltrationSource = "infiltration"
)

// sourceName returns the name of a group as a source: group_NAME if another source has its own name.
func sourceName(groups []mesh.Group, k int) string {
	isTaken := func(name string) bool {
		return slices.Contains([]string{restOfBoundary, rainSource, evaporationSource, infiltrationSource}, name)
	}
	name := groups[k].Name
	for isTaken(name) {
		name = "group_" + name
		isTaken = func(name string) bool {
			return slices.ContainsFunc(groups, func(g mesh.Group) bool { return g.Name == name })
		}
	}
	return name
}

// boundarySources sums the volumes that have passed through the outlets; weight is the weight of a stage of a step.
func (s *solver[F]) boundarySources(ctx context.Context, weight float64) ([]Source, error) {
	if len(s.openGroups) == 0 {
		return nil, nil
	}
	passed := make([]kernels.Passed, len(s.boundary.Passed))
	if err := backend.Download(s.dev, passed, s.boundary.Passed); err != nil {
		return nil, err
	}
	sums := make([]dist.Accumulator, 2*len(s.openGroups))
	pointers := make([]*dist.Accumulator, len(sums))
	for k := range sums {
		pointers[k] = &sums[k]
	}
	for k, v := range passed {
		group := s.outletGroup[k]
		sums[2*group].Add(v.V1)
		sums[2*group+1].Add(v.V2)
	}
	if err := dist.AllreduceSum(ctx, s.comm, pointers...); err != nil {
		return nil, err
	}
	list := make([]Source, len(s.openGroups))
	for k, g := range s.openGroups {
		name := restOfBoundary
		if g >= 0 {
			name = sourceName(s.part.Groups, int(g))
		}
		list[k] = Source{name, 0 - weight*sums[2*k].Float64(), 0 - weight*sums[2*k+1].Float64()}
	}
	return list, nil
}

func (s *solver[F]) Value(name string, cell int) float64 {
	w := s.host
	if !s.separate {
		w = s.current()
	} else if s.fetch([]int{cell}) != nil {
		return math.NaN() // an error of the device is reported by the next step
	}
	return s.quantity(name, float64(s.beds[cell].Depth), &w[cell])
}

func (s *solver[F]) Pick(name string, cells []int, values []float64) error {
	if s.samples.selected {
		s.pickSampled(name, cells, values)
		return nil
	}
	if err := s.fetch(cells); err != nil {
		return err
	}
	for k, cell := range cells {
		values[k] = s.Value(name, cell)
	}
	return nil
}

// forgetHostState marks the host's copy of the state as outdated.
func (s *solver[F]) forgetHostState() {
	s.hostStep, s.samples.selected, s.gathering.current = -1, false, false
	clear(s.hostCells)
}

// quantity returns a quantity by name in a cell with state c over a bed of the given depth in m. The velocity of a
// layer thinner than dry is 0.
func (s *solver[F]) quantity(name string, depth float64, c *kernels.State[F]) float64 {
	h1, h2 := float64(c.H1), float64(c.H2)
	flow := func(q F, h F) float64 {
		if h < s.params.DryDepth {
			return 0
		}
		return float64(q) / float64(h)
	}
	switch name {
	case "h1":
		return h1
	case "h2":
		return h2
	case "z1":
		return h1 + h2 - depth
	case "z2":
		return h2 - depth
	case "u1":
		return flow(c.Q1x, c.H1)
	case "v1":
		return flow(c.Q1y, c.H1)
	case "u2":
		return flow(c.Q2x, c.H2)
	case "v2":
		return flow(c.Q2y, c.H2)
	case "depth":
		return depth
	}
	return math.NaN()
}

// Fields are the names that Field accepts.
var Fields = []string{"h1", "h2", "z1", "z2", "u1", "v1", "u2", "v2", "depth"}

func (s *solver[F]) Field(name string) ([]float64, error) {
	if !slices.Contains(Fields, name) {
		return nil, fmt.Errorf("field %q is not known; use one of %v", name, Fields)
	}
	w, err := s.hostState()
	if err != nil {
		return nil, err
	}
	out := make([]float64, s.part.Owned)
	const few = 20_000 // cells, below which one thread computes all
	parallel.Ranges(len(out), parallel.Parts(len(out), few), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = s.quantity(name, float64(s.beds[i].Depth), &w[i])
		}
	})
	return out, nil
}

// State returns the state of the owned cells.
func (s *solver[F]) State(ctx context.Context) ([]solvers.State, error) {
	if err := s.quiesce(ctx); err != nil {
		return nil, err
	}
	return solvers.HashedState([]solvers.Field{s.StateField(domain.Cells(s.part))})
}

func (s *solver[F]) Hash(ctx context.Context) (string, error) {
	return solvers.Hash(ctx, s.comm, s)
}

// findFault returns an error that names the cell whose state is not finite or has a negative thickness.
func (s *solver[F]) findFault(ctx context.Context) error {
	space := domain.Cells(s.part)
	now, previous := s.visibleField(space, s.state[s.now.from()]), s.visibleField(space, s.state[s.now.to()])
	text, err := solvers.FirstInvalid(ctx, s.comm, s.Steps(), []solvers.Field{now}, []solvers.Field{previous})
	if err == nil && text == "" && s.middle != nil {
		// The mean of both stages may be valid although the first stage was not.
		now = s.visibleField(space, s.middle)
		text, err = solvers.FirstInvalid(ctx, s.comm, s.Steps(), []solvers.Field{now}, []solvers.Field{previous})
	}
	switch {
	case err != nil:
		return err
	case text == "":
		text = fmt.Sprintf("step %d: the next step of %g s is too short to advance the time, %g s: speeds have grown beyond "+
			"all bounds", s.Steps(), s.hostClock[0].Dt, s.hostClock[0].Time)
	case s.oneLayer:
		text += " (try a smaller cfl, or a larger dry_depth)"
	default:
		text += " (strong shear between the layers calls for interlayer_friction = true, else try a smaller cfl)"
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}

func (s *solver[F]) Bytes() int64 { return s.allocated.Bytes() }
