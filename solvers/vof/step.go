package vof

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// cycleLength is for how many steps lists and deep ghosts are valid: a multiple of 6, after which the axes repeat.
const cycleLength = kernels.ListSteps

// stepper makes the program of a step.
type stepper[F num.Float] struct {
	*rank[F]
	tileLister
	series       *flow.BlockSeries[F] // nil if the flow has no time series
	refreshTiles engine.Task          // updates tiles with deep ghosts after an exchange
	band         *narrowband.Band[F]  // nil if sweeps go over all cells, tiles or bricks
}

// step makes the program of step k of the cycle: a sweep along each axis, beginning with axis k mod dim, by Weymouth
// and Yue or in the plane one implicit and one explicit (methods), between which ghosts are exchanged unless the sweeps
// go over them too. The lengths of all steps, and the velocities in their middles, are known in advance (clock). Sweep
// n reads fields[n] and writes the next field, the last one fields[0]. Cells that other ranks need, the boundary, are
// computed first, and sent while the core is computed; on a rank alone the boundary is the whole block, and the core is
// empty. By tiles all sweeps are one loop, and the state alternates between fields 0 and 1.
func (s *stepper[F]) step(p *engine.Program, k int) {
	s.beginStep(p, k)
	if s.traversal == byTiles {
		if s.period == byCycle {
			p.Run(s.tiles(k))
			return
		}
		to := s.exchanges[1-k%2]
		p.Share(to, s.tiles(k))
		p.Await(to)
		return
	}
	for n := range s.fields {
		w := s.sweep(k, n)
		p.Run(w.walls)
		if s.costlyNormals { // the planes of all cells are computed first, and stored, else that of a face's donor in advance
			p.Phase("planes")
			p.Run(w.planes)
			p.Phase("sweeps")
		}
		if !w.sent {
			p.Run(w.core)
			continue
		}
		to := s.exchanges[(n+1)%len(s.fields)]
		p.Share(to, w.boundary...)
		p.Run(w.core)
		p.Await(to)
	}
}

// beginStep does what is not recorded: it uploads the velocity of a time series, once a cycle exchanges deep ghosts and
// lists, on the device, the tiles or bricks in which anything may change; on processors it finds the narrow band.
func (s *stepper[F]) beginStep(p *engine.Program, k int) {
	p.Phase("sweeps")
	if s.series != nil {
		p.Host(s.uploadVelocity)
	}
	if k == 0 && s.period == byCycle {
		p.Refresh(s.exchanges[0])
		p.Run(s.refreshTiles)
	}
	if k == 0 && s.listable > 0 {
		s.list(p)
	}
	if s.series != nil || k == 0 && s.listable > 0 {
		p.EndPrologue()
	}
	if s.band != nil {
		p.Host(func(context.Context) error {
			s.band.BeginStep(s.Env().Device) // finds the band, every eighth step
			return nil
		})
	}
}

// uploadVelocity uploads the velocity at the middle of a step, for a time series.
func (s *stepper[F]) uploadVelocity(ctx context.Context) error {
	end := s.Step().After
	u, err := s.series.At(ctx, end.Time-end.Dt/2)
	for axis := range s.block.Grid.Dim {
		if err == nil {
			err = backend.Upload(s.Env().Device, s.u[axis].Data, u[axis])
		}
	}
	return err
}

// sweep has the loops of a sweep.
type sweep struct {
	walls    engine.Task   // fills the ghosts beyond walls
	planes   engine.Task   // computes the planes, if they are stored
	boundary []engine.Task // cells that other ranks need; all cells on a rank alone
	core     engine.Task   // the remaining cells; all of the sweep if nothing is sent
	sent     bool          // ghosts are exchanged after the boundary
}

// sweep makes sweep n of step k.
func (s *stepper[F]) sweep(k, n int) (w sweep) {
	b := s.block
	axis := (k + n) % b.Grid.Dim
	box := abi.Box{Hi: b.N}
	if s.period != bySweep {
		box = s.cfg.widenedBox(b, k, n)
	}
	var boundary []abi.Box
	core := box
	if w.sent = n == b.Grid.Dim-1 || s.period == bySweep; w.sent {
		boundary, core = s.splitBoundary(b)
	}
	w.walls = s.wallTask(n)
	advance, reconstruct := s.advance2, s.reconstruct2
	if b.Grid.Dim == 3 {
		advance, reconstruct = s.advance3, s.reconstruct3
	}
	if s.costlyNormals {
		withDonors := box // the box and the donors outside of it
		withDonors.Lo[axis]--
		withDonors.Hi[axis]++
		w.planes = s.band.Restrict(reconstruct(withDonors, axis, n), withDonors)
	}
	if s.traversal == byBricks { // by loops over the list, which replace walls, boundary and core
		s.setBricks(&w, k, n)
		return w
	}
	for _, part := range boundary {
		w.boundary = append(w.boundary, s.band.Restrict(advance(part, k, n), part))
	}
	w.core = s.band.Restrict(advance(core, k, n), core)
	return w
}

// sweep2 are the parameters of sweep n of a step in the plane, along an axis.
func (s *stepper[F]) sweep2(axis, n int) *kernels.Sweep2[F] {
	layout := plic.Lattice(s.block)
	return &kernels.Sweep2[F]{Lattice: layout, Axis: int32(axis), Stride: [2]int32{1, layout.SY}[axis],
		Method: s.cfg.methods()[n], Normal: s.cfg.normalMethod(), Stored: s.costlyNormals,
		DifferenceStep: plic.DifferenceStep[F](), RoundOff: plic.RoundOff[F](), F: s.fields[n].Data, Start: s.fields[0].Data,
		Out: s.fields[1-n].Data, U: s.u[axis].Data, Planes: s.planes2.Data}
}

// sweep3 is sweep2 in space.
func (s *stepper[F]) sweep3(axis, n int) *kernels.Sweep3[F] {
	layout := plic.Lattice(s.block)
	return &kernels.Sweep3[F]{Lattice: layout, Axis: int32(axis), Stride: [3]int32{1, layout.SY, layout.SZ}[axis],
		Normal: s.cfg.normalMethod(), Stored: s.costlyNormals, DifferenceStep: plic.DifferenceStep[F](),
		RoundOff: plic.RoundOff[F](),
		F:        s.fields[n].Data, Start: s.fields[0].Data, Out: s.fields[(n+1)%3].Data, U: s.u[axis].Data,
		Planes: s.planes3.Data}
}

func (s *stepper[F]) advance2(box abi.Box, k, n int) narrowband.RangesLoop {
	return kernels.NewAdvance2Loop(box, s.sweep2((k+n)%2, n), &s.clock.Data[k])
}

func (s *stepper[F]) advance3(box abi.Box, k, n int) narrowband.RangesLoop {
	return kernels.NewAdvance3Loop(box, s.sweep3((k+n)%3, n), &s.clock.Data[k])
}

func (s *stepper[F]) reconstruct2(box abi.Box, axis, n int) narrowband.RangesLoop {
	return kernels.NewReconstruct2Loop(box, s.sweep2(axis, n))
}

func (s *stepper[F]) reconstruct3(box abi.Box, axis, n int) narrowband.RangesLoop {
	return kernels.NewReconstruct3Loop(box, s.sweep3(axis, n))
}

// tiles makes both sweeps of step k over the list of active tiles.
func (s *stepper[F]) tiles(k int) engine.Task {
	now, next := k%2, 1-k%2
	t := &kernels.Tiles2[F]{Lattice: s.lattice(s.block), Axis: int32(now), N: s.tiledCells(),
		Tiles: [2]int32{int32(s.tilesAlong[0]), int32(s.tilesAlong[1])}, Open: s.ghostReach(s.block),
		Methods: s.cfg.methods(), Normal: s.cfg.normalMethod(), DifferenceStep: plic.DifferenceStep[F](),
		RoundOff: plic.RoundOff[F](), F: s.fields[now].Data, Out: s.fields[next].Data, U: s.u[0].Data, V: s.u[1].Data,
		KindsBefore: s.kinds[now].Data, KindsAfter: s.kinds[next].Data,
		Order: s.activeTiles.order.Data, Count: s.activeTiles.count.Data}
	return engine.Listed(kernels.NewTileStep2Loop(s.costlyNormals, t, &s.clock.Data[k]), &s.listed)
}
