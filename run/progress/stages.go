package progress

import (
	"fmt"
	"sync"
	"time"
)

// Stages shows how far a set-up is that takes long: its stages one after the other, what share of one is done, and how
// long that will still take.
type Stages struct {
	lock    sync.Mutex
	o       Options
	name    string
	begun   time.Time // the stage
	shown   time.Time
	painted bool
}

// NewStages begins with none.
func NewStages(o Options) *Stages {
	if o.Now == nil {
		o.Now = time.Now
	}
	now := o.Now()
	return &Stages{o: o, begun: now, shown: now}
}

// Tell tells that of a stage so many parts are done; of is 0 where there is nothing to count. It returns at once where
// nothing is shown.
func (s *Stages) Tell(name string, done, of int) {
	if s.o.Out == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	now := s.o.Now()
	if name != s.name {
		s.name, s.begun = name, now
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
	if of > 0 {
		text += fmt.Sprintf("  %3d %%", 100*int64(done)/int64(of))
	}
	if took := now.Sub(s.begun); done > 0 && took > 0 {
		left := time.Duration(float64(took) / float64(done) * float64(of-done))
		text += fmt.Sprintf("  ETA %s", clock(left))
	}
	if s.o.Width == nil {
		fmt.Fprintln(s.o.Out, text)
		return
	}
	fmt.Fprint(s.o.Out, eraseLine, text[:min(len(text), max(0, s.o.Width()-1))])
	s.painted = true
}

// Write writes whole lines of other text above what is shown.
func (s *Stages) Write(text []byte) (int, error) {
	if s.o.Out == nil {
		return len(text), nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.clear()
	return s.o.Out.Write(text)
}

// Finish takes what is painted away.
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
