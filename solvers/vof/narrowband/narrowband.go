// Package narrowband restricts the sweeps of volume of fluid to the cells that they may change.
package narrowband

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

const (
	// steps is the number of steps for which a narrow band is valid. A sweep changes a cell only if it is mixed,
	// or if it and a neighbour along the axis are of different kinds (empty, full). So in a step the cells that may
	// change grow by one along each axis.
	steps = 8
	// pieceCells is the number of adjacent cells of a row that are in the band together: at least steps.
	pieceCells = 8
)

// Reach is how many cells the band extends from cells of other ranks.
const Reach = steps

// Band is the part of a block that sweeps may change in the next steps steps, near an interface or
// cells of other ranks. It consists of pieces of rows along x, of pieceCells cells each, and there is a bit for each
// piece. Devices in the host's memory sweep only active pieces, those in the band; in all others the fields of a step
// hold the same values.
type Band[F num.Float] struct {
	block    *grid.Block
	fields   [][]F // of a step, the state first
	roundOff F

	pieces int // of a row
	words  int // of a row: each has the bits of 64 pieces
	rows   int

	kinds        [2][]uint64 // pieces that are not empty, and pieces that are not full
	spreadX      [2][]uint64 // the same, and the pieces beside them along x; at the end, along all axes
	spreadXY     [2][]uint64 // the same, and the pieces near them along y
	active       []uint64    // pieces in the band
	synchronised []uint64    // pieces in which all fields hold the same values
	walls        *walls[F]

	findLoop, spreadLoop, chooseLoop rowLoop
	stepsLeft                        int // steps until the band must be determined again
}

// Arrays is the number of arrays with a bit for each piece.
const Arrays = 8

// Words returns the number of words with a bit for each piece of a block.
func Words(b *grid.Block) int { return b.N[1] * b.N[2] * pieceWords(b) }

// pieceWords returns the number of words with a bit for each piece of a row.
func pieceWords(b *grid.Block) int { return (b.N[0] + 64*pieceCells - 1) / (64 * pieceCells) }

// New makes the narrow band of a block, with all pieces active. fields are the arrays of a step, the state first;
// arrays have Words words each. cells are those at walls, of which the ghosts beyond the walls get the values.
func New[F num.Float](b *grid.Block, fields [][]F, arrays [Arrays]*engine.Array[uint64], cells, ghosts []int32,
	roundOff F) *Band[F] {
	d := &Band[F]{block: b, fields: fields, roundOff: roundOff, rows: b.N[1] * b.N[2],
		pieces: (b.N[0] + pieceCells - 1) / pieceCells, words: pieceWords(b)}
	for k, words := range [Arrays]*[]uint64{&d.kinds[0], &d.kinds[1], &d.spreadX[0], &d.spreadX[1], &d.spreadXY[0],
		&d.spreadXY[1], &d.active, &d.synchronised} {
		*words = arrays[k].Data
	}
	d.walls = newWalls(d, cells, ghosts)
	grain := RowGrain(b.N[0])
	d.findLoop, d.spreadLoop = rowLoop{d.findKinds, grain}, rowLoop{d.spreadAlongY, grain}
	d.chooseLoop = rowLoop{d.chooseActive, grain}
	d.ActivateAll()
	return d
}

// rowLoop is a loop over rows of cells.
type rowLoop struct {
	rows  func(lo, hi int)
	grain int
}

func (l *rowLoop) Range(lo, hi int) { l.rows(lo, hi) }
func (l *rowLoop) Grain() int       { return l.grain }

// RowGrain returns the number of rows that a thread takes at a time, for the number of cells of a row.
func RowGrain(cells int) int { return max(1, 4096/cells) }

// ActivateAll makes all pieces active, since the fields may hold any values.
func (d *Band[F]) ActivateAll() {
	d.stepsLeft = 0
	clear(d.synchronised)
	for w := range d.active {
		d.active[w] = d.validBits(w % d.words)
	}
}

// validBits returns the bits of word w of a row that stand for a piece: all but in the last word.
func (d *Band[F]) validBits(w int) uint64 {
	if remaining := d.pieces - 64*w; remaining < 64 {
		return 1<<remaining - 1
	}
	return ^uint64(0)
}

// BeginStep determines the band before a step, if it is no longer valid.
func (d *Band[F]) BeginStep(dev backend.Device) {
	if d.stepsLeft == 0 {
		for _, l := range []*rowLoop{&d.findLoop, &d.spreadLoop, &d.chooseLoop} {
			dev.Run(l, 0, d.rows)
		}
		d.walls.synchronise(dev, d)
		d.stepsLeft = steps
	}
	d.stepsLeft--
}

// pieceOf returns the number of the bit, in the words of a narrow band, of the piece with the cell at index c of the
// fields, or otherRank if the cell is a ghost.
func (d *Band[F]) pieceOf(c int) int {
	i, j, k := d.block.Cell(c)
	if n := d.block.N; i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2] {
		return otherRank
	}
	return (j+k*d.block.N[1])*d.words*64 + i/pieceCells
}

// findKinds finds the kinds of active pieces in rows lo to hi-1, and spreads them along x.
func (d *Band[F]) findKinds(lo, hi int) {
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

// spreadAlongY adds to the kinds of rows lo to hi-1 those of rows up to steps away along y.
func (d *Band[F]) spreadAlongY(lo, hi int) {
	ny := d.block.N[1]
	for r := lo; r < hi; r++ {
		first := r - r%ny
		d.collect(&d.spreadXY, &d.spreadX, r, max(first, r-steps), min(first+ny, r+steps+1), 1)
	}
}

// collect stores in row r of the array to the union of the bits of rows lo, lo+step and so on below hi of the array
// from.
func (d *Band[F]) collect(to, from *[2][]uint64, r, lo, hi, step int) {
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
func (d *Band[F]) chooseActive(lo, hi int) {
	ny, nz := d.block.N[1], d.block.N[2]
	for r := lo; r < hi; r++ {
		j, k := r%ny, r/ny
		d.collect(&d.spreadX, &d.spreadXY, r, max(0, k-steps)*ny+j, min(nz, k+steps+1)*ny, ny)
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

// nearNeighbours returns the pieces, in word w of row (j, k), that cells of other ranks may change in steps
// steps.
func (d *Band[F]) nearNeighbours(j, k, w int) (pieces uint64) {
	for axis, position := range [3]int{1: j, 2: k} {
		open := d.block.HasNeighbours(axis)
		if axis > 0 && (open[0] && position < steps || open[1] && position >= d.block.N[axis]-steps) {
			return ^uint64(0)
		}
	}
	open := d.block.HasNeighbours(0)
	if open[0] && w == 0 {
		pieces |= 1
	}
	if p := max(0, d.block.N[0]-steps) / pieceCells; open[1] { // from this piece on
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
func (d *Band[F]) copyPiece(j, k, p int) {
	first := d.block.Index(p*pieceCells, j, k)
	end := first + min(pieceCells, d.block.N[0]-p*pieceCells)
	for _, f := range d.fields[1:] {
		copy(f[first:end], d.fields[0][first:end])
	}
}

// nextActive returns the next contiguous active pieces of row r, lo to hi-1, at or after piece from.
func (d *Band[F]) nextActive(r, from int) (lo, hi int) {
	lo = d.nextBit(r, from, 0)
	return lo, d.nextBit(r, lo, ^uint64(0))
}

// nextBit returns the next piece of row r, at or after from, that is active; with all bits of flip set, the next that
// is not. It returns the number of pieces if there is none.
func (d *Band[F]) nextBit(r, from int, flip uint64) int {
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

// RangesLoop is a loop that takes many ranges at a time.
type RangesLoop interface {
	backend.Loop
	Ranges(all []abi.Range)
}

// bandLoop runs a loop over the cells of a box that are in the narrow band, to which ghosts in the box belong
// too. Its indices are rows of the box.
type bandLoop[F num.Float] struct {
	loop RangesLoop
	box  abi.Box
	band *Band[F]
}

// Restrict restricts a loop over a box to the cells that are in the band. Without a band it returns the whole loop.
func (d *Band[F]) Restrict(l RangesLoop, box abi.Box) engine.Task {
	if d == nil || box.Size() == 0 {
		return engine.Over(l, box)
	}
	return engine.Whole(&bandLoop[F]{l, box, d}, (box.Hi[1]-box.Lo[1])*(box.Hi[2]-box.Lo[2]))
}

func (l *bandLoop[F]) Grain() int { return RowGrain(l.box.Hi[0] - l.box.Lo[0]) }

// rangeBuffers are buffers for the ranges that a loop takes at a time.
var rangeBuffers = sync.Pool{New: func() any { return new([64]abi.Range) }}

func (l *bandLoop[F]) Range(lo, hi int) {
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

// EachActive returns a loop over the rows of the block that passes the active cells of a row to f: the index of the
// first of adjacent cells, and their number.
func (d *Band[F]) EachActive(f func(first, n int)) *rowLoop {
	nx, ny := d.block.N[0], d.block.N[1]
	return &rowLoop{func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for p, end := d.nextActive(r, 0); p < d.pieces; p, end = d.nextActive(r, end) {
				f(d.block.Index(p*pieceCells, r%ny, r/ny), min(end*pieceCells, nx)-p*pieceCells)
			}
		}
	}, RowGrain(nx)}
}

// Walls fills the ghosts beyond walls near the band in field n.
func (d *Band[F]) Walls(n int) engine.Task { return d.walls.task(n) }

// Idle returns the number of pieces that are not in the band, and an error if a piece is neither in it nor known to be
// equal in all fields, or is not equal. It is for tests.
func (d *Band[F]) Idle() (n int, err error) {
	for r := range d.rows {
		for w := range d.words {
			if d.synchronised[r*d.words+w]|d.active[r*d.words+w] != d.validBits(w) {
				return n, fmt.Errorf("row %d: pieces that are neither active nor synchronised", r)
			}
			for idle := d.synchronised[r*d.words+w]; idle != 0; idle &= idle - 1 {
				p := 64*w + bits.TrailingZeros64(idle)
				first := d.block.Index(p*pieceCells, r%d.block.N[1], r/d.block.N[1])
				end := first + min(pieceCells, d.block.N[0]-p*pieceCells)
				for _, f := range d.fields[1:] {
					if !slices.Equal(f[first:end], d.fields[0][first:end]) {
						return n, fmt.Errorf("row %d, piece %d: %v, and %v in another field", r, p, d.fields[0][first:end], f[first:end])
					}
				}
				n++
			}
		}
	}
	return n, nil
}
