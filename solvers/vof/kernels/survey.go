package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Results of a survey: sums of package exact, and counts.
const (
	SurveyVolume = 0                          // Σf
	SurveyChange = SurveyVolume + exact.Words // Σ|f - f0|, if the survey has Errors
	SurveySize   = SurveyChange + exact.Words // of the lines or planes of mixed cells without such faces
	SurveyMixed  = SurveySize + exact.Words   // how many cells are mixed
	SurveyFaces  = SurveyMixed + 1            // how many faces count as interface, normal to each axis: see IsFace
	SurveyExcess = SurveyFaces + 3            // the bits of the float64 by which the worst f is beyond [0, 1]
	SurveyBroken = SurveyExcess + 1           // of the first cell that is not finite: see exact.FirstBroken
	SurveyWords  = SurveyBroken + 1
)

// Survey computes diagnostics of a block's volume fractions. Rows of cells are numbered through all planes across z,
// and tiles of surveyWidth×surveyHeight cells cover them as if they were in one plane. In the plane SZ is 0.
//
//atoll:constant
type Survey[F num.Float] struct {
	Lattice
	Cells     [2]int32 // of a row, and rows
	Across    int32    // tiles along x
	Rows      int32    // number of rows in a plane of cells across z
	Errors    bool     // SurveyChange is wanted
	RoundOff  F
	H         [3]F      // sides of a cell
	F         []F       // the volume fractions
	Reference []float64 // f0 of the block's own cells, x fastest
	Found     []int64   // the results, to which all tiles add: SurveyWords numbers
}

const (
	surveyWidth   = 32
	surveyColumns = squareRuns // columns of a tile, side by side and above each other, one for each thread
	columnRuns    = 4          // runs of a column
	columnCells   = columnRuns * run
	surveyHeight  = surveyColumns / surveyWidth * columnCells
	surveyGroups  = surveyColumns / groupRuns
)

// NewSurvey prepares a survey of a block, with or without errors, and returns the number of tiles.
func NewSurvey[F num.Float](l Lattice, n [3]int, h [3]F, roundOff F, f []F, errors bool, begun []float64,
	found []int64) (s *Survey[F], tiles int) {
	rows := n[1] * n[2]
	across, up := (n[0]+surveyWidth-1)/surveyWidth, (rows+surveyHeight-1)/surveyHeight
	return &Survey[F]{Lattice: l, Cells: [2]int32{int32(n[0]), int32(rows)}, Across: int32(across), Rows: int32(n[1]),
		Errors: errors, RoundOff: roundOff, H: h, F: f, Reference: begun, Found: found}, across * up
}

// Numbers of the results of a thread. A sum of package exact takes three of them, and the first three sums are in the
// order of SurveyVolume, SurveyChange and SurveySize.
const (
	partExcess = 9
	partCount  = partExcess + 1
)

// Survey2 measures tile t in two dimensions. The mixed cells are distributed over the threads.
//
//atoll:kernel tile block=128 blocks=8 blocks32=8
func Survey2[F num.Float](t int, m *Survey[F], s *Sweep2[F], parts *[partCount * surveyColumns]int64,
	merged *[partCount * surveyGroups]int64, bits *[surveyColumns]int32, groups *[surveyGroups]int32) {
	x, y := m.corner(t)
	for k := range int32(surveyGroups) {
		groups[k] = 0
	}
	for k := range int32(surveyColumns) {
		bits[k] = m.column(k, x, y, parts[:])
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones32(bits[k]))
		}
	}
	n := total(groups[:])
	for k := range some(n, surveyColumns) {
		var size exact.Fixed
		for at := k; at < n; at += surveyColumns {
			m.addSize(&size, float64(s.size(m.mixedCell(at, x, y, bits[:], groups[:]), m.H[0], m.H[1])))
		}
		store(parts[:], SurveySize, k, &size)
	}
	for k := range int32(partCount * surveyGroups) {
		merged[k] = merge(parts[:], k, n)
	}
	for k := range int32(partCount) {
		m.addToTotals(k, n, merged[:])
	}
}

// Survey3 is Survey2 in three dimensions.
//
//atoll:kernel tile block=128 blocks=8 blocks32=8
func Survey3[F num.Float](t int, m *Survey[F], s *Sweep3[F], parts *[partCount * surveyColumns]int64,
	merged *[partCount * surveyGroups]int64, bits *[surveyColumns]int32, groups *[surveyGroups]int32) {
	x, y := m.corner(t)
	for k := range int32(surveyGroups) {
		groups[k] = 0
	}
	for k := range int32(surveyColumns) {
		bits[k] = m.column(k, x, y, parts[:])
		if bits[k] != 0 {
			atomic.AddInt32(&groups[k/groupRuns], ones32(bits[k]))
		}
	}
	n := total(groups[:])
	for k := range some(n, surveyColumns) {
		var size exact.Fixed
		for at := k; at < n; at += surveyColumns {
			m.addSize(&size, float64(s.size(m.mixedCell(at, x, y, bits[:], groups[:]), m.H[0], m.H[1], m.H[2])))
		}
		store(parts[:], SurveySize, k, &size)
	}
	for k := range int32(partCount * surveyGroups) {
		merged[k] = merge(parts[:], k, n)
	}
	for k := range int32(partCount) {
		m.addToTotals(k, n, merged[:])
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

// size returns the length of the line in a mixed cell, 0 if faces of the cell count instead.
//
//atoll:rare
func (s *Sweep2[F]) size(c int, hx, hy F) F {
	if HasFaces(s.F, c, int(s.SY), 0) {
		return 0
	}
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

// size returns the area of the plane in a mixed cell, 0 if faces of the cell count instead.
//
//atoll:rare
func (s *Sweep3[F]) size(c int, hx, hy, hz F) F {
	if HasFaces(s.F, c, int(s.SY), int(s.SZ)) {
		return 0
	}
	p := s.plane(c)
	return geom.Section(&p, hx, hy, hz)
}
