package progress

import (
	"fmt"
	"sync"
	"time"
)

// Stages shows the progress of a long set-up: the current stage, the completed share of it, and the estimated remaining
// time.
type Stages struct {
	lock    sync.Mutex
	o       Options
	name    string
	start   time.Time // start of the stage
	shown   time.Time
	painted bool
}

// NewStages returns Stages without a current stage.
func NewStages(o Options) *Stages {
	if o.Now == nil {
		o.Now = time.Now
	}
	now := o.Now()
	return &Stages{o: o, start: now, shown: now}
}

// Update shows that done of total parts of a stage are done; total is 0 if there is nothing to count. It returns at
// once if no line is due.
func (s *Stages) Update(name string, done, total int) {
	if s.o.Out == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	now := s.o.Now()
	if name != s.name {
		s.name, s.start = name, now
	}
	pause := pause
	if s.o.Width != nil {
		pause = repaint
	}
	if now.Sub(s.shown) < pause {
		return
	}
	s.shown = now
	text := fmt.Sprintf("%-16s %s", "set-up", name)
	if total > 0 {
		text += fmt.Sprintf("  %3d %%", 100*int64(done)/int64(total))
	}
	if took := now.Sub(s.start); done > 0 && took > 0 {
		left := time.Duration(float64(took) / float64(done) * float64(total-done))
		text += fmt.Sprintf("  ETA %s", clock(left))
	}
	if s.o.Width == nil {
		fmt.Fprintln(s.o.Out, text)
		return
	}
	fmt.Fprint(s.o.Out, eraseLine, text[:min(len(text), max(0, s.o.Width()-1))])
	s.painted = true
}

// Write writes whole lines of other text above the progress line.
func (s *Stages) Write(text []byte) (int, error) {
	if s.o.Out == nil {
		return len(text), nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear()
	return s.o.Out.Write(text)
}

// Finish erases the painted line.
func (s *Stages) Finish() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear()
}

func (s *Stages) clear() {
	if s.painted {
		fmt.Fprint(s.o.Out, eraseLine)
		s.painted = false
	}
}
