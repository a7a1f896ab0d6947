package launch

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is the length in bytes at which a line is written although it has not ended.
const maxLine = 64 << 10

// LineWriter buffers its input and writes it to out in whole lines, each with a prefix, so that several ranks can write
// to the same terminal or file.
type LineWriter struct {
	out     io.Writer
	prefix  string
	shared  *sync.Mutex // held by a LineWriter while it writes to out
	partial []byte      // the start of a line that has not ended
}

// NewLineWriter returns a writer of prefixed lines to out. Writers to the same out share a mutex.
func NewLineWriter(out io.Writer, prefix string, shared *sync.Mutex) *LineWriter {
	return &LineWriter{out: out, prefix: prefix, shared: shared}
}

// Write writes the lines that end within p, and buffers the rest of p.
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

// Flush writes a buffered partial line, if there is one.
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
