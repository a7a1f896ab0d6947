package kernels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// corner returns the first cell of tile t.
func (m *Survey[F]) corner(t int) (x, y int32) {
	return int32(t) % m.Across * surveyWidth, int32(t) / m.Across * surveyHeight
}

// index returns the array index of cell i of a row.
func (m *Survey[F]) index(i, row int32) int { return m.at(int(i), int(row%m.Rows), int(row/m.Rows)) }

// place is a cell while a thread walks along a column.
type place struct {
	cell int   // array index
	row  int32 // in its plane across z
	left int32 // rows from here to the end
}

// next moves the place to the next row.
func (m *Survey[F]) next(p *place) {
	p.left--
	p.row++
	p.cell += int(m.SY)
	if p.row == m.Rows {
		p.row = 0
		p.cell += int(m.SZ - m.Rows*m.SY)
	}
}

// value returns the volume fraction at a place, 0 after the last row, and moves the place to the next row.
func (m *Survey[F]) value(p *place) F {
	v := F(0)
	if p.left > 0 {
		v = m.F[p.cell]
	}
	m.next(p)
	return v
}

// run reads the next run, 8 consecutive cells of a column.
func (m *Survey[F]) run(p *place) runValues[F] {
	var o runValues[F]
	o.a = m.value(p)
	o.b = m.value(p)
	o.c = m.value(p)
	o.d = m.value(p)
	o.e = m.value(p)
	o.f = m.value(p)
	o.g = m.value(p)
	o.h = m.value(p)
	return o
}

// tally is the result of a thread. The numbers that a sum cannot add go to memory at once: these are few.
type tally struct {
	volume, change  exact.Fixed
	lowest, highest float64 // volume fractions
	others          int32   // numbers of a run that a sum could not add
	_               int32
}

// column measures column k of the tile at (x, y). It stores the sums in parts, and returns a bit for each mixed cell.
func (m *Survey[F]) column(k, x, y int32, parts []int64) int32 {
	var o tally
	i, row := x+k%surveyWidth, y+k/surveyWidth*columnCells
	mixed := int32(0)
	if i < m.Cells[0] && row < m.Cells[1] {
		p := place{m.index(i, row), row % m.Rows, m.Cells[1] - row}
		for r := int32(0); r < columnRuns && p.left > 0; r++ {
			start := p
			v := m.run(&p)
			if v.nonzero() != 0 {
				mixed |= v.mixed(m.RoundOff) << (r * run)
				addVolumes(&o, &v)
				if o.others != 0 {
					m.addOthers(i, row+r*run)
				}
				if v.nearlyFull() != 0 {
					m.countRun(&start)
				}
			}
			if m.Errors {
				m.addChanges(&o, &v, i, row+r*run)
			}
		}
	}
	store(parts, SurveyVolume, k, &o.volume)
	store(parts, SurveyChange, k, &o.change)
	parts[partExcess*surveyColumns+k] = o.excess()
	return mixed
}

// addVolumes adds the volume fractions of a run.
func addVolumes[F num.Float](o *tally, v *runValues[F]) {
	o.others = 0
	o.addVolume(float64(v.a))
	o.addVolume(float64(v.b))
	o.addVolume(float64(v.c))
	o.addVolume(float64(v.d))
	o.addVolume(float64(v.e))
	o.addVolume(float64(v.f))
	o.addVolume(float64(v.g))
	o.addVolume(float64(v.h))
}

func (o *tally) addVolume(f float64) {
	o.lowest, o.highest = num.Smaller(f, o.lowest), num.Larger(f, o.highest)
	if added := o.volume.Add(f); !added {
		o.others++
	}
}

// addOthers adds those of the volume fractions of a run that the sum could not add, or remembers the first cell that is
// not finite.
func (m *Survey[F]) addOthers(i, row int32) {
	for q := int32(0); q < run && row+q < m.Cells[1]; q++ {
		f := float64(m.F[m.index(i, row+q)])
		if f-f != 0 {
			atomics.Max(&m.Found[SurveyBroken], exact.Broken(m.number(i, row+q), f))
		} else if fits := exact.Fits(f); !fits {
			exact.AddTo(m.Found[SurveyVolume:SurveyChange], f)
		}
	}
}

// countRun counts the faces of a run that count as interface.
func (m *Survey[F]) countRun(p *place) {
	for q := int32(0); q < run && p.left > 0; q++ {
		m.countFaces(p.cell)
		m.next(p)
	}
}

// CountFaces adds to the results the faces of cells, among n from an index on, that count as interface: see IsFace. It
// is for surveys that do not visit all cells.
func (m *Survey[F]) CountFaces(first, n int) {
	for c := first; c < first+n; c++ {
		m.countFaces(c)
	}
}

func (m *Survey[F]) countFaces(c int) {
	if nearlyFull(m.F[c]) {
		m.countAlong(c, 1, SurveyFaces)
		m.countAlong(c, int(m.SY), SurveyFaces+1)
		if m.SZ != 0 {
			m.countAlong(c, int(m.SZ), SurveyFaces+2)
		}
	}
}

// countAlong adds to a word of the results the faces of a nearly full cell along an axis that count as interface.
func (m *Survey[F]) countAlong(c, stride, word int) {
	if n := flag(nearlyEmpty(m.F[c-stride])) + flag(nearlyEmpty(m.F[c+stride])); n != 0 {
		atomic.AddInt64(&m.Found[word], int64(n))
	}
}

// number returns the number of cell i of a row in the block, x fastest.
func (m *Survey[F]) number(i, row int32) int64 { return int64(row)*int64(m.Cells[0]) + int64(i) }

// begun returns the initial value of cell i of a row, 0 after the last row.
func (m *Survey[F]) begun(i, row int32) float64 {
	if row < m.Cells[1] {
		return m.Reference[m.number(i, row)]
	}
	return 0
}

// addChanges adds the changes of a run since the start.
func (m *Survey[F]) addChanges(o *tally, v *runValues[F], i, row int32) {
	was := runValues[float64]{m.begun(i, row), m.begun(i, row+1), m.begun(i, row+2), m.begun(i, row+3),
		m.begun(i, row+4), m.begun(i, row+5), m.begun(i, row+6), m.begun(i, row+7)}
	o.others = 0
	o.addChange(float64(v.a), was.a)
	o.addChange(float64(v.b), was.b)
	o.addChange(float64(v.c), was.c)
	o.addChange(float64(v.d), was.d)
	o.addChange(float64(v.e), was.e)
	o.addChange(float64(v.f), was.f)
	o.addChange(float64(v.g), was.g)
	o.addChange(float64(v.h), was.h)
	for q := int32(0); q < run && o.others != 0 && row+q < m.Cells[1]; q++ {
		f := float64(m.F[m.index(i, row+q)])
		change := num.Abs(f - m.begun(i, row+q))
		if fits := exact.Fits(change); f-f == 0 && !fits {
			exact.AddTo(m.Found[SurveyChange:SurveySize], change)
		}
	}
}

func (o *tally) addChange(f, was float64) {
	if added := o.change.Add(num.Abs(f - was)); !added {
		o.others++
	}
}

// addSize adds the size of a line or plane.
func (m *Survey[F]) addSize(sum *exact.Fixed, size float64) {
	if added := sum.Add(size); !added {
		exact.AddTo(m.Found[SurveySize:SurveyMixed], size)
	}
}

// excess returns the bits of the largest amount by which a volume fraction is outside [0, 1].
func (o *tally) excess() int64 {
	if worst := num.Larger(-o.lowest, o.highest-1); worst > 0 {
		return int64(math.Float64bits(worst))
	}
	return 0
}

// store stores one of the sums of thread k; sum is SurveyVolume, SurveyChange or SurveySize.
func store(parts []int64, sum, k int32, s *exact.Fixed) {
	at := sum/exact.Words*(3*surveyColumns) + k
	parts[at] = s.High
	parts[at+surveyColumns] = s.Middle
	parts[at+2*surveyColumns] = s.Low
}

// merge merges part k/surveyGroups of every surveyGroups-th thread, of a tile with n mixed cells.
func merge(parts []int64, k, n int32) int64 {
	part, merged := k/surveyGroups, int64(0)
	if n == 0 && part >= SurveySize/exact.Words*3 && part < partExcess {
		return 0 // not stored
	}
	for thread := k % surveyGroups; thread < surveyColumns; thread += surveyGroups {
		merged = mergePart(part, merged, parts[part*surveyColumns+thread])
	}
	return merged
}

func mergePart(part int32, a, b int64) int64 {
	if part == partExcess {
		return num.Larger(a, b)
	}
	return a + b
}

// mergedPart merges a part over all groups.
func mergedPart(merged []int64, part int32) int64 {
	v := int64(0)
	for g := range int32(surveyGroups) {
		v = mergePart(part, v, merged[part*surveyGroups+g])
	}
	return v
}

// addToTotals adds the sum that begins with part k of a tile with n mixed cells to the results.
func (m *Survey[F]) addToTotals(k, n int32, merged []int64) {
	switch {
	case k == partExcess:
		if worst := mergedPart(merged, k); worst != 0 {
			atomics.Max(&m.Found[SurveyExcess], worst)
		}
	case k%3 == 0:
		s := exact.Fixed{High: mergedPart(merged, k), Middle: mergedPart(merged, k+1), Low: mergedPart(merged, k+2)}
		s.AddTo(m.Found[k/3*exact.Words : (k/3+1)*exact.Words])
	case k == 1 && n > 0:
		atomic.AddInt64(&m.Found[SurveyMixed], int64(n))
	}
}

// ones32 returns the number of set bits.
func ones32(bits int32) int32 {
	v := uint32(bits)
	v -= v >> 1 & 0x55555555
	v = v&0x33333333 + v>>2&0x33333333
	v = (v + v>>4) & 0x0f0f0f0f
	return int32(v * 0x01010101 >> 24)
}

// mixedCell returns the array index of mixed cell n of the tile at (x, y), in the order of columns. groups are the
// counts of mixed cells in each groupRuns columns.
func (m *Survey[F]) mixedCell(n, x, y int32, bits, groups []int32) int {
	left, group := n, int32(0)
	for left >= groups[group] {
		left -= groups[group]
		group++
	}
	k := group * groupRuns
	for left >= ones32(bits[k]) {
		left -= ones32(bits[k])
		k++
	}
	b := bits[k]
	for range left {
		b &= b - 1 // without the lowest cell
	}
	row := ones32((b & -b) - 1) // of the lowest cell that remains
	return m.index(x+k%surveyWidth, y+k/surveyWidth*columnCells+row)
}
