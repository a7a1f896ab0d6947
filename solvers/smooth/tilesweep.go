package smooth

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// A deep part holds all vertices that its tiles read and move. Tiles contain copies of other ranks' vertices as
// well as own vertices. Copies that are outdated after a batch are received in an exchange at the start of the next
// batch; meanwhile, tiles that do not depend on them make their first sweep.

// tileSweep has the loops of sweeps by tiles that begin with the first, or second, of the two copies of the vertices.
type tileSweep struct {
	all         engine.Task
	pack        engine.Task // at the start of a batch: packs what other ranks need
	independent engine.Task // tiles without outdated vertices, during the exchange
	unpack      engine.Task // unpacks what was received
	dependent   engine.Task // the remaining tiles
	exchange    *engine.Exchange
}

// sweepTiles are the sweeps of a recording, by tiles.
func (s *solver[F]) sweepTiles(p *engine.Program) {
	for k := range sweepsPerRecording {
		t := &s.tiles.sweeps[k%2]
		if t.exchange == nil || k%s.sub.Batch.Sweeps != 0 {
			p.Run(t.all)
			continue
		}
		p.Share(t.exchange, t.pack) // then unpacked, for the dependent tiles
		p.Run(t.independent)
		p.Await(t.exchange)
	}
}

// refreshTiles updates the outdated ghosts after the last batch, in the first of the two copies.
func (s *solver[F]) refreshTiles(p *engine.Program) {
	if x := s.tiles.first; x != nil {
		p.Share(x, s.tiles.sweeps[0].pack)
		p.Await(x)
	}
	p.Run(s.tiles.from...)
}

// arrangeTiles prepares the loops of sweeps by tiles; the first `independent` tiles do not depend on other ranks.
func (s *solver[F]) arrangeTiles(tiled *kernels.TiledMesh[F], independent int) error {
	t, tiles := &s.tiles, len(tiled.Tiles)-1
	for k := range t.sweeps {
		t.sweeps[k].all = engine.Whole(t.loops[k], tiles)
	}
	t.centre = engine.Whole(kernels.NewCentreWindowsLoop(&t.mesh, &s.field, &t.vertices[0], t.windows), tiles)
	t.count = tiles
	if s.Env().Comm.Size() == 1 {
		return nil
	}
	sent, received := exchangedVertices(&s.sub.Batch, tiled)
	table := s.Table()
	t.messages = engine.Add[kernels.Vertex[F]](table, "messages of tiles", len(sent)+len(received))
	out, in := uploaded(table, "messages of tiles", sent), uploaded(table, "messages of tiles", received)
	if err := table.Err(); err != nil {
		return err
	}
	for k := range t.sweeps {
		p, h, buffer := &t.sweeps[k], &t.vertices[k], t.messages.Data
		p.pack = engine.Whole(kernels.NewPackTilesLoop(out, h, buffer[:len(sent)]), len(sent))
		p.independent = engine.Whole(t.loops[k], independent)
		p.dependent = engine.Task{Loop: t.loops[k], Lo: independent, Hi: tiles}
		p.unpack = engine.Whole(kernels.NewUnpackTilesLoop(in, buffer[len(sent):], h), len(received))
	}
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

// batchTiles makes the programs of sweeps by tiles, with an exchange between batches.
func (s *solver[F]) batchTiles(ctx context.Context) (err error) {
	t, env := &s.tiles, s.Env()
	if env.Comm.Size() > 1 {
		ghosts := s.MeshGhosts(s.sub.Batch.Plan(env.Comm.Rank()), haloTag+len(s.sub.Plans))
		for k := range t.sweeps {
			p := &t.sweeps[k]
			if p.exchange, err = ghosts.Of(ctx, t.messages); err != nil {
				return err
			}
			p.exchange.Then(p.unpack, p.dependent)
		}
		if t.first, err = ghosts.Of(ctx, t.messages); err != nil {
			return err
		}
		t.first.Then(t.sweeps[0].unpack)
	}
	s.aroundTiles.before = s.Prepared(func(p *engine.Program) { p.Run(t.to...) })
	s.aroundTiles.centre = s.Prepared(func(p *engine.Program) { p.Run(t.centre) })
	s.aroundTiles.after = s.Prepared(s.refreshTiles)
	s.several, err = s.NewBatch(ctx, 1, s.sweepTiles)
	return err
}
