package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Peaks holds the extremes of one layer of water in owned cells since the start, and when they occurred, in float64
// as in frames. A step reads few of the arrays, and writes only changes.
type Peaks struct {
	Most      []Most
	Level     []float64 // highest level of the surface while wet, m; empty if the bed does not move
	Start     []float64 // level at the start, m: of dry ground its height; above the bed if that does not move
	Arrival   []float64 // when the level first differed from Start by more than Threshold, s; -1 for not yet
	When      []float64 // when the thickness was largest, s
	Wet       []float64 // how long the thickness has exceeded Threshold, s, up to the last time it fell below
	Since     []float64 // when the thickness last rose above Threshold, s
	Marks     []int32   // flags wetNow and arrived, so that a step need not read Since and Arrival
	Threshold float64   // m
}

// Most holds the largest values of a cell, side by side since a step reads them all.
type Most struct {
	Depth  float64 // thickness, m
	Speed  float64 // m/s
	Flux   float64 // of momentum, h u², m³/s²
	Hazard float64 // h (u + 0.5 m/s), m²/s
}

const (
	wetNow  int32 = 1 << iota // more water than the threshold
	arrived                   // at some time
)

// UpdatePeaks updates the extremes of cell i with the state w, at the time of the clock. The same state may be counted
// twice.
//
//atoll:kernel lanes
func UpdatePeaks[F num.Float](i int, p *Params[F], clock *Clock[F], peaks *Peaks, beds []Bed[F], w []State[F]) {
	c := w[i]
	updatePeaks(i, p, clock.Time, peaks, beds, &c)
}

// UpdatePeaksInStep does the same for the state at the start of a step, whose time it computes as TileStep does.
//
//atoll:kernel
func UpdatePeaksInStep[F num.Float](i int, p *Params[F], clock *Clock[F], limit *atomics.Least[F], peaks *Peaks,
	beds []Bed[F], w []State[F]) {
	now := clock.AtStepStart(limit)
	if !now.Stop {
		c := w[i]
		updatePeaks(i, p, now.Time, peaks, beds, &c)
	}
}

// updatePeaks updates the extremes of cell i with its state c.
func updatePeaks[F num.Float](i int, p *Params[F], now float64, peaks *Peaks, beds []Bed[F], c *State[F]) {
	marks, most := peaks.Marks[i], peaks.Most[i] // read together, so that a GPU waits once
	h, x, y := float64(c.H2), float64(c.Q2x), float64(c.Q2y)
	hasWater := c.H2 >= p.DryDepth
	wet, wasWet := hasWater && h > peaks.Threshold, marks&wetNow != 0
	//atoll:seldom
	if wet != wasWet {
		peaks.Marks[i] = marks ^ wetNow
		if wasWet {
			peaks.Wet[i] += now - peaks.Since[i]
		} else {
			peaks.Since[i] = now
		}
	}
	if !hasWater {
		return
	}
	level, tested := h, h == most.Depth // above the bed; the largest thickness was tested when it occurred first
	if len(peaks.Level) > 0 {
		tested = false
		level -= float64(beds[i].Depth)
		if level > peaks.Level[i] {
			peaks.Level[i] = level
		}
	}
	//atoll:seldom
	if marks&arrived == 0 && !tested {
		if num.Abs(level-peaks.Start[i]) > peaks.Threshold {
			peaks.Arrival[i] = now
			peaks.Marks[i] |= arrived
		}
	}
	//atoll:mostly
	if most.covers(h, x, y) {
		return
	}
	x, y = x/h, y/h
	square := x*x + y*y
	speed := num.Sqrt(square)
	flux, hazard := h*square, h*(speed+.5)
	if h > most.Depth {
		peaks.When[i] = now
	}
	if h > most.Depth || speed > most.Speed || flux > most.Flux || hazard > most.Hazard {
		peaks.Most[i] = Most{Depth: num.Larger(h, most.Depth), Speed: num.Larger(speed, most.Speed),
			Flux: num.Larger(flux, most.Flux), Hazard: num.Larger(hazard, most.Hazard)}
	}
}

// covers reports whether a thickness h with the mass flow (x, y) sets no new extreme. Within rounding of an extreme it
// may return false even so. It avoids divisions and a root, which take most of the time of an update.
func (m *Most) covers(h, x, y float64) bool {
	const (
		less      = 1 - 1e-9 // by more than rounding
		underflow = 1e-250   // more than what products lose by underflow
	)
	square := x*x + y*y + underflow
	left := m.Hazard*less - h*.5 // the bound for h u
	slow := square < m.Speed*m.Speed*less*(h*h) && square < m.Flux*less*h && left > 0 && square < left*left
	return h <= m.Depth && (slow || x == 0 && y == 0)
}

// Peak is the extremes of one cell. Depth is the largest thickness, not a depth of the bed.
type Peak struct {
	Depth, Level, Speed, Flux, Hazard, Arrival, When, Wet float64
}

// Arrays returns the arrays of p that have a number per cell, except Level.
func (p *Peaks) Arrays() []*[]float64 {
	return []*[]float64{&p.Start, &p.Arrival, &p.When, &p.Wet, &p.Since}
}

// GatherPeaks reads the extremes of cells[k], up to the time of the clock.
//
//atoll:kernel
func GatherPeaks[F num.Float](k int, cells []int32, clock *Clock[F], peaks *Peaks, beds []Bed[F], to []Peak) {
	bed := beds[cells[k]]
	to[k] = peaks.At(cells[k], clock.Time, float64(bed.Depth))
}

// At returns the extremes of cell i up to now; depth is that of its bed, m.
func (p *Peaks) At(i int32, now, depth float64) Peak {
	most := p.Most[i]
	of := Peak{Depth: most.Depth, Level: most.Depth - depth, Speed: most.Speed, Flux: most.Flux, Hazard: most.Hazard,
		Arrival: p.Arrival[i], When: p.When[i], Wet: p.Wet[i]}
	if len(p.Level) > 0 {
		of.Level = p.Level[i]
	}
	if p.Marks[i]&wetNow != 0 {
		of.Wet += now - p.Since[i]
	}
	return of
}
