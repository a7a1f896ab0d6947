package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Peaks is what one layer of water has reached in owned cells since the start, and when. All of it is of float64, as
// what frames hold is. Each number has an array, of which most steps write nothing.
type Peaks struct {
	Depth     []float64 // largest thickness, m
	Level     []float64 // highest level of the surface while there was water, m
	Speed     []float64 // m/s
	Flux      []float64 // of momentum, h u², m³/s²
	Hazard    []float64 // h (u + 0.5 m/s), m²/s
	Start     []float64 // level at the start, m: of dry ground its height
	Arrival   []float64 // when the level first stood off that at the start by more than Threshold, s; -1 for not yet
	When      []float64 // when the thickness was largest, s
	Wet       []float64 // how long there was more water than Threshold, up to when there last was not, s
	Since     []float64 // when it came that is there now, s; -1 where there is not so much
	Threshold float64   // m
}

// KeepPeaks keeps what is largest in cell i of the state w, at the time of the clock. A state may be looked at twice.
//
//atoll:kernel lanes
func KeepPeaks[F num.Float](i int, p *Params[F], clock *Clock[F], peaks *Peaks, beds []Bed[F], w []State[F]) {
	keepPeaks(i, p, clock.Time, peaks, beds, w)
}

// KeepPeaksOfStep does the same for the state at the start of a step, whose time it finds as TileStep does.
//
//atoll:kernel
func KeepPeaksOfStep[F num.Float](i int, p *Params[F], clock *Clock[F], waves *atomics.Least[F], peaks *Peaks,
	beds []Bed[F], w []State[F]) {
	now := clock.now(waves)
	if !now.Stop {
		keepPeaks(i, p, now.Time, peaks, beds, w)
	}
}

func keepPeaks[F num.Float](i int, p *Params[F], now float64, peaks *Peaks, beds []Bed[F], w []State[F]) {
	c := &w[i]
	h, x, y := float64(c.H2), float64(c.Q2x), float64(c.Q2y)
	there := c.H2 >= p.DryDepth
	since := peaks.Since[i]
	//atoll:seldom
	if (there && h > peaks.Threshold) != (since >= 0) {
		if since < 0 {
			peaks.Since[i] = now
		} else {
			peaks.Wet[i] += now - since
			peaks.Since[i] = -1
		}
	}
	if !there {
		return
	}
	//atoll:seldom
	if h > peaks.Depth[i] {
		peaks.Depth[i], peaks.When[i] = h, now
	}
	level := h - float64(beds[i].Depth)
	//atoll:seldom
	if level > peaks.Level[i] {
		peaks.Level[i] = level
	}
	//atoll:seldom
	if peaks.Arrival[i] < 0 {
		if num.Abs(level-peaks.Start[i]) > peaks.Threshold {
			peaks.Arrival[i] = now
		}
	}
	x, y = x/h, y/h
	square := x*x + y*y
	speed := num.Sqrt(square)
	flux, hazard := h*square, h*(speed+.5)
	//atoll:seldom
	if speed > peaks.Speed[i] {
		peaks.Speed[i] = speed
	}
	//atoll:seldom
	if flux > peaks.Flux[i] {
		peaks.Flux[i] = flux
	}
	//atoll:seldom
	if hazard > peaks.Hazard[i] {
		peaks.Hazard[i] = hazard
	}
}

// Peak is what was kept in one cell.
type Peak struct {
	Depth, Level, Speed, Flux, Hazard, Start, Arrival, When, Wet, Since float64
}

// Arrays are those of p, in the order of Peak.
func (p *Peaks) Arrays() []*[]float64 {
	return []*[]float64{&p.Depth, &p.Level, &p.Speed, &p.Flux, &p.Hazard, &p.Start, &p.Arrival, &p.When, &p.Wet, &p.Since}
}

// PickPeaks reads what was kept in the k-th of some cells.
//
//atoll:kernel
func PickPeaks(k int, cells []int32, peaks *Peaks, to []Peak) { to[k] = peaks.At(cells[k]) }

// At is what was kept in cell i.
func (p *Peaks) At(i int32) Peak {
	return Peak{Depth: p.Depth[i], Level: p.Level[i], Speed: p.Speed[i], Flux: p.Flux[i], Hazard: p.Hazard[i],
		Start: p.Start[i], Arrival: p.Arrival[i], When: p.When[i], Wet: p.Wet[i], Since: p.Since[i]}
}
