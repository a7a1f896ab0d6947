package problem

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

// Values beyond these are possible, and usually of another unit than the writer of the case meant.
const (
	heavyRain  = 1. / 3600 // m/s
	leastN     = 0.008     // s/m^(1/3), of glass
	mostN      = 0.5       // of dense forest
	maxDegrees = 90
	mostSucked = 2. // m, at the wetting front; clay has .3
)

// noteImplausible adds a note for each constant that is probably not in the unit that its key has.
func (w *Sections) noteImplausible(c *config.Case) {
	if rain := w.Forcing.Rain; rain != nil {
		noteRate(c, "rain", rain.Program)
	}
	for _, rate := range []string{"infiltration", coefficients.Conductivity, coefficients.ContinuingLoss,
		coefficients.InitialRate, coefficients.FinalRate} {
		if f := w.Forcing.Coefficients[rate]; f != nil {
			noteRate(c, rate, f.Program)
		}
	}
	for _, key := range roughnesses {
		if f := w.Forcing.Coefficients[key]; f != nil {
			if v, ok := f.Program.Constant(); ok {
				noteManning(c, key, v, v)
			}
		}
	}
	if f := w.Forcing.Coefficients[coefficients.Suction]; f != nil {
		if v, ok := f.Program.Constant(); ok && v > mostSucked {
			c.Note(fmt.Sprintf(`[forcing] suction: %g m, and clay has .3 m: write "%[1]g mm" if that is meant`, v))
		}
	}
	if f := w.Forcing.Coefficients[coefficients.Latitude]; f != nil {
		if v, ok := f.Program.Constant(); ok && math.Abs(v) > maxDegrees {
			c.Note(fmt.Sprintf("[forcing] latitude: %g degrees are beyond the poles", v))
		}
	}
	for _, group := range slices.Sorted(maps.Keys(w.Boundary.Given)) {
		if g := w.Boundary.Given[group]; w.Forcing.presses() && g.Value != nil && g.Ambient == nil &&
			(g.Kind == "level" || g.Kind == "radiation") {
			c.Note(fmt.Sprintf("[boundary] %s: the level does not rise where the pressure of the air is low: "+
				`ambient = "1013 hPa" adds that, unless the level has it already`, group))
		}
		if kind := w.Boundary.Given[group].Kind; w.Boundary.Default == "open" && (kind == "inflow" || kind == "discharge") {
			c.Note(fmt.Sprintf("[boundary] default: sides beside %q are open, and much of its water may leave there at once: "+
				`keep the default "wall", and open the groups where water should leave`, group))
			break
		}
	}
}

// noteRate adds a note if a constant rate of rain or losses is hardly possible.
func noteRate(c *config.Case, key string, p *expr.Program) {
	if v, ok := p.Constant(); ok && v > heavyRain {
		c.Note(fmt.Sprintf(`[forcing] %s: %g m/s are %g mm/h, more than 1 m/h: write "%[2]g mm/h" if that is meant`, key, v,
			v*3.6e6))
	}
}

// roughnesses are the keys of Manning's n.
var roughnesses = []string{coefficients.Manning, coefficients.ManningShallow}

// noteManning adds a note if values of Manning's n are not those of surfaces. 0 is no friction.
func noteManning(c *config.Case, key string, least, most float64) {
	for _, v := range []float64{most, least} {
		if v != 0 && (v < leastN || v > mostN) {
			c.Note(fmt.Sprintf("[physics] %s: n = %g s/m^(1/3), surfaces have %g to %g: Strickler's coefficient is 1/n, "+
				"and classes of land cover need a table", key, v, leastN, mostN))
			return
		}
	}
}

// checkFiles checks the values of fields that come from files. All ranks call it.
func checkFiles(ctx context.Context, comm dist.Comm, c *config.Case, markers *domain.Markers) error {
	if err := markers.Check(ctx, comm, c.Note); err != nil {
		return err
	}
	for _, key := range roughnesses {
		if least, most, ok := markers.Range(key); ok {
			noteManning(c, key, least, most)
		}
	}
	return nil
}

// noteHeavyRain returns a note if rain from a file is hardly possible; "" else.
func noteHeavyRain(file string, rows []series.Row) string {
	most := slices.MaxFunc(rows, func(a, b series.Row) int { return cmp.Compare(a.Value, b.Value) })
	if !(most.Value > 10*heavyRain) { // tests of schemes have rain of some m/h
		return ""
	}
	return fmt.Sprintf("[forcing] rain: %s has %g m/s at t = %g s, which are %g mm/h: if its values are in "+
		"another unit, name that in the title of the column, as in rain [mm/h], or in the attribute units", file, most.Value,
		most.T, most.Value*3.6e6)
}

// noteThinFlow adds a note if water will be thinner than the bed's steps between cells, in rain or on a dry bed, and
// the run is not of second order, which such flow needs. (Two layers have no rain.)
func (w *Sections) noteThinFlow(c *config.Case) {
	if w.Physics.Order == 2 || w.Physics.Layers == 2 {
		return
	}
	constant := map[string]string{} // fields that are numbers
	for _, f := range w.Initial {
		if v, err := strconv.ParseFloat(f.Expr, 64); err == nil {
			constant[f.Name] = fmt.Sprint(v)
		}
	}
	if constant["depth"] == "" && (w.Forcing.rains() || constant["h"] == "0") {
		c.Note("[physics] order: at first order, water thinner than the bed's steps between cells flows too slowly and is " +
			"too deep: rain and floods on slopes need order = 2")
	}
}
