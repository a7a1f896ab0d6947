package launch

import (
	"bytes"
	"io"
	"sync"
)

// maxLine bounds what is kept of a line that does not end.
const maxLine = 64 << 10

// LineWriter passes what is written to it on by whole lines, each with a prefix, so that the lines of several ranks do
// not mix within a line.
type LineWriter struct {
	out     io.Writer
	prefix  string
	shared  *sync.Mutex // taken by all that write to out
	partial []byte      // of a line that has not ended
}

// NewLineWriter returns a writer of prefixed lines to out. Writers to the same out share a mutex.
func NewLineWriter(out io.Writer, prefix string, shared *sync.Mutex) *LineWriter {
	return &LineWriter{out: out, prefix: prefix, shared: shared}
}

// Write passes on the lines that end within p, and keeps the rest.
func (l *LineWriter) Write(p []byte) (int, error) {
	l.partial = append(l.partial, p...)
	end := bytes.LastIndexByte(l.partial, '\n') + 1
	if end == 0 && len(l.partial) < maxLine {
		return len(p), nil
	}
	if end == 0 {
		return len(p), l.Flush()
	}
	err := l.writeLines(l.partial[:end])
	l.partial = append(l.partial[:0], l.partial[end:]...)
	return len(p), err
}

// Flush passes on a line that has not ended.
func (l *LineWriter) Flush() error {
	if len(l.partial) == 0 {
		return nil
	}
	err := l.writeLines(append(l.partial, '\n'))
	l.partial = l.partial[:0]
	return err
}

func (l *LineWriter) writeLines(text []byte) error {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(append(out, l.prefix...), line...)
	}
	l.shared.Lock()
	defer l.shared.Unlock()
	_, err := l.out.Write(out)
	return err
}
