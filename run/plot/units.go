package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/calendar"
	"github.com/atoll-hpc/atoll/solvers"
)

// unitOf returns the unit of a quantity that solvers write; "" if it has none or is unknown.
func unitOf(name string) string {
	if base, _, ok := strings.Cut(name, solvers.SourceInfix); ok {
		name = base // a source has the unit of its quantity
	}
	if f, _, ok := solvers.FieldOf(name); ok {
		return f.Unit
	}
	if f, ok := solvers.FlowOf(name); ok {
		return f.Unit
	}
	q, _, _ := solvers.QuantityOf(name)
	return q.Unit
}

func withUnit(name string) string {
	if u := unitOf(name); u != "" {
		return name + " (" + u + ")"
	}
	return name
}

// rangeOf returns the declared range of a field's colours; nil for the range of its values.
func rangeOf(field string) *[2]float64 {
	f, _, _ := solvers.FieldOf(field)
	return f.Range
}

// moment formats the time of a frame: as a date if the case has one for the start.
func (r *runner) moment(d *frameData, seconds float64) string {
	if epoch := epochOf(r); !epoch.IsZero() {
		return calendar.Text(epoch, seconds)
	}
	return d.timeText(seconds)
}

// epochOf is the date of the start of a run; zero for none.
func epochOf(r *runner) time.Time {
	if r.runCase == nil {
		return time.Time{}
	}
	return calendar.Epoch(r.runCase.Time.Epoch)
}

// timeText formats the time of a frame with the given fields: in s, or if it is long in hours, to 4 s; in sweeps for
// solvers without time.
func timeText(fields []string, time float64) string {
	for _, name := range fields {
		if _, k, _ := solvers.FieldOf(name); k.Sweeps {
			return "after " + words.Count(int64(time), "sweep")
		}
	}
	if math.Abs(time) >= 1e4 {
		return "t = " + strconv.FormatFloat(math.Round(time/3.6)/1000, 'f', -1, 64) + " h"
	}
	return fmt.Sprintf("t = %.6g s", time)
}
