package launch

import (
	"bytes"
	"io"
	"sync"
)

// longestLine bounds what is kept of a line that does not end.
const longestLine = 64 << 10

// Lines passes what is written to it on by whole lines, each with a prefix, so that the lines of several ranks do not
// mix within a line.
type Lines struct {
	out    io.Writer
	prefix string
	shared *sync.Mutex // taken by all that write to out
	rest   []byte      // of a line that has not ended
}

// NewLines returns a writer of prefixed lines to out. Writers to the same out share a mutex.
func NewLines(out io.Writer, prefix string, shared *sync.Mutex) *Lines {
	return &Lines{out: out, prefix: prefix, shared: shared}
}

// Write passes on the lines that end within p, and keeps the rest.
func (l *Lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	if end == 0 && len(l.rest) < longestLine {
		return len(p), nil
	}
	if end == 0 {
		return len(p), l.Flush()
	}
	err := l.pass(l.rest[:end])
	l.rest = append(l.rest[:0], l.rest[end:]...)
	return len(p), err
}

// Flush passes on a line that has not ended.
func (l *Lines) Flush() error {
	if len(l.rest) == 0 {
		return nil
	}
	err := l.pass(append(l.rest, '\n'))
	l.rest = l.rest[:0]
	return err
}

func (l *Lines) pass(text []byte) error {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(append(out, l.prefix...), line...)
	}
	l.shared.Lock()
	defer l.shared.Unlock()
	_, err := l.out.Write(out)
	return err
}
