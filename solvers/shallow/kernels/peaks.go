package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Peak is the extremes of one layer of water in a cell since the start, and when they occurred. All of it is of
// float64, as frames are.
type Peak struct {
	Depth   float64 // largest thickness, m
	Level   float64 // highest level of the surface while there was water, m
	Speed   float64 // m/s
	Flux    float64 // of momentum, h u², m³/s²
	Hazard  float64 // h (u + 0.5 m/s), m²/s
	Start   float64 // level at the start, m: of dry ground its height
	Arrival float64 // when the level first stood off that at the start by more than a threshold, s; -1 for not yet
	When    float64 // when the thickness was largest, s
	Wet     float64 // how long there was more water than the threshold, s
}

// Peaks is the extremes of owned cells.
type Peaks struct {
	Of        []Peak
	Threshold float64 // m
}

// UpdatePeaks updates the extremes of cell i with the state w. In a step, whose length it finds as TileStep does, it is
// called with the state at its start, and adds its length to the time with water; without a step it adds nothing, so
// that the same state may be counted twice.
//
//atoll:kernel step=false,true
func UpdatePeaks[F num.Float](i int, step bool, p *Params[F], clock *Clock[F], waves *atomics.Least[F], peaks *Peaks,
	beds []Bed[F], w []State[F]) {
	now := *clock
	if step {
		now = clock.atStepStart(waves)
		if now.Stop {
			return
		}
	}
	c := w[i]
	if c.H2 < p.DryDepth {
		return
	}
	h := float64(c.H2)
	k := &peaks.Of[i]
	if h > k.Depth {
		k.Depth, k.When = h, now.Time
	}
	level := h - float64(beds[i].Depth)
	k.Level = max(k.Level, level)
	if k.Arrival < 0 && num.Abs(level-k.Start) > peaks.Threshold {
		k.Arrival = now.Time
	}
	if step && h > peaks.Threshold {
		k.Wet += float64(now.Dt)
	}
	x, y := float64(c.Q2x)/h, float64(c.Q2y)/h
	square := x*x + y*y
	speed := num.Sqrt(square)
	k.Speed, k.Flux = max(k.Speed, speed), max(k.Flux, h*square)
	k.Hazard = max(k.Hazard, h*(speed+.5))
}
