package watch

import (
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// About describes a run. It does not change during the run.
type About struct {
	Case, Title, Solver                string
	Unit                               string // entity that a step updates: cell or vertex
	Ranks, Threads                     int
	Transport, Backend, Halo           string
	Precision, Version                 string
	Sweeps                             bool // the run has no time: steps are sweeps
	progress.Run                            // start and end
	PictureOf, PictureUnit, PictureDoc string
}

// Event is something that happened to a run: a restart, a checkpoint, a warning.
type Event struct {
	Time time.Time
	Text string
}

// state is the latest state of the run for the view.
type state struct {
	mu         sync.Mutex
	about      About
	started    time.Time // start of the steps; zero before
	clock      solvers.Clock
	quantities []solvers.Quantity   // of the latest row
	history    history              // of quantities
	onView     []solvers.Quantity   // measured for the view
	phases     []map[string]float64 // s, by rank
	balance    solvers.Balance
	events     []Event
	restarts   int
	outcome    string // how the run ended; "" before
	ended      time.Time
}

// allQuantities returns the quantities of the latest row, and after them those that it lacks.
func (s *state) allQuantities() []solvers.Quantity {
	all := slices.Clone(s.quantities)
	for _, q := range s.onView {
		if !slices.ContainsFunc(s.quantities, func(of solvers.Quantity) bool { return of.Name == q.Name }) {
			all = append(all, q)
		}
	}
	return all
}

const maxEvents = 20

// log adds an event and drops the oldest if there are too many.
func (s *state) log(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, Event{time.Now(), text})
	if n := len(s.events); n > maxEvents {
		s.events = slices.Delete(s.events, 0, n-maxEvents)
	}
}

// history holds earlier values of the quantities. When it has maxRows rows, every second one is dropped.
type history struct {
	rows               [][]float64
	measurementsPerRow int // number of measurements per row
	count              int // measurements since the last row was dropped
}

const maxRows = 256

func (h *history) add(table []solvers.Quantity) {
	h.measurementsPerRow = max(h.measurementsPerRow, 1)
	h.count++
	if (h.count-1)%h.measurementsPerRow != 0 {
		return
	}
	row := make([]float64, len(table))
	for i, q := range table {
		row[i] = q.Value
	}
	h.rows = append(h.rows, row)
	if len(h.rows) < maxRows {
		return
	}
	for i := range maxRows / 2 {
		h.rows[i] = h.rows[2*i]
	}
	h.rows = h.rows[:maxRows/2]
	h.measurementsPerRow *= 2
	h.count = 0 // so the next row comes about measurementsPerRow measurements after the last one
}

// values returns the history of the i-th quantity, followed by its latest value.
func (h *history) values(i int, latest float64) []float64 {
	var values []float64
	for _, row := range h.rows {
		if i < len(row) {
			values = append(values, row[i])
		}
	}
	return append(values, latest)
}
