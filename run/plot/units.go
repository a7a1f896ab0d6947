package plot

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

// unitOf returns the unit of a quantity that solvers write, "" where it has none or is not known.
func unitOf(name string) string {
	if of, _, ok := strings.Cut(name, solvers.SourceInfix); ok {
		name = of // of a source: how much it brought
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

// rangeOf is what the colours of a field are to span, nil for what its values do.
func rangeOf(field string) *[2]float64 {
	f, _, _ := solvers.FieldOf(field)
	return f.Range
}

// moment says when a frame with some fields is: after how many sweeps, of solvers without time.
func moment(fields []string, time float64) string {
	for _, name := range fields {
		if _, k, _ := solvers.FieldOf(name); k.Sweeps {
			return "after " + words.Count(int64(time), "sweep")
		}
	}
	return fmt.Sprintf("t = %.6g s", time)
}
