package watch

import (
	"slices"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// About is what does not change in the course of a run.
type About struct {
	Case, Title, Solver        string
	Unit                       string // what a step updates
	Ranks, Threads             int
	Transport, Backend, Halo   string
	Precision, Version         string
	Sweeps                     bool // there is no time: steps are sweeps
	progress.Run                    // where it starts, and its end
	PictureOf, PictureUnit, Of string
}

// Event is something that happened to a run: a restart, a checkpoint, a warning.
type Event struct {
	At   time.Time
	Text string
}

// state is the latest of everything.
type state struct {
	mu       sync.Mutex
	about    About
	begun    time.Time // the steps; zero before
	now      solvers.Clock
	measured []solvers.Quantity
	history  history
	phases   []map[string]float64 // s, by rank
	events   []Event
	restarts int
	outcome  string // how it ended, "" before
	ended    time.Time
}

const mostEvents = 20

// tell keeps the latest events.
func (s *state) tell(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, Event{time.Now(), text})
	if n := len(s.events); n > mostEvents {
		s.events = slices.Delete(s.events, 0, n-mostEvents)
	}
}

// history is how quantities came along: at most so many rows, of which every second one goes when there are too many.
type history struct {
	rows [][]float64
	gap  int // measurements a row
	seen int
}

const mostRows = 256

func (h *history) add(table []solvers.Quantity) {
	h.gap = max(h.gap, 1)
	h.seen++
	if (h.seen-1)%h.gap != 0 {
		return
	}
	row := make([]float64, len(table))
	for i, q := range table {
		row[i] = q.Value
	}
	h.rows = append(h.rows, row)
	if len(h.rows) < mostRows {
		return
	}
	for i := range mostRows / 2 {
		h.rows[i] = h.rows[2*i]
	}
	h.rows = h.rows[:mostRows/2]
	h.gap *= 2
	h.seen = 0 // the next is a gap after the last row that stays, or a little more
}

// of is how the i-th quantity came along, with its latest value.
func (h *history) of(i int, latest float64) []float64 {
	var values []float64
	for _, row := range h.rows {
		if i < len(row) {
			values = append(values, row[i])
		}
	}
	return append(values, latest)
}
