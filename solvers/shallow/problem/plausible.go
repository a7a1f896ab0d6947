package problem

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
)

// Values beyond these are possible, and usually of another unit than the writer of the case meant.
const (
	heavyRain  = 1. / 3600 // m/s
	leastN     = 0.008     // s/m^(1/3), of glass
	mostN      = 0.5       // of dense forest
	maxDegrees = 90
)

// noteImplausible adds a note for each constant that is probably not in the unit that its key has.
func (w *Sections) noteImplausible(c *config.Case) {
	if rain := w.Forcing.Rain; rain != nil {
		if v, ok := rain.Program.Constant(); ok && v > heavyRain {
			c.Note(fmt.Sprintf(`[forcing] rain: %g m/s are %g mm/h, more than 1 m/h: write "%[1]g mm/h" if that is meant`, v,
				v*3.6e6))
		}
	}
	if v, ok := w.Physics.Manning.Program.Constant(); ok && v != 0 && (v < leastN || v > mostN) {
		c.Note(fmt.Sprintf("[physics] manning: n = %g s/m^(1/3), surfaces have %g to %g: Strickler's coefficient is 1/n", v,
			leastN, mostN))
	}
	if f := w.Forcing.Latitude; f != nil {
		if v, ok := f.Program.Constant(); ok && math.Abs(v) > maxDegrees {
			c.Note(fmt.Sprintf("[forcing] latitude: %g degrees are beyond the poles", v))
		}
	}
}
