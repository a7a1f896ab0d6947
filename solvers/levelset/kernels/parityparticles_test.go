package kernels_test

import (
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	. "github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// routes are those of six blocks, of which one is no peer.
var routes = &Routes{Peers: []Owner{{[3]int32{-9, -9, -9}, [3]int32{2, 4, 99}},
	{[3]int32{2, -9, -9}, [3]int32{3, 4, 99}}, {[3]int32{3, -9, -9}, [3]int32{99, 4, 99}},
	{[3]int32{-9, 4, -9}, [3]int32{2, 99, 99}}, {[3]int32{3, 4, -9}, [3]int32{99, 99, 99}}}}

// migration sends the particles that leave the domain of the block, and receives them in their own places, so that the
// particles are the same.
func (b *block[F]) migration() {
	p, n, marks, removed := twice(b.particles()), b.particleCount, twice(make([]uint8, b.particleCount)), Removed{}
	b.runBoth(n, func(k int) loop {
		return NewClassifyParticleLoop(b.domain, routes, &removed, p[k], marks[k])
	})
	kerneltest.Same(b.t, "ClassifyParticle, marks", marks[0], marks[1], nil)
	before, id, want := slices.Clone(p[0]), make([]int64, n), make([]int32, 6)
	cuts, peers := []F{0, 2, 3}, []int32{0, 1, 2, 3, 5, 4} // of the six blocks, the last but one no peer
	for i, q := range p[0] {
		x, y := 0, 0
		for x < 2 && q.X >= cuts[x+1] {
			x++
		}
		if q.Y >= 4 {
			y = 1
		}
		if mark := marks[0][i]; mark != 0 {
			if to := peers[3*y+x]; int32(mark) != to+1 {
				b.t.Errorf("particle at (%v, %v) goes to peer %d, want %d", q.X, q.Y, mark-1, to)
			}
			want[mark-1]++
		}
		id[i] = int64(7 * i)
	}
	groups := (n + GroupSize - 1) / GroupSize
	starts, totals := twice(make([]int32, 6*groups)), twice(make([]int32, 6))
	leaving := func(k int) *Leaving {
		return &Leaving{Particles: n, Groups: groups, Peers: 6, Marks: marks[k], Starts: starts[k]}
	}
	b.runBoth(groups, func(k int) loop { return NewCountLeavingLoop(leaving(k), totals[k]) })
	kerneltest.Same(b.t, "CountLeaving", starts[0], starts[1], nil)
	kerneltest.Same(b.t, "CountLeaving, totals", totals[0], totals[1], nil)
	kerneltest.Same(b.t, "CountLeaving, all", totals[0], want, nil)
	total := int32(0)
	for i, count := range starts[0] {
		starts[0][i], starts[1][i] = total, total
		total += count
	}
	out, free := twice(make([]Migrant[F], total)), twice(make([]int32, total))
	b.runBoth(groups, func(k int) loop { return NewPackLeavingLoop(leaving(k), p[k], id, out[k], free[k]) })
	kerneltest.Same(b.t, "PackLeaving", out[0], out[1], nil)
	kerneltest.Same(b.t, "PackLeaving, places", free[0], free[1], nil)
	kerneltest.Same(b.t, "PackLeaving, rest", p[0], p[1], nil)
	for j, migrant := range out[0] {
		if p[0][free[0][j]].R != 0 || j > 0 && marks[0][free[0][j]] < marks[0][free[0][j-1]] {
			b.t.Errorf("migrant %d is not removed, or not sorted", j)
		}
		if i := migrant.ID / 7; int32(i) != free[0][j] || migrant.P != before[i] {
			b.t.Errorf("migrant %d is %v", j, migrant)
		}
	}
	correction, bounds := &Correction[F]{Lattice: b.l, Phi: b.noise(.05)}, twice(make([]Bounds[F], b.len))
	for _, correcting := range []bool{false, true} {
		b.runBoth(int(total), func(k int) loop {
			return NewUnpackMigrantLoop(correcting, &Places{Free: free[k], Count: int(total), Particles: n}, out[k], p[k], id,
				correction, bounds[k])
		})
		kerneltest.Same(b.t, "UnpackMigrant", p[0], before, nil)
		kerneltest.Same(b.t, "UnpackMigrant, translated", p[1], before, nil)
		kerneltest.Same(b.t, "UnpackMigrant, bounds", bounds[0], bounds[1], nil)
	}
	behind, ids := twice(make([]Particle[F], total)), twice(make([]int64, total))
	b.runBoth(int(total), func(k int) loop {
		return NewUnpackMigrantLoop(false, &Places{Free: []int32{total - 1}, Count: 1, Particles: 0}, out[0], behind[k],
			ids[k], correction, bounds[k])
	})
	kerneltest.Same(b.t, "UnpackMigrant, behind", behind[0], behind[1], nil)
	kerneltest.Same(b.t, "UnpackMigrant, numbers", ids[0], ids[1], nil)
}

func (b *block[F]) corrections() {
	phi, p := b.noise(.05), b.particles()
	for _, escape := range []F{0, 1} {
		correction := &Correction[F]{Lattice: b.l, Escape: escape, Phi: phi}
		bounds := twice(make([]Bounds[F], b.len))
		withGhosts := abi.Box{Lo: [3]int{-1, -1, -1}, Hi: [3]int{b.n[0] + 1, b.n[1] + 1, b.n[2] + 1}}
		if b.l.Dim == 2 {
			withGhosts.Lo[2], withGhosts.Hi[2] = 0, 1
		}
		b.runBoth(b.len, func(k int) loop { return NewClearBoundsLoop(bounds[k]) })
		kerneltest.Same(b.t, "ClearBounds", bounds[0], bounds[1], nil)
		b.runBoth(b.particleCount, func(k int) loop { return NewCorrectLoop(correction, p, bounds[k]) })
		kerneltest.Same(b.t, "Correct", bounds[0], bounds[1], nil)
		for _, inside := range []bool{false, true} {
			b.replicas(correction, p, inside, bounds[0])
		}
		var from, to []int32 // from some cells to others, twice to each
		for i := range int32(b.n[0] * b.n[1] / 2) {
			from, to = append(from, 2*i+1), append(to, i&^1*2)
		}
		b.runBoth(len(from), func(k int) loop { return NewMergeReturnedLoop(from, to, bounds[k]) })
		kerneltest.Same(b.t, "MergeReturned", bounds[0], bounds[1], nil)
		out := twice(b.noise(.05))
		b.runBoth(withGhosts.Size(), func(k int) loop {
			return NewApplyBoundsLoop(withGhosts, &b.l, b.domain, bounds[k],
				out[k])
		})
		kerneltest.Same(b.t, "ApplyBounds", out[0], out[1], nil)
		kerneltest.Same(b.t, "ApplyBounds, bounds", bounds[0], bounds[1], nil)
		moved, removed, after := twice(p), twice(make([]Removed, 1)), &Correction[F]{Lattice: b.l, Escape: 1, Phi: out[0]}
		marks := twice(make([]uint8, b.particleCount))
		for _, several := range []bool{false, true} {
			b.runBoth(b.particleCount, func(k int) loop {
				return NewAdvectAndCorrectLoop(several, b.flow, b.domain, routes, b.clock, &removed[k][0], correction, after,
					F(.01), F(.05), moved[k], bounds[k], marks[k])
			})
			kerneltest.Same(b.t, "AdvectAndCorrect", moved[0], moved[1], nil)
			kerneltest.Same(b.t, "AdvectAndCorrect, bounds", bounds[0], bounds[1], nil)
			kerneltest.Same(b.t, "AdvectAndCorrect, removed", removed[0], removed[1], nil)
			kerneltest.Same(b.t, "AdvectAndCorrect, marks", marks[0], marks[1], nil)
			moved = twice(p)
		}
		resized := twice(p)
		b.runBoth(b.particleCount, func(k int) loop { return NewUpdateRadiusLoop(correction, F(.01), F(.05), resized[k]) })
		kerneltest.Same(b.t, "UpdateRadius", resized[0], resized[1], nil)
	}
}

func (b *block[F]) replicas(correction *Correction[F], p []Particle[F], inside bool, bounds []Bounds[F]) {
	marks := twice(make([]uint8, b.particleCount))
	b.runBoth(b.particleCount, func(k int) loop { return NewMarkEscapedLoop(correction, inside, p, marks[k]) })
	kerneltest.Same(b.t, "MarkEscaped", marks[0], marks[1], nil)
	count := b.particleCount << correction.Lattice.Dim
	keys, order, values := twice(make([]uint32, count)), twice(make([]int32, count)), twice(make([]F, count))
	b.runBoth(b.particleCount, func(k int) loop { return NewReplicateLoop(correction, p, keys[k], order[k], values[k]) })
	kerneltest.Same(b.t, "Replicate, keys", keys[0], keys[1], nil)
	kerneltest.Same(b.t, "Replicate, order", order[0], order[1], nil)
	kerneltest.Same(b.t, "Replicate", values[0], values[1], nil)
	reduced := twice(slices.Clone(bounds))
	cells, given := []uint32{5, 9, 200}, values[0][:3]
	b.runBoth(3, func(k int) loop { return NewRaisePlusLoop(cells, given, reduced[k]) })
	kerneltest.Same(b.t, "RaisePlus", reduced[0], reduced[1], nil)
	b.runBoth(3, func(k int) loop { return NewLowerMinusLoop(cells, given, reduced[k]) })
	kerneltest.Same(b.t, "LowerMinus", reduced[0], reduced[1], nil)
}

func (b *block[F]) seeds() {
	s := &Seeding[F]{Lattice: b.l, Domain: *b.domain, Phi: b.noise(.4), PerSign: 3, Band: .3, MinRadius: .01,
		MaxRadius: .05, Reach: 5,
		Seedings: 3}
	var box abi.Box
	for d := range 3 {
		box.Lo[d], box.Hi[d] = int(b.domain.Lo[d]), int(b.domain.Hi[d])
	}
	if b.l.Dim == 2 {
		box.Hi[2], s.Domain.Hi[2] = 1, 1
	}
	count := twice(make([]int32, box.Size()))
	b.runBoth(box.Size(), func(k int) loop { return NewCountSeedsLoop(box, s, count[k]) })
	kerneltest.Same(b.t, "CountSeeds", count[0], count[1], nil)
	total := int32(0)
	for i, n := range count[0] {
		count[0][i] = total
		total += n
	}
	p, id := twice(make([]Particle[F], total)), twice(make([]int64, total))
	b.runBoth(box.Size(), func(k int) loop { return NewSeedLoop(box, s, count[0], p[k], id[k]) })
	kerneltest.Same(b.t, "Seed", p[0], p[1], nil)
	kerneltest.Same(b.t, "Seed, numbers", id[0], id[1], nil)
	alive := 0
	for _, q := range p[0] {
		if q.R != 0 {
			alive++
		}
	}
	if alive < len(p[0])/4 {
		b.t.Errorf("only %d of %d seeds were kept", alive, len(p[0]))
	}
	b.reseed(s, box)
}

func (b *block[F]) reseed(s *Seeding[F], box abi.Box) {
	p, id := make([]Particle[F], b.particleCount), make([]int64, b.particleCount)
	cellCount := box.Size()
	cells := twice(make([]int32, len(p)))
	for i, q := range b.particles() {
		span := func(d int) float64 { return float64(box.Lo[d]) + b.rng.Float64()*float64(box.Hi[d]-box.Lo[d])/2 }
		p[i] = Particle[F]{X: F(span(0)), Y: F(span(1)), R: q.R + .06}
		if i%2 == 0 {
			p[i].R = -p[i].R
		}
		if b.l.Dim == 3 {
			p[i].Z = F(span(2))
		}
		id[i] = int64(i * 7 % 13)
	}
	b.runBoth(len(p), func(k int) loop { return NewDualCellOfLoop(s, p, cells[k]) })
	kerneltest.Same(b.t, "DualCellOf", cells[0], cells[1], nil)
	start, order := make([]int32, cellCount+1), make([]int32, 0, len(p))
	for c := range cellCount {
		for i, cell := range cells[0] {
			if int(cell) == c {
				order = append(order, int32(i))
			}
		}
		start[c+1] = int32(len(order))
	}
	r := &Reseeding[F]{Seeding: *s, Escape: 1, Start: start, Order: order}
	removed, stays, deficit := twice(make([]Removed, 1)), twice(make([]uint8, len(p))), twice(make([]int32, 2*cellCount))
	b.runBoth(cellCount, func(k int) loop { return NewThinCellLoop(box, r, &removed[k][0], p, id, stays[k], deficit[k]) })
	kerneltest.Same(b.t, "ThinCell", stays[0], stays[1], nil)
	kerneltest.Same(b.t, "ThinCell, deficit", deficit[0], deficit[1], nil)
	kerneltest.Same(b.t, "ThinCell, removed", removed[0], removed[1], nil)
	first, total := make([]int32, len(deficit[0])), int32(0)
	for i, l := range deficit[0] {
		first[i] = total
		total += l
	}
	filled, numbers := twice(make([]Particle[F], total)), twice(make([]int64, total))
	b.runBoth(cellCount, func(k int) loop { return NewFillCellLoop(box, s, first, deficit[0], filled[k], numbers[k]) })
	kerneltest.Same(b.t, "FillCell", filled[0], filled[1], nil)
	kerneltest.Same(b.t, "FillCell, numbers", numbers[0], numbers[1], nil)
	if removed[0][0].Deleted == 0 || total == 0 {
		b.t.Errorf("%d particles deleted, %d missing", removed[0][0].Deleted, total)
	}
}
