package levels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// TestParity compares the kernels with their translation to CUDA C, compiled for the CPU, and the vector code, bit by
// bit.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		for _, n := range [][3]int{{9, 6, 1}, {7, 5, 4}} {
			parity[float64](t, r, n)
			parity[float32](t, r, n)
		}
	})
}

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// data are the arrays that kernels may write.
type data[F num.Float] struct {
	arrays   [10][]F
	coarse   [2][]F
	given    [13][]F // links of the fine level
	links    [13][]F // of the coarse one
	factor   []F
	words    []int64
	done     []int32
	scale    Scale
	it       Iteration
	a, b     atomics.Most[F]
	from, to []int32
}

func newData[F num.Float](rng *rand.Rand, fine, coarse int) *data[F] {
	d := &data[F]{factor: make([]F, BottomCells*BottomCells), words: []int64{5 << 30, -7}, done: []int32{0},
		scale: Scale{0.25, 4}, it: Iteration{Product: .3, Alpha: .7, Beta: .2, Mean: .01, Tolerance: 1e-3, Count: 3}}
	for k := range d.arrays {
		d.arrays[k] = make([]F, fine)
		for i := range d.arrays[k] {
			d.arrays[k][i] = F(rng.Float64())
			if k > 3 {
				d.arrays[k][i] -= .5
			}
			if rng.IntN(9) == 0 {
				d.arrays[k][i] = 0
			}
		}
	}
	for k := range d.coarse {
		d.coarse[k] = make([]F, coarse)
		for i := range d.coarse[k] {
			d.coarse[k][i] = F(rng.Float64())
		}
	}
	for k := range d.given {
		d.given[k] = make([]F, fine)
		for i := range d.given[k] {
			d.given[k][i] = F(rng.Float64() - .2)
		}
	}
	for k := range d.links {
		d.links[k] = make([]F, coarse)
	}
	for i := range int32(fine / 3) {
		d.from, d.to = append(d.from, i), append(d.to, int32(fine)-1-i)
	}
	d.a.Take(.9)
	d.b.Take(1e-2)
	return d
}

func (d *data[F]) all() []F {
	all := append([]F{d.a.Value(), d.b.Value()}, d.factor...)
	for _, a := range d.arrays {
		all = append(all, a...)
	}
	for _, a := range d.links {
		all = append(all, a...)
	}
	return append(append(all, d.coarse[0]...), d.coarse[1]...)
}

func latticeFor(n [3]int, ghost int) (l Lattice, length int) {
	x, y, z := n[0]+2*ghost, n[1]+2*ghost, 1
	l.First = int32(ghost * (1 + x))
	if n[2] > 1 {
		z = n[2] + 2*ghost
		l.First += int32(ghost * x * y)
	}
	l.SY, l.SZ = int32(x), int32(x*y)
	return l, x * y * z
}

func parity[F num.Float](t *testing.T, r cudatest.Runner, n [3]int) {
	fine, length := latticeFor(n, 3)
	half := n
	tr := Transfer{Fine: fine, Periodic: [3]bool{true, false, false}}
	for d := range 3 {
		tr.Cells[d] = int32(n[d])
		if n[d] > 1 {
			tr.Halved[d], half[d] = true, (n[d]+1)/2
		}
	}
	coarse, coarseLength := latticeFor(half, 3)
	tr.Coarse = coarse
	box, small := abi.Box{Hi: n}, abi.Box{Hi: half}
	level := func(d *data[F]) *Level[F] {
		return &Level[F]{Lattice: fine, Space: n[2] > 1, AX: d.arrays[0], AY: d.arrays[1], AZ: d.arrays[2],
			Inverse: d.arrays[3]}
	}
	w := func(d *data[F]) *Weights[F] { return &Weights[F]{d.arrays[0], d.arrays[1], d.arrays[2]} }
	bottom := func(d *data[F]) *Bottom[F] {
		return &Bottom[F]{Lattice: fine, Cells: [3]int32{4, 2, int32(min(2, n[2]))}, Periodic: [3]bool{true, false, true},
			Singular: n[2] == 1, Space: n[2] > 1, A: *w(d), Factor: d.factor}
	}
	links := func(d *data[F]) *Links[F] {
		q := d.given
		return &Links[F]{q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7], q[8], q[9], q[10], q[11], q[12]}
	}
	blocks := &Blocks{Part: coarse, Whole: fine, Lo: [3]int32{1, 1, 0}}
	a := func(d *data[F], k int) []F { return d.arrays[k] }
	loops := map[string]struct {
		count int
		make  func(d *data[F]) loop
	}{
		"invert": {box.Size(), func(d *data[F]) loop { return NewInvertLoop(box, level(d)) }},
		"start": {box.Size(), func(d *data[F]) loop {
			return NewStartLoop(box, level(d), .7, a(d, 4), a(d, 5), a(d, 6))
		}},
		"smooth": {box.Size(), func(d *data[F]) loop {
			return NewSmoothLoop(box, level(d), .2, .7, a(d, 4), a(d, 5), a(d, 6), a(d, 7))
		}},
		"residual": {box.Size(), func(d *data[F]) loop {
			return NewResidualLoop(box, level(d), a(d, 4), a(d, 5), a(d, 6), &d.a)
		}},
		"apply": {box.Size(), func(d *data[F]) loop { return NewApplyLoop(box, level(d), a(d, 4), a(d, 5), &d.b) }},
		"wrap":  {length / 3, func(d *data[F]) loop { return NewWrapLoop(d.from, d.to, a(d, 5)) }},
		"zero":  {length, func(d *data[F]) loop { return NewZeroLoop(a(d, 5)) }},
		"assemble": {small.Size(), func(d *data[F]) loop {
			return NewAssembleLoop(small, blocks, d.coarse[0], a(d, 5))
		}},
		"disassemble": {small.Size(), func(d *data[F]) loop {
			return NewDisassembleLoop(small, blocks, a(d, 5), d.coarse[0])
		}},
		"restrict": {small.Size(), func(d *data[F]) loop {
			return NewRestrictLoop(small, &tr, w(d), a(d, 5), d.coarse[0])
		}},
		"prolong": {box.Size(), func(d *data[F]) loop {
			return NewProlongLoop(box, &tr, w(d), d.coarse[0], a(d, 5), a(d, 5))
		}},
		"factorise": {1, func(d *data[F]) loop { return NewFactoriseLoop(bottom(d)) }},
		"factorise between walls": {1, func(d *data[F]) loop {
			b := bottom(d)
			b.Least = .3
			return NewFactoriseLoop(b)
		}},
		"solve between walls": {1, func(d *data[F]) loop {
			b := bottom(d)
			b.Least = .3
			b.Factor[9*(4*2*int(b.Cells[2])+1)] = 0
			return NewSolveBottomLoop(b, a(d, 4), a(d, 5))
		}},
		"solve":   {1, func(d *data[F]) loop { return NewSolveBottomLoop(bottom(d), a(d, 4), a(d, 5)) }},
		"prepare": {1, func(d *data[F]) loop { return NewPrepareLoop(&d.a, &d.scale, d.words) }},
		"prepare products": {1, func(d *data[F]) loop {
			return NewPrepareProductsLoop(&d.it, &d.a, &d.scale, d.words)
		}},
		"products": {Chunks(length), func(d *data[F]) loop {
			return NewAddProductsLoop(false, &d.scale, a(d, 4), a(d, 5), d.words)
		}},
		"sum": {Chunks(length), func(d *data[F]) loop {
			return NewAddProductsLoop(true, &d.scale, a(d, 4), a(d, 4), d.words)
		}},
		"block": {SumBlocks(length), func(d *data[F]) loop {
			return NewAddBlockLoop(false, &d.scale, a(d, 4), a(d, 5), d.words)
		}},
		"block of a sum": {SumBlocks(length), func(d *data[F]) loop {
			return NewAddBlockLoop(true, &d.scale, a(d, 4), a(d, 4), d.words)
		}},
		"max product": {length, func(d *data[F]) loop { return NewMaxProductLoop(a(d, 4), a(d, 5), &d.a) }},
		"mean":        {1, func(d *data[F]) loop { return NewSetMeanLoop(7, &d.scale, d.words, &d.it) }},
		"subtract":    {box.Size(), func(d *data[F]) loop { return NewSubtractLoop(box, &fine, &d.it, a(d, 4), &d.a) }},
		"begin":       {1, func(d *data[F]) loop { return NewBeginLoop(&d.b, &d.it, d.done) }},
		"turn":        {1, func(d *data[F]) loop { return NewTurnLoop(&d.scale, d.words, &d.it, d.done) }},
		"direct":      {box.Size(), func(d *data[F]) loop { return NewDirectLoop(box, &fine, &d.it, a(d, 4), a(d, 5)) }},
		"measure":     {1, func(d *data[F]) loop { return NewMeasureLoop(&d.scale, d.words, &d.it, d.done) }},
		"step": {box.Size(), func(d *data[F]) loop {
			return NewStepLoop(box, &fine, &d.it, a(d, 4), a(d, 5), a(d, 6), a(d, 7), &d.a)
		}},
		"invert wide": {box.Size(), func(d *data[F]) loop { return NewInvertWideLoop(box, &fine, links(d), a(d, 5)) }},
		"smooth wide": {box.Size(), func(d *data[F]) loop {
			return NewSmoothWideLoop(box, &fine, links(d), .2, .7, a(d, 0), a(d, 4), a(d, 5), a(d, 6), a(d, 7))
		}},
		"residual wide": {box.Size(), func(d *data[F]) loop {
			return NewResidualWideLoop(box, &fine, links(d), a(d, 4), a(d, 5), a(d, 6))
		}},
		"factorise wide": {1, func(d *data[F]) loop {
			b := bottom(d)
			b.Cells, b.Wide, b.Links = [3]int32{4, 3, 1}, n[2] == 1, *links(d)
			return NewFactoriseLoop(b)
		}},
		"judge": {1, func(d *data[F]) loop { return NewJudgeLoop(9, &d.b, &d.it, d.done) }},
	}
	for axis := range int32(3) {
		if n[axis] == 1 {
			continue
		}
		faces := small
		if !tr.Periodic[axis] {
			faces.Hi[axis]++
		}
		loops[fmt.Sprint("coarsen ", axis)] = struct {
			count int
			make  func(d *data[F]) loop
		}{faces.Size(), func(d *data[F]) loop { return NewCoarsenFacesLoop(faces, axis, &tr, a(d, 0), d.coarse[0]) }}
		loops[fmt.Sprint("weigh ", axis)] = struct {
			count int
			make  func(d *data[F]) loop
		}{box.Size(), func(d *data[F]) loop { return NewWeighLoop(box, axis, &tr, a(d, 0), a(d, 5)) }}
	}
	if n[2] == 1 {
		for _, wide := range []bool{false, true} {
			loops[fmt.Sprint("multiply ", wide)] = struct {
				count int
				make  func(d *data[F]) loop
			}{small.Size(), func(d *data[F]) loop {
				q := d.arrays
				return NewMultiplyLoop(small, &Product[F]{Transfer: tr, Wide: wide, AX: q[0], AY: q[1], Links: *links(d), WX: q[2],
					WY: q[3]}, &Links[F]{d.links[0], d.links[1], d.links[2], d.links[3], d.links[4], d.links[5], d.links[6],
					d.links[7], d.links[8], d.links[9], d.links[10], d.links[11], d.links[12]})
			}}
		}
	}
	for name, c := range loops {
		one, other := newData[F](rand.New(rand.NewPCG(1, 2)), length, coarseLength), newData[F](rand.New(rand.NewPCG(1, 2)),
			length, coarseLength)
		c.make(one).Range(0, c.count)
		r.Run(t, c.make(other), 0, c.count)
		kerneltest.Same(t, name, one.all(), other.all(), nil)
		if one.it != other.it || one.scale != other.scale || one.words[0] != other.words[0] ||
			one.words[1] != other.words[1] || one.done[0] != other.done[0] {
			t.Errorf("%s: %+v and %+v", name, one.it, other.it)
		}
	}
}
