package shallow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// checkGiven checks the kinds of prescribed conditions, which make the case one of one layer.
func (c *Config) checkGiven() error {
	given := slices.DeleteFunc(slices.Clone(c.Given), func(g *Given) bool { return g == nil })
	if len(given) == 0 {
		return nil
	}
	for _, g := range given {
		if err := g.checkKind(); err != nil {
			return err
		}
	}
	if c.Layers == 2 {
		return errors.New("prescribed conditions are for one layer")
	}
	c.Layers = 1
	return nil
}

func setUp[F num.Float](ctx context.Context, cfg Config, part *mesh.Part, plan *halo.Plan, init Initial,
	comm dist.Comm, dev backend.Device) (_ *solver[F], err error) {
	s := &solver[F]{part: part, comm: comm, dev: dev, hostStep: -1, hostPeaksStep: -1, hostCells: map[int]bool{},
		reducer: newReducer(comm, cfg.Lag)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, s.separate = dev.(backend.Memory)
	if err := cfg.checkGiven(); err != nil {
		return nil, err
	}
	state, manning, levelSpacing, err := initialState[F](ctx, comm, part, cfg.Layers == 1, init)
	if err != nil {
		return nil, err
	}
	if cfg.DryDepth == 0 {
		if cfg.DryDepth, err = defaultDryDepth(ctx, comm, part, init); err != nil {
			return nil, err
		}
	}
	s.dry, s.oneLayer = cfg.DryDepth, cfg.Layers == 1
	if s.params, err = params[F](cfg, init.Manning != nil); err != nil {
		return nil, err
	}
	if s.params.Rotation, err = fastestRotation[F](ctx, comm, init.Coriolis); err != nil {
		return nil, err
	}
	out, err := newOutlets[F](cfg, part.Groups, levelSpacing)
	if err != nil {
		return nil, err
	}
	if err := out.addForcing(cfg, init, part, &s.params); err != nil {
		return nil, err
	}
	if err := out.agreeOnRain(ctx, s.comm); err != nil {
		return nil, err
	}
	if err := s.buildArrays(ctx, cfg, init, out, state, manning); err != nil {
		return nil, err
	}
	if s.separate {
		s.host = state
	}
	if err := s.connectHalo(ctx, plan, cfg.Halo); err != nil {
		return nil, err
	}
	s.chooseSchedule()
	// A step of length 0 changes nothing, and computes the limit of the first step.
	s.hostClock[0].CFL = cfg.CFL
	if err := s.step(ctx); err != nil {
		return nil, err
	}
	s.hostClock[0].Steps, s.spent = 0, [phases]time.Duration{}
	return s, backend.Upload(dev, s.counters, []kernels.Counters{{}})
}

// fastestRotation returns the largest absolute value of the Coriolis parameter on all ranks, 1/s.
func fastestRotation[F num.Float](ctx context.Context, comm dist.Comm, coriolis []float64) (F, error) {
	fastest := []float64{0}
	for _, f := range coriolis {
		fastest[0] = max(fastest[0], math.Abs(f))
	}
	err := comm.AllreduceFloat64(ctx, dist.Max, fastest)
	return F(fastest[0]), err
}

// buildArrays makes the edges, cells and tiles of the part, allocates all arrays on the device and prepares its loops.
func (s *solver[F]) buildArrays(ctx context.Context, cfg Config, init Initial, out *outlets[F],
	state []kernels.State[F], manning []F) error {
	kernelMesh, innerEdges, err := assemble[F](s.part, init.Depth, out)
	if err != nil {
		return err
	}
	err = out.describeOutlets(ctx, s.comm, cfg, s.part, init.Depth, init.Manning)
	if err := solvers.Agree(ctx, s.comm, err); err != nil {
		return err
	}
	kernelMesh.Boundary, s.conveyances = out.boundary, newConveyances(out)
	s.innerEdges, s.beds = innerEdges, kernelMesh.Beds
	s.openGroups, s.outletGroup, s.sources = out.openGroups, out.boundary.ConditionOf, out.sources
	s.outletKeys = out.keys
	if cfg.Order == 2 {
		stencils(s.part, init.Depth, &kernelMesh)
	}
	if out.uplift, err = newUplift(cfg, s.part, init.Uplift, out.levelSpacing, &kernelMesh); err != nil {
		return err
	}
	var tiles *kernels.TiledMesh[F]
	if s.tiled = cfg.Sweep.usesTiles(s.separate); s.tiled {
		if tiles, s.coreTiles, err = newTiles(s.part, &kernelMesh); err != nil {
			return err
		}
		s.ntiles = len(tiles.Tiles) - 1
		if cfg.Order == 2 && s.comm.Size() > 1 {
			kernelMesh.SlopesAt = extendPositions(nil, len(kernelMesh.Beds))
		}
	} else {
		s.makeBands(max(cfg.Order, 1), &kernelMesh, innerEdges)
	}
	if err := s.upload(s.dev, kernelMesh, tiles, out, state, manning, s.part.Owned, s.comm.Size() > 1); err != nil {
		return err
	}
	if s.keepsMaxima = cfg.Keep.Maxima; s.keepsMaxima {
		s.wasDry = make([]bool, s.part.Owned)
		for i := range s.wasDry {
			s.wasDry[i] = state[i].H2 < s.params.DryDepth
		}
	}
	s.uploadPeaks(initialPeaks(cfg.Keep, s.part.Owned, len(out.uplift.Rises) > 0, kernelMesh.Beds, state))
	scheme, err := schemeOf(cfg)
	if err != nil {
		return err
	}
	for k := range cycleStep(cycleLength) {
		s.loops[k] = s.arrays.loops(scheme, k)
	}
	return nil
}

// defaultDryDepth returns the thickness in m below which a layer counts as absent by default: 1e-6 of the mean
// thickness of the water in cells with water, at most 1e-5 m. A larger one delays fronts on dry land. The sums are
// exact, so the result does not depend on the number of ranks.
func defaultDryDepth(ctx context.Context, comm dist.Comm, part *mesh.Part, init Initial) (float64, error) {
	var water, area dist.Accumulator
	var lock sync.Mutex
	parallel.Ranges(part.Owned, parallel.Parts(part.Owned, cellsPerWorker), func(_, lo, hi int) {
		var w, a dist.Accumulator
		for i := lo; i < hi; i++ {
			if h := init.H1[i] + init.H2[i]; h > 0 {
				w.Add(h * part.Area(i))
				a.Add(part.Area(i))
			}
		}
		lock.Lock()
		defer lock.Unlock()
		water.Merge(&w)
		area.Merge(&a)
	})
	if err := dist.AllreduceSum(ctx, comm, &water, &area); err != nil {
		return 0, err
	}
	const most, least = 1e-5, 1e-8 // m: products of thicknesses below least vanish in float32
	if area.Float64() == 0 {
		return most, nil
	}
	return min(most, max(least, 1e-6*water.Float64()/area.Float64())), nil
}

// initialState makes the state and the friction coefficients from the initial fields, whose levels it rounds to
// multiples of levelSpacing: see snapLevels.
func initialState[F num.Float](ctx context.Context, comm dist.Comm, part *mesh.Part, oneLayer bool,
	init Initial) (state []kernels.State[F], manning []F, levelSpacing float64, err error) {
	n := len(part.Cells)
	for _, f := range [][]float64{init.Depth, init.H1, init.H2, init.U1, init.V1, init.U2, init.V2} {
		if len(f) != n {
			return nil, nil, 0, fmt.Errorf("an initial field has %d values for %d cells", len(f), n)
		}
	}
	for _, f := range [][]float64{init.H1, init.H2} {
		if i := slices.IndexFunc(f, func(h float64) bool { return h < 0 }); i >= 0 {
			x, y := part.Centroid(i)
			return nil, nil, 0, fmt.Errorf("cell %d at (%g, %g): the initial thickness is negative (h1 = %g, h2 = %g)",
				part.Global[i], x, y, init.H1[i], init.H2[i])
		}
	}
	if i := slices.IndexFunc(init.H1, func(h float64) bool { return h > 0 }); oneLayer && i >= 0 {
		return nil, nil, 0, fmt.Errorf("cell %d has an upper layer of %g m, but the case has one layer",
			part.Global[i], init.H1[i])
	}
	largest := []float64{largestOf(&init)}
	if err := comm.AllreduceFloat64(ctx, dist.Max, largest); err != nil {
		return nil, nil, 0, err
	}
	levelSpacing = levelSpacingFor[F](largest[0])
	state = make([]kernels.State[F], n)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			snapLevels(&init.Depth[i], &init.H1[i], &init.H2[i], levelSpacing)
			h1, h2 := F(init.H1[i]), F(init.H2[i])
			state[i] = kernels.State[F]{
				H1: h1, Q1x: h1 * F(init.U1[i]), Q1y: h1 * F(init.V1[i]),
				H2: h2, Q2x: h2 * F(init.U2[i]), Q2y: h2 * F(init.V2[i]),
			}
		}
	})
	for _, m := range init.Manning {
		manning = append(manning, F(m))
	}
	return state, manning, levelSpacing, nil
}

// largestOf returns the largest absolute value of levels, thicknesses and depths, including the uplift.
func largestOf(init *Initial) (largest float64) {
	var lock sync.Mutex
	n := len(init.Depth)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			most = max(most, math.Abs(init.Depth[i]), math.Abs(init.H1[i]), math.Abs(init.H2[i]))
			if init.Uplift != nil {
				most = max(most, math.Abs(init.Depth[i])+math.Abs(init.Uplift[i]))
			}
		}
		lock.Lock()
		defer lock.Unlock()
		largest = max(largest, most)
	})
	return largest
}
