package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A square is read in runs, each by a thread that reads all its cells before it uses any, so that a GPU has enough
// loads in flight to reach memory bandwidth. The few active cells are listed in order and get a thread each.
const (
	run          = 8 // consecutive cells of a column that a thread reads at once
	squareRuns   = squareCells / run
	groupRuns    = 16 // runs whose active cells are counted together
	squareGroups = squareRuns / groupRuns
)

// runValues are the values of a run, from the lowest cell up.
type runValues[F num.Float] struct{ a, b, c, d, e, f, g, h F }

// runValuesOf reads a field in run k of the square at (x, y). Excluded cells are 0.
func runValuesOf[F num.Float](v []F, l *Lattice, p *Squares, k, x, y int32) runValues[F] {
	i, j := x+k%squareSide, y+k/squareSide*run
	c, sy := l.at(int(i), int(j), 0), int(l.SY)
	var o runValues[F]
	if p.has(i, j) {
		o.a = v[c]
	}
	if p.has(i, j+1) {
		o.b = v[c+sy]
	}
	if p.has(i, j+2) {
		o.c = v[c+2*sy]
	}
	if p.has(i, j+3) {
		o.d = v[c+3*sy]
	}
	if p.has(i, j+4) {
		o.e = v[c+4*sy]
	}
	if p.has(i, j+5) {
		o.f = v[c+5*sy]
	}
	if p.has(i, j+6) {
		o.g = v[c+6*sy]
	}
	if p.has(i, j+7) {
		o.h = v[c+7*sy]
	}
	return o
}

// mixed returns a bit for each mixed cell, the lowest for the lowest cell.
func (o *runValues[F]) mixed(roundOff F) int32 {
	return flag(mixed(o.a, roundOff)) | flag(mixed(o.b, roundOff))<<1 |
		flag(mixed(o.c, roundOff))<<2 | flag(mixed(o.d, roundOff))<<3 |
		flag(mixed(o.e, roundOff))<<4 | flag(mixed(o.f, roundOff))<<5 |
		flag(mixed(o.g, roundOff))<<6 | flag(mixed(o.h, roundOff))<<7
}

// nearlyFull returns a bit for each nearly full cell.
func (o *runValues[F]) nearlyFull() int32 {
	return flag(nearlyFull(o.a)) | flag(nearlyFull(o.b))<<1 | flag(nearlyFull(o.c))<<2 | flag(nearlyFull(o.d))<<3 |
		flag(nearlyFull(o.e))<<4 | flag(nearlyFull(o.f))<<5 | flag(nearlyFull(o.g))<<6 | flag(nearlyFull(o.h))<<7
}

// nonzero returns a bit for each value that is not zero.
func (o *runValues[F]) nonzero() int32 {
	return flag(o.a != 0) | flag(o.b != 0)<<1 | flag(o.c != 0)<<2 | flag(o.d != 0)<<3 |
		flag(o.e != 0)<<4 | flag(o.f != 0)<<5 | flag(o.g != 0)<<6 | flag(o.h != 0)<<7
}

// ones returns the number of set bits of eight.
func ones(bits int32) int32 {
	bits -= bits >> 1 & 0x55
	bits = bits&0x33 + bits>>2&0x33
	return (bits + bits>>4) & 15
}

// total returns the number of active cells of a square, by group.
func total(groups []int32) int32 {
	n := int32(0)
	for g := range int32(squareGroups) {
		n += groups[g]
	}
	return n
}

// runsToList returns the number of runs to process in order to list n cells.
func runsToList(n int32) int32 {
	if n == 0 {
		return 0
	}
	return squareRuns
}

// listRun appends the active cells of run k to those of the previous runs. groups are the counts of active cells
// in each groupRuns runs.
func listRun(list, bits, groups []int32, k int32) {
	if bits[k] == 0 {
		return
	}
	at := int32(0)
	for g := range k / groupRuns {
		at += groups[g]
	}
	for n := k / groupRuns * groupRuns; n < k; n++ {
		at += ones(bits[n])
	}
	for q := range int32(run) {
		if bits[k]>>q&1 != 0 {
			list[at] = k%squareSide + (k/squareSide*run+q)*squareSide
			at++
		}
	}
}

// sumOf returns the sum of n counts.
func sumOf(counts []int32, first, n int32) int32 {
	sum := int32(0)
	for k := range n {
		sum += counts[first+k]
	}
	return sum
}

// some returns count, or 0 if n is 0.
func some(n, count int32) int32 {
	if n == 0 {
		return 0
	}
	return count
}

// listTileRun appends the numbers of the marked cells of run k of a tile to those of the previous runs. counts are the
// numbers of marked cells of groups of runs, from the given one on.
func listTileRun(list, bits, counts []int32, k, first int32) {
	if bits[k] == 0 {
		return
	}
	at := sumOf(counts, first, k/groupRuns)
	for n := k / groupRuns * groupRuns; n < k; n++ {
		at += ones(bits[n])
	}
	for q := range int32(tileRunCells) {
		if bits[k]>>q&1 != 0 {
			list[at] = k%tileWidth + (k/tileWidth*tileRunCells+q)*tileWidth
			at++
		}
	}
}
