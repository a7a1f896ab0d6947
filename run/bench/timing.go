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

// fastest is the most updates a second of any of several measurements.
func fastest(timings []Timing) (rate float64) {
	for _, t := range timings {
		rate = max(rate, float64(t.Updates)/t.Wall)
	}
	return rate
}

// writeTimings writes timings of one name, each as a line.
func writeTimings(w io.Writer, timings []Timing, name string, args ...any) error {
	lines := json.NewEncoder(w)
	for _, t := range timings {
		t.Name = fmt.Sprintf(name, args...)
		if err := lines.Encode(t); err != nil {
			return fmt.Errorf("bench %s: %w", t.Name, err)
		}
	}
	return nil
}

// outputs are where a table and where lines of JSON go: one of them nowhere.
func outputs(w io.Writer, asJSON bool) (table, lines io.Writer) {
	if asJSON {
		return io.Discard, w
	}
	return w, io.Discard
}

// watch measures time from when it is started.
type watch struct {
	wall      time.Time
	processor time.Duration
}

func startWatch() watch { return watch{time.Now(), processorTime()} }

// of is the timing of so many updates since the watch was started.
func (s watch) of(updates int64) Timing {
	processor := processorTime() - s.processor
	return Timing{Updates: updates, Wall: time.Since(s.wall).Seconds(), Processor: processor.Seconds()}
}
