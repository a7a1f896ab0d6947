package kernels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// What a survey finds: sums of package exact, and numbers.
const (
	SurveyVolume = 0                          // Σf
	SurveyChange = SurveyVolume + exact.Words // Σ|f - f0|
	SurveySize   = SurveyChange + exact.Words // of all lines or planes
	SurveyMixed  = SurveySize + exact.Words   // how many cells are mixed
	SurveyExcess = SurveyMixed + 1            // the bits of the float64 by which the worst f is beyond [0, 1]
	SurveyBroken = SurveyExcess + 1           // of the first cell that is not finite: see BrokenCell
	SurveyWords  = SurveyBroken + 1
)

// Survey is what is measured of a block's volume fractions. Rows of cells are numbered as if there were no planes of
// them, and taken in patches.
//
//atoll:constant
type Survey[F num.Float] struct {
	Lattice
	Patches
	Rows  int32 // in a plane of cells across z
	Dust  F
	H     [3]F      // sides of a cell
	F     []F       // the volume fractions
	Begun []float64 // what they are compared with, of the block's own cells, x fastest
	Found []int64   // SurveyWords, which are added to
}

// NewSurvey prepares a survey of a block of so many cells, and tells how many patches it takes.
func NewSurvey[F num.Float](l Lattice, n [3]int, h [3]F, dust F, f []F, begun []float64, found []int64) (
	s *Survey[F], patches int) {
	p, patches := NewPatches([2]int{}, [2]int{n[0], n[1] * n[2]})
	return &Survey[F]{Lattice: l, Patches: *p, Rows: int32(n[1]), Dust: dust, H: h, F: f, Begun: begun,
		Found: found}, patches
}

// Survey2 measures patch t, in the plane. The mixed cells are listed and get a thread each.
//
//atoll:kernel tile block=128
func Survey2[F num.Float](t int, m *Survey[F], s *Sweep2[F], words *[SurveyWords]int64, bits *[patchRuns]int32,
	groups *[patchGroups]int32, list *[patchCells]int32) {
	x, y := m.corner(t)
	for k := range SurveyWords {
		words[k] = 0
	}
	for k := range int32(patchGroups) {
		groups[k] = 0
	}
	for k := range int32(patchRuns) {
		bits[k] = m.run(k, x, y, words[:])
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones(bits[k]))
		}
	}
	n := total(groups[:])
	runs := runsToList(n)
	for k := range runs {
		listRun(list[:], bits[:], groups[:], k)
	}
	for k := range n {
		p := s.plane(m.place(x+list[k]%patch, y+list[k]/patch))
		m.interfaceSize(float64(geom.Length(&p, m.H[0], m.H[1])), words[:])
	}
	for k := range SurveyWords {
		m.tell(int32(k), n, words[:])
	}
}

// Survey3 is Survey2 in space.
//
//atoll:kernel tile block=128
func Survey3[F num.Float](t int, m *Survey[F], s *Sweep3[F], words *[SurveyWords]int64, bits *[patchRuns]int32,
	groups *[patchGroups]int32, list *[patchCells]int32) {
	x, y := m.corner(t)
	for k := range SurveyWords {
		words[k] = 0
	}
	for k := range int32(patchGroups) {
		groups[k] = 0
	}
	for k := range int32(patchRuns) {
		bits[k] = m.run(k, x, y, words[:])
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones(bits[k]))
		}
	}
	n := total(groups[:])
	runs := runsToList(n)
	for k := range runs {
		listRun(list[:], bits[:], groups[:], k)
	}
	for k := range n {
		p := s.plane(m.place(x+list[k]%patch, y+list[k]/patch))
		m.interfaceSize(float64(geom.Section(&p, m.H[0], m.H[1], m.H[2])), words[:])
	}
	for k := range SurveyWords {
		m.tell(int32(k), n, words[:])
	}
}

// ClearSurvey empties word k of what a survey finds.
//
//atoll:kernel
func ClearSurvey(k int, found []int64) { found[k] = 0 }

// place is where cell i of a row lies.
func (m *Survey[F]) place(i, row int32) int { return m.at(int(i), int(row%m.Rows), int(row/m.Rows)) }

// found is what a thread finds in a run of cells.
type found[F num.Float] struct {
	volume, change exact.Part
	excess         float64
	broken         int64
}

// run surveys run k of the patch at (x, y), and has a bit for each cell that is mixed. A GPU's thread reads all cells
// before it looks at any.
func (m *Survey[F]) run(k, x, y int32, words []int64) int32 {
	i, j := x+k%patch, y+k/patch*run
	var v octet[F]
	var b octet[float64]
	v.a, b.a = m.cell(i, j)
	v.b, b.b = m.cell(i, j+1)
	v.c, b.c = m.cell(i, j+2)
	v.d, b.d = m.cell(i, j+3)
	v.e, b.e = m.cell(i, j+4)
	v.f, b.f = m.cell(i, j+5)
	v.g, b.g = m.cell(i, j+6)
	v.h, b.h = m.cell(i, j+7)
	var o found[F]
	m.take(&o, i, j, v.a, b.a, words)
	m.take(&o, i, j+1, v.b, b.b, words)
	m.take(&o, i, j+2, v.c, b.c, words)
	m.take(&o, i, j+3, v.d, b.d, words)
	m.take(&o, i, j+4, v.e, b.e, words)
	m.take(&o, i, j+5, v.f, b.f, words)
	m.take(&o, i, j+6, v.g, b.g, words)
	m.take(&o, i, j+7, v.h, b.h, words)
	o.volume.Flush(words[SurveyVolume:SurveyChange])
	o.change.Flush(words[SurveyChange:SurveySize])
	if o.excess > 0 {
		atomics.Max(&words[SurveyExcess], int64(math.Float64bits(o.excess)))
	}
	if o.broken != 0 {
		atomics.Max(&words[SurveyBroken], o.broken)
	}
	return v.mixed(m.Dust)
}

// cell is the volume fraction of a cell and what it is compared with, 0 beyond the block.
func (m *Survey[F]) cell(i, row int32) (v F, begun float64) {
	if m.has(i, row) {
		v, begun = m.F[m.place(i, row)], m.Begun[int(row)*int(m.Hi[0])+int(i)]
	}
	return v, begun
}

// take adds a cell to what a thread finds.
func (m *Survey[F]) take(o *found[F], i, row int32, v F, begun float64, words []int64) {
	f := float64(v)
	if f-f != 0 {
		o.broken = num.Larger(o.broken, brokenAt(int64(row)*int64(m.Hi[0])+int64(i), f))
		return
	}
	o.volume.Add(f, words[SurveyVolume:SurveyChange])
	o.change.Add(num.Abs(f-begun), words[SurveyChange:SurveySize])
	o.excess = num.Larger(o.excess, num.Larger(-f, f-1))
}

// firstCell makes the word of the first cell that is not finite the largest.
const firstCell = 1 << 48

func brokenAt(cell int64, f float64) int64 {
	what := int64(0)
	if f > 0 {
		what = 1
	}
	if f < 0 {
		what = 2
	}
	return (firstCell-cell)*4 + what
}

// BrokenCell is the first cell of the block, x fastest, that a survey found to be not finite, and what it holds: NaN or
// an infinity; -1 where there is none.
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

func (m *Survey[F]) interfaceSize(size float64, words []int64) {
	var sum exact.Part
	sum.Add(size, words[SurveySize:SurveyMixed])
	sum.Flush(words[SurveySize:SurveyMixed])
}

// tell adds word k of a patch to what is found, and n mixed cells.
func (m *Survey[F]) tell(k, n int32, words []int64) {
	if k == SurveyMixed {
		if n != 0 {
			atomic.AddInt64(&m.Found[k], int64(n))
		}
		return
	}
	if words[k] == 0 {
		return
	}
	if k < SurveyMixed {
		atomic.AddInt64(&m.Found[k], words[k])
	} else {
		atomics.Max(&m.Found[k], words[k])
	}
}
