package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// A deep part holds all that its tiles read and move. Tiles contain copies of other ranks' vertices like owned ones.
// What is outdated after a batch is received in an exchange at the start of the next one; meanwhile, tiles that do
// not depend on it take their first sweep.

// tilePasses are the passes of sweeps by tiles that begin with the first, or the second, of the two copies of the
// vertices.
type tilePasses struct {
	all         []pass
	pack        []pass // at the start of a batch: pack what other ranks need
	independent []pass // tiles without outdated vertices, during the exchange
	unpack      []pass // unpack what was received
	dependent   []pass // the remaining tiles
}

// tileExchange is the exchange between batches.
type tileExchange[F num.Float] struct {
	wire  []kernels.Vertex[F] // vertices to send, followed by those received
	sends bool
}

// arrangeTiles prepares the passes of sweeps by tiles; the first `separate` tiles do not depend on other ranks.
func (s *solver[F]) arrangeTiles(of *kernels.TiledMesh[F], separate int) error {
	t, tiles := &s.tiles, len(of.Tiles)-1
	for k := range t.passes {
		t.passes[k].all = []pass{{0, tiles, t.loops[k]}}
	}
	s.centreWindows = []pass{{0, tiles, kernels.NewCentreWindowsLoop(&t.mesh, &s.field, &t.held[0], t.windows)}}
	t.n = tiles
	if s.comm.Size() == 1 {
		return nil
	}
	sent, received := exchangedVertices(&s.sub.Batch, of)
	b := &s.allocated
	x := &t.exchange
	x.wire = backend.Fresh[kernels.Vertex[F]](b, len(sent)+len(received), "messages of tiles")
	out, in := backend.Uploaded(b, sent, "messages of tiles"), backend.Uploaded(b, received, "messages of tiles")
	if b.Err() != nil {
		return b.Err()
	}
	for k := range t.passes {
		p, h := &t.passes[k], &t.held[k]
		p.pack = []pass{{0, len(sent), kernels.NewPackTilesLoop(out, h, x.wire[:len(sent)])}}
		p.independent, p.dependent = []pass{{0, separate, t.loops[k]}}, []pass{{separate, tiles, t.loops[k]}}
		p.unpack = []pass{{0, len(received), kernels.NewUnpackTilesLoop(in, x.wire[len(sent):], h)}}
	}
	x.sends = len(sent) > 0
	return nil
}

// exchangedVertices lists the vertices sent to other ranks between batches, and those received, rank after rank.
func exchangedVertices[F num.Float](r *layout.BatchExchange, of *kernels.TiledMesh[F]) (sent,
	taken []kernels.Exchanged) {
	rail := map[int32]int32{}
	for k, v := range of.Sliders {
		rail[v] = int32(k)
	}
	add := func(to []kernels.Exchanged, ids []int32) []kernels.Exchanged {
		for _, v := range ids {
			t := kernels.Exchanged{Place: of.Index[v], Rail: -1}
			if k, slides := rail[v]; slides {
				t.Rail = k
			}
			to = append(to, t)
		}
		return to
	}
	for _, p := range r.Peers {
		sent, taken = add(sent, p.Send), add(taken, p.Take)
	}
	return sent, taken
}

// connectTiles sets up the exchange between batches, directly between devices if they are linked.
func (s *solver[F]) connectTiles() (err error) {
	plan := s.sub.Batch.Wire(s.comm.Rank())
	s.batchGhosts, err = halo.ConnectLike[kernels.Vertex[F]](s.ghosts[0], plan, s.comm, s.dev, haloTag+len(s.sub.Plans))
	return err
}

// queue queues sweeps by tiles if they are prepared, else by sets.
func (s *solver[F]) queue(ctx context.Context, sweeps int) error {
	if !s.tiled {
		return s.queueSets(ctx, sweeps)
	}
	for k := range sweeps {
		p := &s.tiles.passes[k%2]
		if s.comm.Size() == 1 || k%s.sub.Batch.Sweeps != 0 {
			s.run(p.all)
			continue
		}
		if err := s.beginBatch(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// beginBatch queues an exchange and the first sweep of a batch.
func (s *solver[F]) beginBatch(ctx context.Context, p *tilePasses) error {
	if s.deviceGhosts != nil {
		err := s.deviceGhosts.Fork(func() error {
			s.run(p.pack)
			err := s.batchGhosts.Start(ctx, s.tiles.exchange.wire)
			s.run(p.unpack)
			s.run(p.dependent)
			return err
		})
		if err != nil {
			return err
		}
		s.run(p.independent)
		return s.batchGhosts.Finish(ctx)
	}
	if err := s.exchangeTiles(ctx, p, p.independent); err != nil {
		return err
	}
	s.run(p.dependent)
	return nil
}

func (s *solver[F]) refresh(ctx context.Context) error {
	if s.comm.Size() == 1 {
		return nil
	}
	return s.exchangeTiles(ctx, &s.tiles.passes[0], nil)
}

// exchangeTiles exchanges the outdated ghosts, while the passes meanwhile run.
func (s *solver[F]) exchangeTiles(ctx context.Context, p *tilePasses, meanwhile []pass) error {
	x := &s.tiles.exchange
	s.run(p.pack)
	if err := s.batchGhosts.Start(ctx, x.wire); err != nil {
		return err
	}
	s.run(meanwhile)
	if !x.sends && s.deviceGhosts == nil { // otherwise staged exchanges do not wait for the last unpacking
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	if err := s.batchGhosts.Send(ctx); err != nil {
		return err
	}
	if err := s.batchGhosts.Finish(ctx); err != nil {
		return err
	}
	s.run(p.unpack)
	return nil
}
