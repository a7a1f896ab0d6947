package shallow

import (
	"context"
	"errors"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
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
	Structures    []hydraulics.Passage
}

// Source is the net volume of each layer in m³ that has come in since the start through one physical group of open
// boundary edges, or from rain, evaporation or infiltration. It has the name of the group, "rest" for edges without a
// group, or "rain", "evaporation" or "infiltration", or the name of a structure.
type Source struct {
	Name             string
	Volume1, Volume2 float64
}

// Names of sources that are not groups of edges. The first is the edges without a group.
const (
	restOfBoundary     = "rest"
	rainSource         = "rain"
	evaporationSource  = "evaporation"
	infiltrationSource = "infiltration"
)

// ReservedSources are the names of sources that are not groups of edges or structures.
func ReservedSources() []string {
	return []string{restOfBoundary, rainSource, evaporationSource, infiltrationSource}
}

// SourcesOfCells are the names of those sources of which the cells remember how much they have lost.
func SourcesOfCells() []string { return []string{evaporationSource, infiltrationSource} }

// sourceName returns the name of a group as a source: group_NAME if another source has its own name.
func sourceName(groups []mesh.Group, k int) string {
	isTaken := func(name string) bool {
		return slices.Contains(ReservedSources(), name)
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

// budget is what has passed through the boundary, fallen as rain, and been lost.
type budget[F num.Float] struct {
	*rank[F]
	sources
	openGroups  []int     // physical groups of open edges, -1 for edges without a group
	outletGroup []int32   // index in openGroups of each outlet
	outletKeys  []int64   // key of each outlet
	totals      []float64 // integrals of series, while they are saved
}

// sourceList returns the sources: the boundary groups, rain, evaporation and infiltration.
func (s *budget[F]) sourceList() (list []Source) {
	for _, g := range s.openGroups {
		name := restOfBoundary
		if g >= 0 {
			name = sourceName(s.part.Groups, g)
		}
		list = append(list, Source{Name: name})
	}
	if s.rain >= 0 || s.weather.Rains() {
		list = append(list, Source{Name: rainSource})
	}
	if s.evaporation {
		list = append(list, Source{Name: evaporationSource})
	}
	if s.infiltration {
		list = append(list, Source{Name: infiltrationSource})
	}
	for _, name := range s.works.Sources() {
		list = append(list, Source{Name: name})
	}
	return list
}

// measures declares what is measured: the owned cells by a survey, what steps count, and the volumes of the sources.
func (s *solver[F]) measures(m *engine.Measures) {
	sources, passages := s.budget.sourceList(), s.works.Passages()
	m.Program = func(p *engine.Program, k int, _ bool) {
		p.Run(engine.Whole(kernels.NewSurveyLoop(s.part.Owned, &s.params, s.mesh.Beds, s.state[k%2].Data,
			s.surveyed.At()), kernels.ReduceChunks(s.part.Owned)))
		if len(sources)+len(passages) > 0 {
			p.Host(func(ctx context.Context) error { return s.budget.sumSources(ctx, sources, passages) })
		}
	}
	found, counters := engine.Measured(m, s.surveyed), engine.Measured(m, s.counters)
	courant := m.Number(&s.clock.Host[0].Courant)
	var volumes []int // of each source: that of Volume1, before that of Volume2
	for k := range sources {
		volumes = append(volumes, m.Number(&sources[k].Volume1))
		m.Number(&sources[k].Volume2)
	}
	passed := make([][]int, len(passages))
	for k := range passages {
		for _, v := range passages[k].Numbers() {
			passed[k] = append(passed[k], m.Number(v))
		}
	}
	m.Quantities = func(_ context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
		cells, counted := found.All(o), counters.All(o)
		d := diagnosticsOf(&cells)
		d.ComplexEdges, d.LimitedFluxes, d.CFLMax = counted.ComplexEdges, counted.LimitedFluxes, o.Number(courant)
		for k, n := range volumes {
			d.Sources = append(d.Sources, Source{sources[k].Name, o.Number(n), o.Number(n + 1)})
		}
		d.Structures = slices.Clone(passages)
		for k, numbers := range passed {
			for n, v := range d.Structures[k].Numbers() {
				*v = o.Number(numbers[n])
			}
		}
		if s.measured = d; s.at.Quantities == nil {
			return nil, nil
		}
		return s.at.Quantities(&d), nil
	}
}

// diagnosticsOf returns the diagnostics that a survey has found.
func diagnosticsOf(found *kernels.Surveyed) Diagnostics {
	return Diagnostics{
		Mass1: engine.SumOf(found.Mass1), Mass2: engine.SumOf(found.Mass2), Z1AbsIntegral: engine.SumOf(found.AbsZ1),
		H2SqIntegral: engine.SumOf(found.SquareH2), H1Min: found.MinH1.Value(), H1Max: found.MaxH1.Value(),
		H2Min: found.MinH2.Value(), H2Max: found.MaxH2.Value(), SpeedMax: found.MaxSpeed.Value(),
	}
}

// sumSources computes the volumes of the sources, in the order of sourceList, and what structures do.
func (s *budget[F]) sumSources(ctx context.Context, list []Source, passages []hydraulics.Passage) error {
	sources, err := s.works.Volumes(ctx, s.Env().Comm, passages)
	if err != nil {
		return err
	}
	groups, structures := len(s.openGroups), len(list)-len(sources)
	for k, volume := range sources {
		list[structures+k].Volume2 = volume
	}
	if err := s.sumBoundary(ctx, list[:groups]); err != nil {
		return err
	}
	return s.sumForcing(ctx, list[groups:structures])
}

// sumBoundary sums the volumes that have passed through the outlets, by group.
func (s *budget[F]) sumBoundary(ctx context.Context, list []Source) error {
	if len(list) == 0 {
		return nil
	}
	weight := 1.0 // of a stage of a step
	if s.middle != nil {
		weight = .5
	}
	passed := make([]kernels.Passed, len(s.boundary.Passed))
	if err := backend.Download(s.dev, passed, s.boundary.Passed); err != nil {
		return err
	}
	sums := make([]dist.Accumulator, 2*len(list))
	for k, v := range passed {
		group := s.outletGroup[k]
		sums[2*group].Add(v.V1)
		sums[2*group+1].Add(v.V2)
	}
	if err := dist.AllreduceSums(ctx, s.Env().Comm, sums); err != nil {
		return err
	}
	for k := range list {
		list[k].Volume1, list[k].Volume2 = 0-weight*sums[2*k].Float64(), 0-weight*sums[2*k+1].Float64()
	}
	return nil
}

// sumForcing sums the volumes of rain, evaporation and infiltration since the start.
func (s *budget[F]) sumForcing(ctx context.Context, list []Source) error {
	if len(list) == 0 {
		return nil
	}
	var area, evaporated, soaked dist.Accumulator // the first weighted by the factor of rain
	for _, a := range s.rainArea {
		area.Add(a)
	}
	lost := make([]kernels.Lost, len(s.forcing.Lost))
	if err := backend.Download(s.dev, lost, s.forcing.Lost); err != nil {
		return err
	}
	for i, l := range lost {
		cell := float64(s.beds[i].Area)
		evaporated.Add(l.Evaporated * cell)
		soaked.Add(l.Infiltrated * cell)
	}
	if err := dist.AllreduceSum(ctx, s.Env().Comm, &area, &evaporated, &soaked); err != nil {
		return err
	}
	for k := range list {
		switch list[k].Name {
		case rainSource:
			if s.weather.Rains() {
				list[k].Volume2 = s.weather.Fallen(s.Clock().Time)
				continue
			}
			totals, err := s.seriesTotals()
			if err != nil {
				return err
			}
			list[k].Volume2 = totals[s.rain].Total * area.Float64()
		case evaporationSource:
			list[k].Volume2 = 0 - evaporated.Float64()
		case infiltrationSource:
			list[k].Volume2 = 0 - soaked.Float64()
		}
	}
	return nil
}

// seriesTotals returns the series with their integrals since the start.
func (s *budget[F]) seriesTotals() ([]kernels.Series, error) {
	list := make([]kernels.Series, len(s.series))
	return list, backend.Download(s.dev, list, s.series)
}

// readTotals reads the integrals of series, and what structures have done, which are saved.
func (s *budget[F]) readTotals(context.Context) error {
	series, err := s.seriesTotals()
	for k := range series {
		s.totals[k] = series[k].Total
	}
	return errors.Join(err, s.works.Read())
}
