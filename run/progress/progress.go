// Package progress shows how far a run is: a line that repaints itself on a terminal, and now and then a plain
// line elsewhere.
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
	repaint    = 100 * time.Millisecond // at least, between two paints on a terminal
	pause      = 2 * time.Second        // at least, between two plain lines
	usualWidth = 80                     // columns of a terminal that tells none, as of docker run -t

	heartbeat = time.Minute // at most, between two plain lines; else they come after each tenth of the run
)

// Options say where the progress is shown.
type Options struct {
	Out   io.Writer        // nil shows nothing
	Width func() int       // columns of the terminal now, 0 if unknown; nil where Out is none
	Now   func() time.Time // nil for time.Now
}

// For returns the options for a file, usually os.Stderr: painted if it is a terminal that can, and nothing if quiet.
// Consoles of Windows get plain lines: some print the codes of a painted one.
func For(f *os.File, quiet bool) Options {
	if quiet {
		return Options{}
	}
	o := Options{Out: f}
	if fd := int(f.Fd()); term.IsTerminal(fd) && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows" {
		o.Width = func() int {
			columns, _, _ := term.GetSize(fd) // 0 where it does not tell
			return columns
		}
	}
	return o
}

// Run is the extent of what is shown.
type Run struct {
	Cells    int64   // updated in each step
	End      float64 // s, simulated; 0 for a run without time, whose steps are sweeps
	MaxSteps int     // 0 for no limit
	Step     int     // where the run starts, not 0 after a restart
	Time     float64
}

// Line shows the progress of one run. Its methods may be called by several goroutines.
type Line struct {
	mu      sync.Mutex
	o       Options
	run     Run
	start   time.Time
	shown   time.Time // the last paint or line
	tenths  int       // of the run that were done at the last line
	painted bool      // the terminal's last line is ours
	buffer  []byte
}

// New starts the clock of a run.
func New(o Options, run Run) *Line {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Line{o: o, run: run, start: o.Now(), buffer: make([]byte, 0, 256)}
	l.shown = l.start
	l.tenths = tenths(run.portion(run.Step, run.Time))
	return l
}

// Step tells the progress that a step of length dt led to time t, in s. It allocates nothing unless something is
// shown.
func (l *Line) Step(step int, t, dt float64) {
	if l.o.Out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.o.Now()
	since := now.Sub(l.shown)
	if l.o.Width != nil {
		if since < repaint {
			return
		}
		l.paint(l.state(step, t, dt, now))
		l.shown = now
		return
	}
	if since < pause {
		return
	}
	s := l.state(step, t, dt, now)
	if tenths(s.portion) <= l.tenths && since < heartbeat {
		return
	}
	l.buffer = append(s.appendTo(l.buffer[:0], 1<<10, false), '\n')
	l.write()
	l.shown, l.tenths = now, tenths(s.portion)
}

// Write writes whole lines of other text, such as messages, above the progress.
func (l *Line) Write(text []byte) (int, error) {
	if l.o.Out == nil {
		return len(text), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.shown = time.Time{} // paint with the next step
	return l.o.Out.Write(text)
}

// Finish takes the painted line away; the cursor is left at the start of an empty line.
func (l *Line) Finish() {
	if l.o.Out == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

const eraseLine = "\r\x1b[K"

func (l *Line) paint(s state) {
	columns := l.o.Width()
	if columns <= 0 {
		columns = usualWidth
	}
	columns-- // The last one stays free: in it some terminals wrap.
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
func (l *Line) write() { _, _ = l.o.Out.Write(l.buffer) }
