package kernels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Results of a survey: sums of package exact, and counts.
const (
	SurveyVolume = 0                          // Σf
	SurveyChange = SurveyVolume + exact.Words // Σ|f - f0|
	SurveySize   = SurveyChange + exact.Words // of all lines or planes
	SurveyMixed  = SurveySize + exact.Words   // how many cells are mixed
	SurveyExcess = SurveyMixed + 1            // the bits of the float64 by which the worst f is beyond [0, 1]
	SurveyBroken = SurveyExcess + 1           // of the first cell that is not finite: see BrokenCell
	SurveyWords  = SurveyBroken + 1
)

// Survey computes diagnostics of a block's volume fractions. Rows of cells are numbered through all planes across z,
// and squares cover them as if they were in one plane.
//
//atoll:constant
type Survey[F num.Float] struct {
	Lattice
	Squares
	Rows      int32 // number of rows in a plane of cells across z
	RoundOff  F
	H         [3]F      // sides of a cell
	F         []F       // the volume fractions
	Reference []float64 // f0 of the block's own cells, x fastest
	Found     []int64   // the results, to which all squares add: SurveyWords numbers
}

// NewSurvey prepares a survey of a block, and returns the number of squares.
func NewSurvey[F num.Float](l Lattice, n [3]int, h [3]F, roundOff F, f []F, begun []float64, found []int64) (
	s *Survey[F], squares int) {
	p, squares := NewSquares([2]int{}, [2]int{n[0], n[1] * n[2]})
	return &Survey[F]{Lattice: l, Squares: *p, Rows: int32(n[1]), RoundOff: roundOff, H: h, F: f, Reference: begun,
		Found: found}, squares
}

// Survey2 measures square t in two dimensions. The mixed cells are listed, and distributed over the threads.
//
//atoll:kernel tile block=128
func Survey2[F num.Float](t int, m *Survey[F], s *Sweep2[F], tallies *[squareRuns]tally, words *[SurveyWords]int64,
	bits *[squareRuns]int32, groups *[squareGroups]int32, list *[squareCells]int32) {
	x, y := m.corner(t)
	for k := range SurveyWords {
		words[k] = 0
	}
	for k := range int32(squareGroups) {
		groups[k] = 0
	}
	for k := range int32(squareRuns) {
		tallies[k] = m.tally(k, x, y, words[:])
		bits[k] = tallies[k].mixed
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones(bits[k]))
		}
	}
	n := total(groups[:])
	runs := runsToList(n)
	for k := range runs {
		listRun(list[:], bits[:], groups[:], k)
	}
	for k := range runs {
		var sum exact.Part
		for at := k; at < n; at += squareRuns {
			p := s.plane(m.index(x+list[at]%squareSide, y+list[at]/squareSide))
			sum.Add(float64(geom.Length(&p, m.H[0], m.H[1])), words[SurveySize:SurveyMixed])
		}
		tallies[k].size = sum
	}
	for k := range int32(squareGroups) {
		merge(tallies[:], k*groupRuns, 1, words[:])
	}
	for range 1 {
		merge(tallies[:], 0, groupRuns, words[:])
		tallies[0].flush(n, words[:])
	}
	for k := range SurveyWords {
		m.addToTotals(int32(k), words[:])
	}
}

// Survey3 is Survey2 in three dimensions.
//
//atoll:kernel tile block=128
func Survey3[F num.Float](t int, m *Survey[F], s *Sweep3[F], tallies *[squareRuns]tally, words *[SurveyWords]int64,
	bits *[squareRuns]int32, groups *[squareGroups]int32, list *[squareCells]int32) {
	x, y := m.corner(t)
	for k := range SurveyWords {
		words[k] = 0
	}
	for k := range int32(squareGroups) {
		groups[k] = 0
	}
	for k := range int32(squareRuns) {
		tallies[k] = m.tally(k, x, y, words[:])
		bits[k] = tallies[k].mixed
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones(bits[k]))
		}
	}
	n := total(groups[:])
	runs := runsToList(n)
	for k := range runs {
		listRun(list[:], bits[:], groups[:], k)
	}
	for k := range runs {
		var sum exact.Part
		for at := k; at < n; at += squareRuns {
			p := s.plane(m.index(x+list[at]%squareSide, y+list[at]/squareSide))
			sum.Add(float64(geom.Section(&p, m.H[0], m.H[1], m.H[2])), words[SurveySize:SurveyMixed])
		}
		tallies[k].size = sum
	}
	for k := range int32(squareGroups) {
		merge(tallies[:], k*groupRuns, 1, words[:])
	}
	for range 1 {
		merge(tallies[:], 0, groupRuns, words[:])
		tallies[0].flush(n, words[:])
	}
	for k := range SurveyWords {
		m.addToTotals(int32(k), words[:])
	}
}

// Size2 writes the length of the line in cell (i, j) to size if the cell is mixed. Other elements of size are kept.
//
//atoll:kernel lanes
func Size2[F num.Float](i, j int, m *Survey[F], s *Sweep2[F], size []F) {
	c := s.at(i, j, 0)
	if mixed(s.F[c], s.RoundOff) {
		found := s.size(c, m.H[0], m.H[1])
		size[c] = found
	}
}

//atoll:rare
func (s *Sweep2[F]) size(c int, hx, hy F) F {
	p := s.plane(c)
	return geom.Length(&p, hx, hy)
}

// Size3 writes the area of the plane in cell (i, j, k) to size if the cell is mixed. Other elements of size are kept.
//
//atoll:kernel lanes
func Size3[F num.Float](i, j, k int, m *Survey[F], s *Sweep3[F], size []F) {
	c := s.at(i, j, k)
	if mixed(s.F[c], s.RoundOff) {
		found := s.size(c, m.H[0], m.H[1], m.H[2])
		size[c] = found
	}
}

//atoll:rare
func (s *Sweep3[F]) size(c int, hx, hy, hz F) F {
	p := s.plane(c)
	return geom.Section(&p, hx, hy, hz)
}

// ClearSurvey clears word k of a survey's results.
//
//atoll:kernel
func ClearSurvey(k int, found []int64) { found[k] = 0 }

// index returns the array index of cell i of a row.
func (m *Survey[F]) index(i, row int32) int { return m.at(int(i), int(row%m.Rows), int(row/m.Rows)) }

// tally is the result of a thread for one run of cells, and then for several.
type tally struct {
	volume, change, size exact.Part
	excess               float64
	broken               int64
	mixed                int32 // a bit for each mixed cell of a run
	_                    int32
}

// tally surveys run k of the square at (x, y).
func (m *Survey[F]) tally(k, x, y int32, words []int64) tally {
	var o tally
	i, j := x+k%squareSide, y+k/squareSide*run
	for q := range m.Hi[1] - j { // not a constant number, so that the compiler does not unroll the loop
		if q == run || i >= m.Hi[0] {
			break
		}
		v := m.F[m.index(i, j+q)]
		o.add(float64(v), i, j+q, m.Hi[0], m.Reference, words)
		o.mixed |= flag(mixed(v, m.RoundOff)) << q
	}
	return o
}

// add adds the volume fraction of cell i of a row of across cells.
func (o *tally) add(f float64, i, row, across int32, begun []float64, words []int64) {
	cell := int64(row)*int64(across) + int64(i)
	if f-f != 0 {
		o.broken = num.Larger(o.broken, EncodeBroken(cell, f))
		return
	}
	o.volume.Add(f, words[SurveyVolume:SurveyChange])
	o.change.Add(num.Abs(f-begun[cell]), words[SurveyChange:SurveySize])
	o.excess = num.Larger(o.excess, num.Larger(-f, f-1))
}

// merge merges groupRuns tallies, at the indices first, first + each and so on, into the first of them.
func merge(all []tally, first, each int32, words []int64) {
	o := all[first]
	for k := int32(1); k < groupRuns && first+k*each < squareRuns; k++ {
		p := all[first+k*each]
		o.volume.Merge(&p.volume, words[SurveyVolume:SurveyChange])
		o.change.Merge(&p.change, words[SurveyChange:SurveySize])
		o.size.Merge(&p.size, words[SurveySize:SurveyMixed])
		o.excess, o.broken = num.Larger(o.excess, p.excess), num.Larger(o.broken, p.broken)
	}
	all[first] = o
}

// flush adds a square's tally, with n mixed cells, to its words.
func (o *tally) flush(n int32, words []int64) {
	o.volume.Flush(words[SurveyVolume:SurveyChange])
	o.change.Flush(words[SurveyChange:SurveySize])
	o.size.Flush(words[SurveySize:SurveyMixed])
	words[SurveyMixed] = int64(n)
	words[SurveyBroken] = o.broken
	if o.excess > 0 {
		words[SurveyExcess] = int64(math.Float64bits(o.excess))
	}
}

// firstCell is an upper bound of cell numbers: lower numbers have larger words, so that the maximum is the first cell.
const firstCell = 1 << 48

// EncodeBroken returns the number by which SurveyBroken describes a cell, numbered with x fastest, whose f is not
// finite.
func EncodeBroken(cell int64, f float64) int64 {
	what := int64(0)
	if f > 0 {
		what = 1
	}
	if f < 0 {
		what = 2
	}
	return (firstCell-cell)*4 + what
}

// BrokenCell returns the first cell of the block, x fastest, that a survey found not finite, and its value: NaN or an
// infinity; -1 if there is none.
func BrokenCell(word int64) (cell int, f float64) {
	if word == 0 {
		return -1, 0
	}
	cell = int(firstCell - word/4)
	if word%4 == 0 {
		return cell, math.NaN()
	}
	return cell, math.Inf(3 - 2*int(word%4))
}

// addToTotals adds word k of a square to the results.
func (m *Survey[F]) addToTotals(k int32, words []int64) {
	if words[k] == 0 {
		return
	}
	if k <= SurveyMixed {
		atomic.AddInt64(&m.Found[k], words[k])
	} else {
		atomics.Max(&m.Found[k], words[k])
	}
}
