package levelset

import (
	"context"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/primitives"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// particleArrays are the arrays over the particles of a block, and over its dual cells. Kernels that compact or sort
// particles write from the current one of two arrays to the other.
type particleArrays[F num.Float] struct {
	set     *engine.Growing // the particles, including removed ones
	current int             // index of the current arrays
	p       [2]*engine.Array[kernels.Particle[F]]
	id      [2]*engine.Array[int64]
	marks   *engine.Array[uint8] // those to keep, those that have escaped, or the destinations (kernels.Routes)

	seeds          *engine.Array[int32]  // of each dual cell, at the start
	byCell                               // if particles are sorted or reseeded
	leaving        leaving[F]            // if there are other blocks
	replicas       *engine.Growing       // corrections of escaped particles, one for each corner of their dual cells
	keys32         *engine.Array[uint32] // indices of cells
	outKeys        *engine.Array[uint32]
	replicaOrder   *engine.Array[int32]
	values, sorted *engine.Array[F]
	outValues      *engine.Array[F]
}

// byCell holds the order of particles by dual cell.
type byCell struct {
	cells, order *engine.Array[int32] // the dual cell of each particle, and the particles in the order of cells
	starts       *engine.Array[int32] // index in order of the first particle of each dual cell, and the total
	deficit      *engine.Array[int32] // for each cell, the number of missing particles of each sign
	first        *engine.Array[int32] // for each number in deficit, the index of the first particle that is added
}

// leaving holds the particles that leave the block: sorted by peer, and after those of all peers those without one.
type leaving[F num.Float] struct {
	totals    *engine.Array[int32] // number of particles for each peer, and for none
	groups    *engine.Array[int32] // see kernels.Leaving
	set       *engine.Growing
	particles *engine.Array[kernels.Migrant[F]]
	places    *engine.Array[int32] // the indices that they had
}

// declareParticles declares the arrays of particles of a block with peers.
func declareParticles[F num.Float](t *engine.Table, c Config, b *grid.Block, peers int) *particleArrays[F] {
	a := &particleArrays[F]{set: engine.NewGrowing(t, "particles", func(n int) int { return n + n/4 + 1024 })}
	for side := range 2 {
		kept := func() bool { return side == a.current }
		a.p[side] = engine.AddOn[kernels.Particle[F]](a.set, nil, kept)
		a.id[side] = engine.AddOn[int64](a.set, nil, kept)
	}
	a.marks = engine.AddOn[uint8](a.set, nil, nil)
	box := dualBox(domainOf(b))
	n := box.Size()
	a.seeds = engine.Add[int32](t, "seeds", n)
	if c.Sort > 0 || c.Reseed > 0 {
		a.starts = engine.Add[int32](t, "particles by cell", n+1)
		a.deficit, a.first = engine.Add[int32](t, "seeds", 2*n), engine.Add[int32](t, "seeds", 2*n)
		a.cells, a.order = engine.AddOn[int32](a.set, nil, nil), engine.AddOn[int32](a.set, nil, nil)
	}
	if peers > 0 {
		l, half := &a.leaving, func(n int) int { return n + n/2 }
		l.totals = engine.Add[int32](t, "leaving particles", peers+1)
		l.groups = engine.AddOn[int32](a.set, func(n int) int { return groupsOf(n) * (peers + 1) }, nil)
		l.set = engine.NewGrowing(t, "particles that change ranks", half)
		l.particles, l.places = engine.AddOn[kernels.Migrant[F]](l.set, nil, nil), engine.AddOn[int32](l.set, nil, nil)
	}
	a.replicas = engine.NewGrowing(t, "corrections", func(n int) int { return n + n/2 })
	a.keys32, a.outKeys = engine.AddOn[uint32](a.replicas, nil, nil), engine.AddOn[uint32](a.replicas, nil, nil)
	a.replicaOrder, a.values = engine.AddOn[int32](a.replicas, nil, nil), engine.AddOn[F](a.replicas, nil, nil)
	a.sorted, a.outValues = engine.AddOn[F](a.replicas, nil, nil), engine.AddOn[F](a.replicas, nil, nil)
	return a
}

// now returns the current arrays of the present particles.
func (a *particleArrays[F]) now() ([]kernels.Particle[F], []int64) {
	n := a.set.Count
	return a.p[a.current].Data[:n], a.id[a.current].Data[:n]
}

// swarm holds the particles of a block.
type swarm[F num.Float] struct {
	*particleArrays[F]
	s         *solver[F]
	dev       backend.Device
	work      *primitives.Workspace
	domain    kernels.Domain
	finder    func() *halo.Finder
	keys      []int64 // of the particles at the last quiesce or allocate
	seeded    int64   // number of particles seeded since the start, on this rank
	seedings  int64   // number of seedings since the start of the run, for random numbers
	loops     *engine.Loops[[2]swarmLoops]
	migration migration[F]
}

// swarmLoops are the loops over the particles of one array.
type swarmLoops struct {
	advectAndCorrect, advect, classify, markLive, updateRadii backend.Loop
	correct                                                   [2]backend.Loop // now and next
}

// newSwarm returns a swarm without particles.
func newSwarm[F num.Float](ctx context.Context, s *solver[F], b *domain.Block) (w *swarm[F], err error) {
	dev := s.Env().Device
	w = &swarm[F]{particleArrays: s.particles, s: s, dev: dev, work: primitives.NewWorkspace(dev),
		domain: *domainOf(b.Block)}
	w.set.Space = &solvers.Space{Name: "particle", Key: func(i int) int64 { return w.keys[i] }, TakeOwnership: w.allocate,
		Owner: w.owner}
	w.finder = sync.OnceValue(func() *halo.Finder { return halo.NewFinder(&b.Boxes) })
	w.loops = engine.LoopsOver(w.set, w.makeLoops)
	w.migration, err = newMigration(ctx, s, b)
	return w, err
}

// makeLoops makes the loops over particles, for both arrays.
func (w *swarm[F]) makeLoops() (loops [2]swarmLoops) {
	s := w.s
	minR, maxR := s.radii()
	velocity, routes, several := s.velocity(), &w.migration.routes, len(w.migration.plan.Peers) > 0
	clock, removed, marks := s.clock.At(), s.removed.At(), w.marks.Data
	correction, corrected := s.correction(now), s.correction(next)
	for side := range 2 {
		l, p := &loops[side], w.p[side].Data
		l.advect = kernels.NewAdvectParticleLoop(velocity, &w.domain, routes, clock, removed, p, marks)
		l.classify = kernels.NewClassifyParticleLoop(&w.domain, routes, removed, p, marks)
		l.markLive = kernels.NewMarkLiveLoop(p, marks)
		l.correct = [2]backend.Loop{kernels.NewCorrectLoop(correction, p, s.bounds.Data),
			kernels.NewCorrectLoop(corrected, p, s.bounds.Data)}
		l.advectAndCorrect = kernels.NewAdvectAndCorrectLoop(several, velocity, &w.domain, routes, clock, removed, correction,
			corrected, minR, maxR, p, s.bounds.Data, marks)
		l.updateRadii = kernels.NewUpdateRadiusLoop(correction, minR, maxR, p)
	}
	return loops
}

// measure counts the particles.
func (w *swarm[F]) measure() error {
	n := w.set.Count
	w.dev.Run(kernels.NewCountParticlesLoop(n, w.s.correction(now), &w.domain, w.p[w.current].Data, w.s.counts.At()), 0,
		kernels.ReduceChunks(n))
	return nil
}

// run runs one of the loops over the current array.
func (w *swarm[F]) run(of func(l *swarmLoops) backend.Loop) {
	w.dev.Run(of(&w.loops.Now()[w.current]), 0, w.set.Count)
}

// advectParticles advects the particles, which set bounds on the level set next.
func (w *swarm[F]) advectParticles(ctx context.Context) error {
	if w.s.cfg.Correct == "fused" {
		w.run(func(l *swarmLoops) backend.Loop { return l.advectAndCorrect })
		return w.migrate(ctx, true)
	}
	w.updateRadii()
	w.run(func(l *swarmLoops) backend.Loop { return l.advect })
	if err := w.migrate(ctx, false); err != nil {
		return err
	}
	return w.setBounds(next)
}

// updateRadii updates the radii of particles from the current level set. It is idempotent: a step begins with it, and
// output between steps and reseeding need it too.
func (w *swarm[F]) updateRadii() { w.run(func(l *swarmLoops) backend.Loop { return l.updateRadii }) }

// setBounds computes the bounds that escaped particles set to a level set with one layer of ghosts.
func (w *swarm[F]) setBounds(field int) error {
	if w.s.cfg.Correct == "sorted" {
		return w.correctSorted(field)
	}
	w.run(func(l *swarmLoops) backend.Loop { return l.correct[field] })
	return nil
}

// reseedAndSort reseeds and sorts particles at the intervals of the configuration. All ghosts must be up to date.
func (w *swarm[F]) reseedAndSort(context.Context) error {
	steps := w.s.Step().After.Steps
	if every := w.s.cfg.Reseed; every > 0 && steps%every == 0 {
		if err := w.reseed(); err != nil {
			return err
		}
	}
	if every := w.s.cfg.Sort; every > 0 && steps%every == 0 {
		return w.sortByCell()
	}
	return nil
}

// quiesce drops removed particles, and copies the keys of the others to the host.
func (w *swarm[F]) quiesce(context.Context) (err error) {
	if err := w.dropRemoved(); err != nil {
		return err
	}
	w.keys, err = w.id[w.current].HostPart(w.set.Count)
	return err
}

// allocate makes this rank the owner of the particles with these keys, whose fields are filled afterwards.
func (w *swarm[F]) allocate(keys []int64) error {
	if err := w.set.Resize(len(keys)); err != nil {
		return err
	}
	w.keys = slices.Clone(keys)
	_, id := w.now()
	return backend.Upload(w.dev, id, w.keys)
}

// owner returns the rank of the block that a particle, given by the bytes of its field, is in.
func (w *swarm[F]) owner(bytes []byte) int { return w.finder().Rank(workload[F]{w.s}.CellOf(bytes)) }

// field is the saved field of the particles.
func (w *swarm[F]) field() solvers.Field {
	return solvers.Field{Name: "particle", Doc: "position in cells, and radius in m, negative inside",
		Space: w.set.Space, Hashed: true, Saved: true, Components: []string{"x", "y", "z", "r"},
		View: func() solvers.View {
			p, _ := w.now()
			return solvers.ViewOf[F](w.dev, p, 0)
		}}
}
