package vof

import (
	"math/bits"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

const (
	// narrowBandSteps is the number of steps for which a narrow band is valid. A sweep changes a cell only if it is mixed,
	// or if it and a neighbour along the axis are of different kinds (empty, full). So in a step the cells that may
	// change grow by one along each axis.
	narrowBandSteps = 8
	// pieceCells is the number of adjacent cells of a row that are in the band together: at least narrowBandSteps.
	pieceCells = 8
)

// narrowBand is the part of a block that sweeps may change in the next narrowBandSteps steps, near an interface or
// cells of other ranks. It consists of pieces of rows along x, of pieceCells cells each, and there is a bit for each
// piece. Devices in the host's memory sweep only active pieces, those in the band; in all others the fields of a step
// hold the same values.
type narrowBand[F num.Float] struct {
	block    *grid.Block
	fields   [][]F // those of arrays, the state first
	roundOff F

	pieces int // of a row
	words  int // of a row: each has the bits of 64 pieces
	rows   int

	kinds        [2][]uint64 // pieces that are not empty, and pieces that are not full
	spreadX      [2][]uint64 // the same, and the pieces beside them along x; at the end, along all axes
	spreadXY     [2][]uint64 // the same, and the pieces near them along y
	active       []uint64    // pieces in the band
	synchronised []uint64    // pieces in which all fields hold the same values
	walls        *bandWalls[F]

	findLoop, spreadLoop, chooseLoop rowLoop
	stepsLeft                        int // steps until the band must be determined again
}

// bandArrays is the number of arrays with a bit for each piece.
const bandArrays = 8

// pieceWords returns the number of words with a bit for each piece of a row.
func pieceWords(b *grid.Block) int { return (b.N[0] + 64*pieceCells - 1) / (64 * pieceCells) }

// newNarrowBand makes the narrow band of a block, with all pieces active.
func newNarrowBand[F num.Float](a *arrays[F], b *grid.Block, roundOff F) *narrowBand[F] {
	d := &narrowBand[F]{block: b, roundOff: roundOff, rows: b.N[1] * b.N[2],
		pieces: (b.N[0] + pieceCells - 1) / pieceCells, words: pieceWords(b)}
	for _, f := range a.fields {
		d.fields = append(d.fields, f.Data)
	}
	for k, words := range [bandArrays]*[]uint64{&d.kinds[0], &d.kinds[1], &d.spreadX[0], &d.spreadX[1], &d.spreadXY[0],
		&d.spreadXY[1], &d.active, &d.synchronised} {
		*words = a.bandWords[k].Data
	}
	d.walls = newBandWalls(d, a.wallCells.Data, a.wallGhosts.Data)
	grain := rowGrain(b.N[0])
	d.findLoop, d.spreadLoop = rowLoop{d.findKinds, grain}, rowLoop{d.spreadAlongY, grain}
	d.chooseLoop = rowLoop{d.chooseActive, grain}
	d.activateAll()
	return d
}

// rowLoop is a loop over rows of cells.
type rowLoop struct {
	rows  func(lo, hi int)
	grain int
}

func (l *rowLoop) Range(lo, hi int) { l.rows(lo, hi) }
func (l *rowLoop) Grain() int       { return l.grain }

// rowGrain returns the number of rows that a thread takes at a time, for the number of cells of a row.
func rowGrain(cells int) int { return max(1, 4096/cells) }

// activateAll makes all pieces active, since the fields may hold any values.
func (d *narrowBand[F]) activateAll() {
	d.stepsLeft = 0
	clear(d.synchronised)
	for w := range d.active {
		d.active[w] = d.validBits(w % d.words)
	}
}

// validBits returns the bits of word w of a row that stand for a piece: all but in the last word.
func (d *narrowBand[F]) validBits(w int) uint64 {
	if remaining := d.pieces - 64*w; remaining < 64 {
		return 1<<remaining - 1
	}
	return ^uint64(0)
}

// beginStep determines the band before a step, if it is no longer valid.
func (d *narrowBand[F]) beginStep(dev backend.Device) {
	if d.stepsLeft == 0 {
		for _, l := range []*rowLoop{&d.findLoop, &d.spreadLoop, &d.chooseLoop} {
			dev.Run(l, 0, d.rows)
		}
		d.walls.synchronise(dev, d)
		d.stepsLeft = narrowBandSteps
	}
	d.stepsLeft--
}

// pieceOf returns the number of the bit, in the words of a narrow band, of the piece with the cell at index c of the
// fields, or otherRank if the cell is a ghost.
func (d *narrowBand[F]) pieceOf(c int) int {
	i, j, k := d.block.Cell(c)
	if n := d.block.N; i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2] {
		return otherRank
	}
	return (j+k*d.block.N[1])*d.words*64 + i/pieceCells
}

// findKinds finds the kinds of active pieces in rows lo to hi-1, and spreads them along x.
func (d *narrowBand[F]) findKinds(lo, hi int) {
	nx, ny := d.block.N[0], d.block.N[1]
	for r := lo; r < hi; r++ {
		first, words := d.block.Index(0, r%ny, r/ny), r*d.words
		row := d.fields[0][first : first+nx]
		for w := range d.words {
			for remaining := d.active[words+w]; remaining != 0; remaining &= remaining - 1 {
				bit := remaining & -remaining
				p := 64*w + bits.TrailingZeros64(remaining)
				kind := kernels.KindOf(row[p*pieceCells:min((p+1)*pieceCells, nx)], d.roundOff)
				for side, has := range [2]int32{kernels.NotEmpty, kernels.NotFull} {
					d.kinds[side][words+w] &^= bit
					if kind&has != 0 {
						d.kinds[side][words+w] |= bit
					}
				}
			}
		}
		for side := range 2 {
			spreadBits(d.spreadX[side][words:words+d.words], d.kinds[side][words:words+d.words])
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

// spreadAlongY adds to the kinds of rows lo to hi-1 those of rows up to narrowBandSteps away along y.
func (d *narrowBand[F]) spreadAlongY(lo, hi int) {
	ny := d.block.N[1]
	for r := lo; r < hi; r++ {
		first := r - r%ny
		d.collect(&d.spreadXY, &d.spreadX, r, max(first, r-narrowBandSteps), min(first+ny, r+narrowBandSteps+1), 1)
	}
}

// collect stores in row r of the array to the union of the bits of rows lo, lo+step and so on below hi of the array
// from.
func (d *narrowBand[F]) collect(to, from *[2][]uint64, r, lo, hi, step int) {
	for side := range 2 {
		for w := range d.words {
			union := uint64(0)
			for other := lo; other < hi; other += step {
				union |= from[side][other*d.words+w]
			}
			to[side][r*d.words+w] = union
		}
	}
}

// chooseActive spreads the kinds of rows lo to hi-1 along z, and makes the pieces active that have both cells that are
// not empty and cells that are not full nearby. In other pieces it copies the state to all fields.
func (d *narrowBand[F]) chooseActive(lo, hi int) {
	ny, nz := d.block.N[1], d.block.N[2]
	for r := lo; r < hi; r++ {
		j, k := r%ny, r/ny
		d.collect(&d.spreadX, &d.spreadXY, r, max(0, k-narrowBandSteps)*ny+j, min(nz, k+narrowBandSteps+1)*ny, ny)
		for w := range d.words {
			word := r*d.words + w
			active := (d.spreadX[0][word]&d.spreadX[1][word] | d.nearNeighbours(j, k, w)) & d.validBits(w)
			for idle := d.validBits(w) &^ (active | d.synchronised[word]); idle != 0; idle &= idle - 1 {
				d.copyPiece(j, k, 64*w+bits.TrailingZeros64(idle))
			}
			d.active[word], d.synchronised[word] = active, d.validBits(w)&^active
		}
	}
}

// nearNeighbours returns the pieces, in word w of row (j, k), that cells of other ranks may change in narrowBandSteps
// steps.
func (d *narrowBand[F]) nearNeighbours(j, k, w int) (pieces uint64) {
	for axis, position := range [3]int{1: j, 2: k} {
		open := d.block.HasNeighbours(axis)
		if axis > 0 && (open[0] && position < narrowBandSteps || open[1] && position >= d.block.N[axis]-narrowBandSteps) {
			return ^uint64(0)
		}
	}
	open := d.block.HasNeighbours(0)
	if open[0] && w == 0 {
		pieces |= 1
	}
	if p := max(0, d.block.N[0]-narrowBandSteps) / pieceCells; open[1] { // from this piece on
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
func (d *narrowBand[F]) copyPiece(j, k, p int) {
	first := d.block.Index(p*pieceCells, j, k)
	end := first + min(pieceCells, d.block.N[0]-p*pieceCells)
	for _, f := range d.fields[1:] {
		copy(f[first:end], d.fields[0][first:end])
	}
}

// nextActive returns the next contiguous active pieces of row r, lo to hi-1, at or after piece from.
func (d *narrowBand[F]) nextActive(r, from int) (lo, hi int) {
	lo = d.nextBit(r, from, 0)
	return lo, d.nextBit(r, lo, ^uint64(0))
}

// nextBit returns the next piece of row r, at or after from, that is active; with all bits of flip set, the next that
// is not. It returns the number of pieces if there is none.
func (d *narrowBand[F]) nextBit(r, from int, flip uint64) int {
	for w := from / 64; w < d.words; w++ {
		v := (d.active[r*d.words+w] ^ flip) & d.validBits(w)
		if w == from/64 {
			v = v >> (from % 64) << (from % 64)
		}
		if v != 0 {
			return 64*w + bits.TrailingZeros64(v)
		}
	}
	return d.pieces
}

// rangesLoop is a loop that takes many ranges at a time.
type rangesLoop interface {
	backend.Loop
	Ranges(all []abi.Range)
}

// narrowBandLoop runs a loop over the cells of a box that are in the narrow band, to which ghosts in the box belong
// too. Its indices are rows of the box.
type narrowBandLoop[F num.Float] struct {
	loop rangesLoop
	box  abi.Box
	band *narrowBand[F]
}

// restrict restricts a loop over a box to the cells that are in the band. Without a band it returns the whole loop.
func (d *narrowBand[F]) restrict(l rangesLoop, box abi.Box) engine.Task {
	if d == nil || box.Size() == 0 {
		return engine.Over(l, box)
	}
	return engine.Whole(&narrowBandLoop[F]{l, box, d}, (box.Hi[1]-box.Lo[1])*(box.Hi[2]-box.Lo[2]))
}

func (l *narrowBandLoop[F]) Grain() int { return rowGrain(l.box.Hi[0] - l.box.Lo[0]) }

// rangeBuffers are buffers for the ranges that a loop takes at a time.
var rangeBuffers = sync.Pool{New: func() any { return new([64]abi.Range) }}

func (l *narrowBandLoop[F]) Range(lo, hi int) {
	buffer := rangeBuffers.Get().(*[64]abi.Range)
	defer rangeBuffers.Put(buffer)
	ranges := buffer[:0]
	add := func(from, to int) {
		if len(ranges) == len(buffer) {
			l.loop.Ranges(ranges)
			ranges = buffer[:0]
		}
		ranges = append(ranges, abi.Range{Lo: from, Hi: to})
	}
	b, d := &l.box, l.band
	nx, ny, n := b.Hi[0]-b.Lo[0], b.Hi[1]-b.Lo[1], d.block.N
	for row := lo; row < hi; row++ {
		first, j, k := row*nx, b.Lo[1]+row%ny, b.Lo[2]+row/ny
		if j < 0 || j >= n[1] || k < 0 || k >= n[2] {
			add(first, first+nx)
			continue
		}
		for p, end := d.nextActive(j+k*n[1], 0); p < d.pieces; p, end = d.nextActive(j+k*n[1], end) {
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
	l.loop.Ranges(ranges)
}

// eachActive returns a loop over the rows of the block that passes the active cells of a row to f: the index of the
// first of adjacent cells, and their number.
func (d *narrowBand[F]) eachActive(f func(first, n int)) *rowLoop {
	nx, ny := d.block.N[0], d.block.N[1]
	return &rowLoop{func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for p, end := d.nextActive(r, 0); p < d.pieces; p, end = d.nextActive(r, end) {
				f(d.block.Index(p*pieceCells, r%ny, r/ny), min(end*pieceCells, nx)-p*pieceCells)
			}
		}
	}, rowGrain(nx)}
}
