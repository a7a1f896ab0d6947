package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// A deep part holds all vertices that its tiles read and move. Tiles contain copies of other ranks' vertices as
// well as own vertices. Copies that are outdated after a batch are received in an exchange at the start of the next
// batch; meanwhile, tiles that do not depend on them make their first sweep.

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
	buffer []kernels.Vertex[F] // vertices to send, followed by those received
	sends  bool
}

// arrangeTiles prepares the passes of sweeps by tiles; the first `independent` tiles do not depend on other ranks.
func (s *solver[F]) arrangeTiles(tiled *kernels.TiledMesh[F], independent int) error {
	t, tiles := &s.tiles, len(tiled.Tiles)-1
	for k := range t.passes {
		t.passes[k].all = []pass{{0, tiles, t.loops[k]}}
	}
	s.centreWindows = []pass{{0, tiles, kernels.NewCentreWindowsLoop(&t.mesh, &s.field, &t.vertices[0], t.windows)}}
	t.count = tiles
	if s.comm.Size() == 1 {
		return nil
	}
	sent, received := exchangedVertices(&s.sub.Batch, tiled)
	b := &s.allocated
	x := &t.exchange
	x.buffer = backend.Fresh[kernels.Vertex[F]](b, len(sent)+len(received), "messages of tiles")
	out, in := backend.Uploaded(b, sent, "messages of tiles"), backend.Uploaded(b, received, "messages of tiles")
	if b.Err() != nil {
		return b.Err()
	}
	for k := range t.passes {
		p, h := &t.passes[k], &t.vertices[k]
		p.pack = []pass{{0, len(sent), kernels.NewPackTilesLoop(out, h, x.buffer[:len(sent)])}}
		p.independent, p.dependent = []pass{{0, independent, t.loops[k]}}, []pass{{independent, tiles, t.loops[k]}}
		p.unpack = []pass{{0, len(received), kernels.NewUnpackTilesLoop(in, x.buffer[len(sent):], h)}}
	}
	x.sends = len(sent) > 0
	return nil
}

// exchangedVertices lists the vertices sent to other ranks between batches, and those received, rank after rank.
func exchangedVertices[F num.Float](r *layout.BatchExchange, tiled *kernels.TiledMesh[F]) (sent,
	received []kernels.Exchanged) {
	rail := map[int32]int32{}
	for k, v := range tiled.Sliders {
		rail[v] = int32(k)
	}
	add := func(to []kernels.Exchanged, ids []int32) []kernels.Exchanged {
		for _, v := range ids {
			t := kernels.Exchanged{Index: tiled.Index[v], Rail: -1}
			if k, slides := rail[v]; slides {
				t.Rail = k
			}
			to = append(to, t)
		}
		return to
	}
	for _, p := range r.Peers {
		sent, received = add(sent, p.Send), add(received, p.Receive)
	}
	return sent, received
}

// connectTiles sets up the exchange between batches, directly between devices if they are linked.
func (s *solver[F]) connectTiles() (err error) {
	plan := s.sub.Batch.Plan(s.comm.Rank())
	s.batchGhosts, err = halo.ConnectLike[kernels.Vertex[F]](s.ghosts[0], plan, haloTag+len(s.sub.Plans))
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
			err := s.batchGhosts.Start(ctx, s.tiles.exchange.buffer)
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

// refreshGhosts implements dimension.
func (s *solver[F]) refreshGhosts(ctx context.Context) error {
	if s.comm.Size() == 1 {
		return nil
	}
	return s.exchangeTiles(ctx, &s.tiles.passes[0], nil)
}

// exchangeTiles exchanges the outdated ghosts, and runs the passes `meanwhile` during the exchange.
func (s *solver[F]) exchangeTiles(ctx context.Context, p *tilePasses, meanwhile []pass) error {
	x := &s.tiles.exchange
	s.run(p.pack)
	if err := s.batchGhosts.Start(ctx, x.buffer); err != nil {
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
