package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/atoll-hpc/atoll/run/summary"
)

// Timing is one measurement, printed as JSON for programs that compare builds.
type Timing struct {
	Name      string  `json:"name"`                  // solver, size and method, in one line
	Updates   int64   `json:"updates"`               // number of cell or vertex updates
	Wall      float64 `json:"wall_s"`                // wall-clock time, s
	Processor float64 `json:"processor_s,omitempty"` // processor time of all threads, s; 0 if unknown
}

// Fastest returns the highest rate of several measurements, in updates per second.
func Fastest(timings []Timing) (rate float64) {
	for _, t := range timings {
		rate = max(rate, float64(t.Updates)/t.Wall)
	}
	return rate
}

// WriteTimings writes timings with a common name, one JSON object per line.
func WriteTimings(w io.Writer, timings []Timing, name string, args ...any) error {
	lines := json.NewEncoder(w)
	for _, t := range timings {
		t.Name = fmt.Sprintf(name, args...)
		if err := lines.Encode(t); err != nil {
			return fmt.Errorf("bench %s: %w", t.Name, err)
		}
	}
	return nil
}

// Outputs returns the writers for a table and for lines of JSON; one of them discards its input.
func Outputs(w io.Writer, asJSON bool) (table, lines io.Writer) {
	if asJSON {
		return io.Discard, w
	}
	return w, io.Discard
}

// Watch is a stopwatch for wall-clock and processor time.
type Watch struct {
	wall      time.Time
	processor time.Duration
}

// StartWatch starts a stopwatch.
func StartWatch() Watch { return Watch{time.Now(), summary.ProcessorTime()} }

// Timing returns the timing of a number of updates since the start.
func (w Watch) Timing(updates int64) Timing {
	processor := summary.ProcessorTime() - w.processor
	return Timing{Updates: updates, Wall: w.Seconds(), Processor: processor.Seconds()}
}

// Seconds returns the wall-clock time since the start in s.
func (w Watch) Seconds() float64 { return time.Since(w.wall).Seconds() }
