package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Timing is one measurement, for programs that compare builds.
type Timing struct {
	Name      string  `json:"name"`                  // solver, size and method, in one line
	Updates   int64   `json:"updates"`               // of cells or vertices
	Wall      float64 `json:"wall_s"`                // s that passed
	Processor float64 `json:"processor_s,omitempty"` // s of processors, of all threads; 0 where it is not known
}

// Fastest is the most updates a second of any of several measurements.
func Fastest(timings []Timing) (rate float64) {
	for _, t := range timings {
		rate = max(rate, float64(t.Updates)/t.Wall)
	}
	return rate
}

// WriteTimings writes timings of one name, each as a line.
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

// Outputs are where a table and where lines of JSON go: one of them nowhere.
func Outputs(w io.Writer, asJSON bool) (table, lines io.Writer) {
	if asJSON {
		return io.Discard, w
	}
	return w, io.Discard
}

// Watch measures time from when it is started.
type Watch struct {
	wall      time.Time
	processor time.Duration
}

// StartWatch starts one.
func StartWatch() Watch { return Watch{time.Now(), processorTime()} }

// Of is the timing of so many updates since the watch was started.
func (s Watch) Of(updates int64) Timing {
	processor := processorTime() - s.processor
	return Timing{Updates: updates, Wall: s.Seconds(), Processor: processor.Seconds()}
}

// Seconds are those that have passed.
func (s Watch) Seconds() float64 { return time.Since(s.wall).Seconds() }
