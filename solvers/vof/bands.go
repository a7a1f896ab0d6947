package vof

import (
	"math/bits"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

const (
	// bandSteps is how many steps bands hold for: a sweep changes a cell only if it or one beside it along the axis is
	// mixed or of another kind, so that in a step what may change grows by one cell along each axis.
	bandSteps = 8
	// pieceCells are the cells of a row that are told apart from others: no fewer than bandSteps.
	pieceCells = 16
)

// bands are the cells of a block that sweeps may change, near an interface or cells of other ranks, in pieces of rows.
// Processors with the host's memory sweep these alone; in all others each field of a step holds the state.
type bands[F num.Float] struct {
	block    *grid.Block
	fields   []([]F) // by sweep, the state first
	sweep    int32   // kind of the first sweep
	roundOff F

	pieces, words int // of a row, and how many words hold a bit for each
	rows          int
	kinds         [2][]uint64 // pieces that are not empty, and not full
	wide, wider   [2][]uint64 // and those with such a piece beside them, along x, and along y
	active        []uint64    // pieces to sweep
	same          []uint64    // pieces in which all fields hold the same

	find, spread, choose rowLoop
	left                 int // steps until the bands must be found again
}

// bandBytes is how much memory bands take.
func bandBytes(b *grid.Block) int64 {
	const arrays, word = 8, 8
	return arrays * word * int64(b.N[1]*b.N[2]) * int64(pieceWords(b))
}

// pieceWords is how many words hold a bit for each piece of a row.
func pieceWords(b *grid.Block) int { return (b.N[0] + 64*pieceCells - 1) / (64 * pieceCells) }

func newBands[F num.Float](a *backend.Arrays, b *grid.Block, fields [][]F, sweep int32, roundOff F) (*bands[F],
	error) {
	d := &bands[F]{block: b, fields: fields, sweep: sweep, roundOff: roundOff, rows: b.N[1] * b.N[2],
		pieces: (b.N[0] + pieceCells - 1) / pieceCells, words: pieceWords(b)}
	for _, words := range []*[]uint64{&d.kinds[0], &d.kinds[1], &d.wide[0], &d.wide[1], &d.wider[0], &d.wider[1],
		&d.active, &d.same} {
		*words = backend.Fresh[uint64](a, d.rows*d.words, "bands")
	}
	if a.Err() != nil {
		return nil, a.Err()
	}
	grain := rowGrain(b.N[0])
	d.find, d.spread = rowLoop{d.findKinds, grain}, rowLoop{d.spreadAlongY, grain}
	d.choose = rowLoop{d.chooseActive, grain}
	d.forget()
	return d, nil
}

// rowLoop is a loop over rows.
type rowLoop struct {
	rows  func(lo, hi int)
	grain int
}

func (l *rowLoop) Range(lo, hi int) { l.rows(lo, hi) }
func (l *rowLoop) Grain() int       { return l.grain }

// rowGrain is how many rows of so many cells a thread takes at a time.
func rowGrain(cells int) int { return max(1, 4096/cells) }

// forget makes all pieces active: the fields hold anything.
func (d *bands[F]) forget() {
	d.left = 0
	clear(d.same)
	for w := range d.active {
		d.active[w] = d.valid(w % d.words)
	}
}

// valid has the bits of the pieces that word w of a row stands for.
func (d *bands[F]) valid(w int) uint64 {
	if more := d.pieces - 64*w; more < 64 {
		return 1<<more - 1
	}
	return ^uint64(0)
}

// begin finds the bands before a step, if that is due.
func (d *bands[F]) begin(dev backend.Device) {
	if d.left == 0 {
		for _, l := range []*rowLoop{&d.find, &d.spread, &d.choose} {
			dev.Run(l, 0, d.rows)
		}
		d.left = bandSteps
	}
	d.left--
}

// findKinds finds the kinds of active pieces, and of those beside them along x.
func (d *bands[F]) findKinds(lo, hi int) {
	nx, ny := d.block.N[0], d.block.N[1]
	for r := lo; r < hi; r++ {
		first, words := d.block.Index(0, r%ny, r/ny), r*d.words
		row := d.fields[0][first : first+nx]
		for w := range d.words {
			for left := d.active[words+w]; left != 0; left &= left - 1 {
				bit := left & -left
				p := 64*w + bits.TrailingZeros64(left)
				kind := kernels.KindOf(row[p*pieceCells:min((p+1)*pieceCells, nx)], d.sweep, d.roundOff)
				for side, has := range [2]int32{kernels.NotEmpty, kernels.NotFull} {
					d.kinds[side][words+w] &^= bit
					if kind&has != 0 {
						d.kinds[side][words+w] |= bit
					}
				}
			}
		}
		for side := range 2 {
			spreadBits(d.wide[side][words:words+d.words], d.kinds[side][words:words+d.words])
		}
	}
}

// spreadBits sets the bits that are set in from, and those beside them.
func spreadBits(to, from []uint64) {
	for w, v := range from {
		spread := v | v<<1 | v>>1
		if w > 0 {
			spread |= from[w-1] >> 63
		}
		if w+1 < len(from) {
			spread |= from[w+1] << 63
		}
		to[w] = spread
	}
}

// spreadAlongY widens the kinds of rows by those bandSteps away along y.
func (d *bands[F]) spreadAlongY(lo, hi int) {
	ny := d.block.N[1]
	for r := lo; r < hi; r++ {
		first := r - r%ny
		d.collect(&d.wider, &d.wide, r, max(first, r-bandSteps), min(first+ny, r+bandSteps+1), 1)
	}
}

// collect sets row r to all that rows from lo on, step apart, have below hi.
func (d *bands[F]) collect(to, from *[2][]uint64, r, lo, hi, step int) {
	for side := range 2 {
		for w := range d.words {
			all := uint64(0)
			for other := lo; other < hi; other += step {
				all |= from[side][other*d.words+w]
			}
			to[side][r*d.words+w] = all
		}
	}
}

// chooseActive chooses the active pieces, those with both kinds nearby. In others all fields get the state.
func (d *bands[F]) chooseActive(lo, hi int) {
	ny, nz := d.block.N[1], d.block.N[2]
	for r := lo; r < hi; r++ {
		j, k := r%ny, r/ny
		d.collect(&d.wide, &d.wider, r, max(0, k-bandSteps)*ny+j, min(nz, k+bandSteps+1)*ny, ny)
		for w := range d.words {
			at := r*d.words + w
			active := (d.wide[0][at]&d.wide[1][at] | d.besideOthers(j, k, w)) & d.valid(w)
			for left := d.valid(w) &^ (active | d.same[at]); left != 0; left &= left - 1 {
				d.copyPiece(j, k, 64*w+bits.TrailingZeros64(left))
			}
			d.active[at], d.same[at] = active, d.valid(w)&^active
		}
	}
}

// besideOthers has the bits of the pieces of a row, of word w, that cells of other ranks may change.
func (d *bands[F]) besideOthers(j, k, w int) (pieces uint64) {
	for axis, at := range [3]int{1: j, 2: k} {
		open := d.block.HasNeighbours(axis)
		if axis > 0 && (open[0] && at < bandSteps || open[1] && at >= d.block.N[axis]-bandSteps) {
			return ^uint64(0)
		}
	}
	open := d.block.HasNeighbours(0)
	if open[0] && w == 0 {
		pieces |= 1
	}
	if p := max(0, d.block.N[0]-bandSteps) / pieceCells; open[1] { // from this piece on
		switch {
		case p/64 == w:
			pieces |= ^uint64(0) << (p % 64)
		case p/64 < w:
			pieces = ^uint64(0)
		}
	}
	return pieces
}

// copyPiece copies the state of a piece to the other fields.
func (d *bands[F]) copyPiece(j, k, p int) {
	first := d.block.Index(p*pieceCells, j, k)
	end := first + min(pieceCells, d.block.N[0]-p*pieceCells)
	for _, f := range d.fields[1:] {
		copy(f[first:end], d.fields[0][first:end])
	}
}

// next returns the next active pieces of row r that lie side by side, from the given one on: from lo up to hi.
func (d *bands[F]) next(r, from int) (lo, hi int) {
	lo = d.nextBit(r, from, 0)
	return lo, d.nextBit(r, lo, ^uint64(0))
}

// nextBit returns the next piece of row r whose bit differs from those of flip.
func (d *bands[F]) nextBit(r, from int, flip uint64) int {
	for w := from / 64; w < d.words; w++ {
		v := (d.active[r*d.words+w] ^ flip) & d.valid(w)
		if w == from/64 {
			v = v >> (from % 64) << (from % 64)
		}
		if v != 0 {
			return 64*w + bits.TrailingZeros64(v)
		}
	}
	return d.pieces
}

// ranger is a loop that takes many ranges at a time.
type ranger interface {
	backend.Loop
	Ranges(all []abi.Range)
}

// bandLoop runs a loop over a box, for the cells of bands alone. Its indices are rows of the box. Ghosts in the box
// belong to the band.
type bandLoop[F num.Float] struct {
	loop  ranger
	box   abi.Box
	bands *bands[F]
}

// over is a loop over the cells of a box that are in the bands, or over all if there are no bands.
func (d *bands[F]) over(l ranger, box abi.Box) kernelOver {
	if d == nil || box.Size() == 0 {
		return kernelOver{l, box.Size()}
	}
	return kernelOver{&bandLoop[F]{l, box, d}, (box.Hi[1] - box.Lo[1]) * (box.Hi[2] - box.Lo[2])}
}

func (l *bandLoop[F]) Grain() int { return rowGrain(l.box.Hi[0] - l.box.Lo[0]) }

// rangeBuffers are for the ranges that go to a loop at a time.
var rangeBuffers = sync.Pool{New: func() any { return new([64]abi.Range) }}

func (l *bandLoop[F]) Range(lo, hi int) {
	buffer := rangeBuffers.Get().(*[64]abi.Range)
	defer rangeBuffers.Put(buffer)
	all := buffer[:0]
	add := func(from, to int) {
		if len(all) == len(buffer) {
			l.loop.Ranges(all)
			all = buffer[:0]
		}
		all = append(all, abi.Range{Lo: from, Hi: to})
	}
	b, d := &l.box, l.bands
	nx, ny, n := b.Hi[0]-b.Lo[0], b.Hi[1]-b.Lo[1], d.block.N
	for row := lo; row < hi; row++ {
		first, j, k := row*nx, b.Lo[1]+row%ny, b.Lo[2]+row/ny
		if j < 0 || j >= n[1] || k < 0 || k >= n[2] {
			add(first, first+nx)
			continue
		}
		for p, end := d.next(j+k*n[1], 0); p < d.pieces; p, end = d.next(j+k*n[1], end) {
			from, to := max(p*pieceCells, b.Lo[0]), min(end*pieceCells, b.Hi[0])
			if p == 0 {
				from = b.Lo[0]
			}
			if end == d.pieces {
				to = b.Hi[0]
			}
			if from < to {
				add(first+from-b.Lo[0], first+to-b.Lo[0])
			}
		}
	}
	l.loop.Ranges(all)
}
