package kernels_test

import (
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	. "github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

func (b *block[F]) migration() {
	cuts := []int32{0, 2, 3, 0, 4, 0}
	r := &Routes{Blocks: [3]int32{3, 2, 1}, Cuts: cuts, Peers: []int32{0, 1, 2, 3, 5, 4}}
	p, n := b.particles(), b.swarmed
	peer := twice(make([]int32, n))
	b.both(n, func(k int) loop { return NewRouteMigrantLoop(r, p, peer[k]) })
	kerneltest.Same(b.t, "Address", peer[0], peer[1], nil)
	order, id := make([]int32, n), make([]int64, n)
	for i := range order {
		x, y := 0, 0
		for x < 2 && p[i].X >= F(cuts[x+1]) {
			x++
		}
		if p[i].Y >= 4 {
			y = 1
		}
		if want := r.Peers[3*y+x]; peer[0][i] != want {
			b.t.Errorf("Address: particle at (%v, %v) to %d, want %d", p[i].X, p[i].Y, peer[0][i], want)
		}
		order[i], id[i] = int32(n-1-i), int64(7*i)
	}
	out := twice(make([]Migrant[F], n))
	b.both(n, func(k int) loop { return NewPackMigrantLoop(order, p, id, out[k]) })
	kerneltest.Same(b.t, "Board", out[0], out[1], nil)
	came, ids, astray := twice(make([]Particle[F], n)), twice(make([]int64, n)), twice(make([]int64, 1))
	b.both(n, func(k int) loop { return NewUnpackMigrantLoop(b.domain, out[0], came[k], ids[k], astray[k]) })
	kerneltest.Same(b.t, "Alight", came[0], came[1], nil)
	kerneltest.Same(b.t, "Alight, numbers", ids[0], ids[1], nil)
	kerneltest.Same(b.t, "Alight, astray", astray[0], astray[1], nil)
}

func (b *block[F]) corrections() {
	phi, p := b.noise(.05), b.particles()
	for _, escape := range []F{0, 1} {
		of := &Correction[F]{Lattice: b.l, Escape: escape, Phi: phi}
		near := twice(make([]Bounds[F], b.len))
		rim := abi.Box{Lo: [3]int{-1, -1, -1}, Hi: [3]int{b.n[0] + 1, b.n[1] + 1, b.n[2] + 1}}
		if b.l.Dim == 2 {
			rim.Lo[2], rim.Hi[2] = 0, 1
		}
		b.both(b.len, func(k int) loop { return NewClearBoundsLoop(near[k]) })
		kerneltest.Same(b.t, "Nothing", near[0], near[1], nil)
		b.both(b.swarmed, func(k int) loop { return NewCorrectLoop(of, p, near[k]) })
		kerneltest.Same(b.t, "Correct", near[0], near[1], nil)
		for _, inside := range []bool{false, true} {
			b.replicas(of, p, inside, near[0])
		}
		layer := abi.Box{Hi: [3]int{1, b.n[1], b.n[2]}}
		b.both(layer.Size(), func(k int) loop { return NewMergeFromGhostLoop(layer, &b.l, 1, near[k]) })
		kerneltest.Same(b.t, "Take", near[0], near[1], nil)
		out := twice(b.noise(.05))
		b.both(rim.Size(), func(k int) loop { return NewApplyBoundsLoop(rim, &b.l, b.domain, near[k], out[k]) })
		kerneltest.Same(b.t, "Merge", out[0], out[1], nil)
		kerneltest.Same(b.t, "Merge, what is told", near[0], near[1], nil)
		passed, gone, after := twice(p), twice(make([]Removed, 1)), &Correction[F]{Lattice: b.l, Escape: 1, Phi: out[0]}
		b.both(b.swarmed, func(k int) loop {
			return NewAdvectAndCorrectLoop(b.flow, b.domain, b.clock, &gone[k][0], of, after, F(.01), F(.05), passed[k], near[k])
		})
		kerneltest.Same(b.t, "Pass", passed[0], passed[1], nil)
		kerneltest.Same(b.t, "Pass, what is told", near[0], near[1], nil)
		kerneltest.Same(b.t, "Pass, gone", gone[0], gone[1], nil)
		resized := twice(p)
		b.both(b.swarmed, func(k int) loop { return NewUpdateRadiusLoop(of, F(.01), F(.05), resized[k]) })
		kerneltest.Same(b.t, "Resize", resized[0], resized[1], nil)
	}
}

func (b *block[F]) replicas(of *Correction[F], p []Particle[F], inside bool, near []Bounds[F]) {
	marks := twice(make([]uint8, b.swarmed))
	b.both(b.swarmed, func(k int) loop { return NewMarkEscapedLoop(of, inside, p, marks[k]) })
	kerneltest.Same(b.t, "Escapes", marks[0], marks[1], nil)
	all := b.swarmed << of.Lattice.Dim
	keys, order, values := twice(make([]uint32, all)), twice(make([]int32, all)), twice(make([]F, all))
	b.both(b.swarmed, func(k int) loop { return NewReplicateLoop(of, p, keys[k], order[k], values[k]) })
	kerneltest.Same(b.t, "Replicate, keys", keys[0], keys[1], nil)
	kerneltest.Same(b.t, "Replicate, order", order[0], order[1], nil)
	kerneltest.Same(b.t, "Replicate", values[0], values[1], nil)
	pairs := twice(slices.Clone(near))
	cells, told := []uint32{5, 9, 200}, values[0][:3]
	b.both(3, func(k int) loop { return NewRaisePlusLoop(cells, told, pairs[k]) })
	kerneltest.Same(b.t, "Raise", pairs[0], pairs[1], nil)
	b.both(3, func(k int) loop { return NewLowerMinusLoop(cells, told, pairs[k]) })
	kerneltest.Same(b.t, "Lower", pairs[0], pairs[1], nil)
}

func (b *block[F]) seeds() {
	s := &Seeding[F]{Lattice: b.l, Domain: *b.domain, Phi: b.noise(.4), Each: 3, Band: .3, Least: .01, Most: .05, Reach: 5,
		Event: 3}
	var box abi.Box
	for d := range 3 {
		box.Lo[d], box.Hi[d] = int(b.domain.Lo[d]), int(b.domain.Hi[d])
	}
	if b.l.Dim == 2 {
		box.Hi[2], s.Domain.Hi[2] = 1, 1
	}
	count := twice(make([]int32, box.Size()))
	b.both(box.Size(), func(k int) loop { return NewCountSeedsLoop(box, s, count[k]) })
	kerneltest.Same(b.t, "CountSeeds", count[0], count[1], nil)
	total := int32(0)
	for i, n := range count[0] {
		count[0][i] = total
		total += n
	}
	p, id := twice(make([]Particle[F], total)), twice(make([]int64, total))
	b.both(box.Size(), func(k int) loop { return NewSeedLoop(box, s, count[0], p[k], id[k]) })
	kerneltest.Same(b.t, "Seed", p[0], p[1], nil)
	kerneltest.Same(b.t, "Seed's numbers", id[0], id[1], nil)
	alive := 0
	for _, q := range p[0] {
		if q.R != 0 {
			alive++
		}
	}
	if alive < len(p[0])/4 {
		b.t.Errorf("%d of %d seeds live", alive, len(p[0]))
	}
	b.reseed(s, box)
}

func (b *block[F]) reseed(s *Seeding[F], box abi.Box) {
	p, id := make([]Particle[F], b.swarmed), make([]int64, b.swarmed)
	cells := box.Size()
	where := twice(make([]int32, len(p)))
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
	b.both(len(p), func(k int) loop { return NewDualCellOfLoop(s, p, where[k]) })
	kerneltest.Same(b.t, "Cell", where[0], where[1], nil)
	start, order := make([]int32, cells+1), make([]int32, 0, len(p))
	for c := range cells {
		for i, w := range where[0] {
			if int(w) == c {
				order = append(order, int32(i))
			}
		}
		start[c+1] = int32(len(order))
	}
	r := &Reseeding[F]{Seeding: *s, Escape: 1, Start: start, Order: order}
	n, stays, lack := twice(make([]Removed, 1)), twice(make([]uint8, len(p))), twice(make([]int32, 2*cells))
	b.both(cells, func(k int) loop { return NewThinCellLoop(box, r, &n[k][0], p, id, stays[k], lack[k]) })
	kerneltest.Same(b.t, "Thin", stays[0], stays[1], nil)
	kerneltest.Same(b.t, "Thin's lack", lack[0], lack[1], nil)
	kerneltest.Same(b.t, "Thin's deletions", n[0], n[1], nil)
	first, total := make([]int32, len(lack[0])), int32(0)
	for i, l := range lack[0] {
		first[i] = total
		total += l
	}
	filled, numbers := twice(make([]Particle[F], total)), twice(make([]int64, total))
	b.both(cells, func(k int) loop { return NewFillCellLoop(box, s, first, lack[0], filled[k], numbers[k]) })
	kerneltest.Same(b.t, "Fill", filled[0], filled[1], nil)
	kerneltest.Same(b.t, "Fill's numbers", numbers[0], numbers[1], nil)
	if n[0][0].Deleted == 0 || total == 0 {
		b.t.Errorf("%d particles deleted, %d lacking", n[0][0].Deleted, total)
	}
}
