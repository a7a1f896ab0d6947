package progress

import (
	"fmt"
	"sync"
	"time"
)

// Stages shows the progress of a long set-up: the current stage, the completed share of it, and the estimated remaining
// time.
type Stages struct {
	lock      sync.Mutex
	options   Options
	name      string
	start     time.Time // start of the stage
	lastShown time.Time
	painted   bool
}

// NewStages returns Stages without a current stage.
func NewStages(o Options) *Stages {
	if o.Now == nil {
		o.Now = time.Now
	}
	now := o.Now()
	return &Stages{options: o, start: now, lastShown: now}
}

// Update shows that done of total parts of a stage are done; total is 0 if there is nothing to count. It returns at
// once if no line is due.
func (s *Stages) Update(name string, done, total int) {
	if s.options.Out == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	now := s.options.Now()
	if name != s.name {
		s.name, s.start = name, now
	}
	interval := lineInterval
	if s.options.Width != nil {
		interval = repaintInterval
	}
	if now.Sub(s.lastShown) < interval {
		return
	}
	s.lastShown = now
	text := fmt.Sprintf("%-16s %s", "set-up", name)
	if total > 0 {
		text += fmt.Sprintf("  %3d %%", 100*int64(done)/int64(total))
	}
	if elapsed := now.Sub(s.start); done > 0 && elapsed > 0 {
		remaining := time.Duration(float64(elapsed) / float64(done) * float64(total-done))
		text += fmt.Sprintf("  ETA %s", clock(remaining))
	}
	if s.options.Width == nil {
		fmt.Fprintln(s.options.Out, text)
		return
	}
	fmt.Fprint(s.options.Out, eraseLine, text[:min(len(text), max(0, s.options.Width()-1))])
	s.painted = true
}

// Write writes whole lines of other text above the progress line.
func (s *Stages) Write(text []byte) (int, error) {
	if s.options.Out == nil {
		return len(text), nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear()
	return s.options.Out.Write(text)
}

// Finish erases the painted line.
func (s *Stages) Finish() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear()
}

func (s *Stages) clear() {
	if s.painted {
		fmt.Fprint(s.options.Out, eraseLine)
		s.painted = false
	}
}
