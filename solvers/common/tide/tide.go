// Package tide computes levels of the sea from harmonic constants of the tide,
//
//	z(t) = Z₀ + Σ f A cos(V + u - g),
//
// with the amplitude A and the Greenwich phase lag g of each constituent at a place, its argument V, which the mean
// longitudes of moon and sun give, and the slow modulation f and u by the plane of the moon's orbit.
package tide

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/internal/dates"
)

// Constants are the harmonic constants of a place.
type Constants struct {
	Mean  float64 // Z₀, m
	Waves []Wave
}

// Wave is the part of one constituent.
type Wave struct {
	*Constituent
	Amplitude float64 // m
	Lag       float64 // g, degrees, of the phase behind that of V in universal time
}

// Level returns the level in m over t in s of a run, from a table of harmonic constants: see Read. Modulations are
// those of the middle of the run.
func Level(path, sheet string, time config.Time) (*expr.Program, error) {
	if time.Epoch == "" {
		return nil, fmt.Errorf("%s: constituents of a tide need the date of t = 0: give [time] epoch, as in epoch = "+
			`"2026-01-31T12:00:00Z"`, path)
	}
	epoch, err := dates.Parse("2000-01-01T12:00:00Z")
	if err != nil {
		return nil, err
	}
	before, err := time.Seconds(epoch)
	if err != nil {
		return nil, err
	}
	c, err := Read(path, sheet)
	if err != nil {
		return nil, err
	}
	return expr.Compile(c.expression(-before/day, time.End))
}

const day = 86400 // s

// expression returns the level as an expression over t from 0 to end, in s, of a run that begins at a time in days
// after 2000-01-01 12:00 of universal time.
func (c *Constants) expression(start, end float64) string {
	middle := skyAt(start + end/2/day)
	text := []string{number(c.Mean)}
	for _, w := range c.Waves {
		f, u := w.modulationAt(&middle)
		v, rate := w.argumentAt(&middle)
		speed := rate * degree / day
		phase := math.Mod((v+u-w.Lag)*degree-speed*end/2, 2*math.Pi)
		if phase < 0 {
			phase += 2 * math.Pi
		}
		text = append(text, fmt.Sprintf("%s*cos(%s*t + %s)", number(f*w.Amplitude), number(speed), number(phase)))
	}
	return strings.Join(text, " + ")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
