// Package progress shows the progress of a run: on a terminal as a line that is repainted, elsewhere as occasional
// plain lines. Line shows the steps of a run, Stages the set-up before it.
package progress

import (
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	repaintInterval = 100 * time.Millisecond // shortest time between repaints on a terminal
	lineInterval    = 2 * time.Second        // shortest time between plain lines
	defaultWidth    = 80                     // columns of a terminal of unknown width, such as that of docker run -t

	maxLineInterval = time.Minute // longest time between plain lines; normally there is one after each tenth of the run
)

// Options say where and how progress is shown.
type Options struct {
	Out   io.Writer        // nil for no output
	Width func() int       // current columns of the terminal, 0 if unknown; nil if Out is not a terminal
	Now   func() time.Time // nil for time.Now
}

// For returns the options for a file, usually os.Stderr: a repainted line if it is a capable terminal, no output if
// quiet. Windows consoles get plain lines, because some print control codes as text.
func For(f *os.File, quiet bool) Options {
	if quiet {
		return Options{}
	}
	o := Options{Out: f}
	if fd := int(f.Fd()); term.IsTerminal(fd) && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows" {
		o.Width = func() int {
			columns, _, _ := term.GetSize(fd) // 0 on error
			return columns
		}
	}
	return o
}

// Run is the range of steps and times of a run.
type Run struct {
	Cells    int64   // updated in each step
	End      float64 // s, simulated; 0 for a run without time, whose steps are sweeps
	MaxSteps int     // 0 for no limit
	Step     int     // first step; not 0 after a restart
	Time     float64
}

// Line shows the progress of one run. Its methods may be called by several goroutines.
type Line struct {
	mu        sync.Mutex
	options   Options
	run       Run
	start     time.Time
	lastShown time.Time // time of the last paint or line
	tenths    int       // completed tenths of the run at the last line
	painted   bool      // the terminal shows a painted line
	buffer    []byte
}

// New starts the clock of a run.
func New(o Options, run Run) *Line {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Line{options: o, run: run, start: o.Now(), buffer: make([]byte, 0, 256)}
	l.lastShown = l.start
	l.tenths = tenths(run.portion(run.Step, run.Time))
	return l
}

// Step shows the state after a step: its number, the time t and step length dt in s. It allocates nothing unless
// something is printed.
func (l *Line) Step(step int, t, dt float64) {
	if l.options.Out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.options.Now()
	since := now.Sub(l.lastShown)
	if l.options.Width != nil {
		if since < repaintInterval {
			return
		}
		l.paint(l.state(step, t, dt, now))
		l.lastShown = now
		return
	}
	if since < lineInterval {
		return
	}
	s := l.state(step, t, dt, now)
	if tenths(s.portion) <= l.tenths && since < maxLineInterval {
		return
	}
	l.buffer = append(s.appendTo(l.buffer[:0], 1<<10, false), '\n')
	l.write()
	l.lastShown, l.tenths = now, tenths(s.portion)
}

// Write writes whole lines of other text above the progress line.
func (l *Line) Write(text []byte) (int, error) {
	if l.options.Out == nil {
		return len(text), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.lastShown = time.Time{} // paint with the next step
	return l.options.Out.Write(text)
}

// Finish erases the painted line and leaves the cursor at the start of an empty line.
func (l *Line) Finish() {
	if l.options.Out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

const eraseLine = "\r\x1b[K"

func (l *Line) paint(s state) {
	columns := l.options.Width()
	if columns <= 0 {
		columns = defaultWidth
	}
	columns-- // some terminals wrap after the last column
	l.buffer = append(l.buffer[:0], eraseLine...)
	l.buffer = s.appendTo(l.buffer, columns, true)
	l.write()
	l.painted = true
}

func (l *Line) clear() {
	if l.painted {
		l.buffer = append(l.buffer[:0], eraseLine...)
		l.write()
		l.painted = false
	}
}

// write ignores errors: a terminal that went away must not end the run.
func (l *Line) write() { _, _ = l.options.Out.Write(l.buffer) }
