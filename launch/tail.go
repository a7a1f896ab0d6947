package launch

import (
	"bytes"
	"fmt"
	"io"
)

// tailSize is how much of a rank's output is kept.
const tailSize = 64 << 10

// Lines shown of the rank to blame, and of each other rank that failed.
const (
	linesOfCause = 100
	linesOfOther = 10
)

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	buf  []byte // a ring once it is full
	next int    // where the oldest byte is, and the next goes, once it is full
	cut  bool   // something was overwritten
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > tailSize {
		p, t.cut = p[len(p)-tailSize:], true
	}
	if room := min(tailSize-len(t.buf), len(p)); room > 0 {
		t.buf = append(t.buf, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		k := copy(t.buf[t.next:], p)
		p, t.next, t.cut = p[k:], (t.next+k)%tailSize, true
	}
	return n, nil
}

// last returns at most n whole lines from the end, and whether there was more before them. A line is whole if it
// began within what is kept; a single one that did not is returned as it is.
func (t *tail) last(n int) (lines [][]byte, more bool) {
	all := append(bytes.Clone(t.buf[t.next:]), t.buf[:t.next]...)
	all = bytes.TrimRight(all, "\r\n")
	if len(all) == 0 {
		return nil, t.cut
	}
	lines, more = bytes.Split(all, []byte("\n")), t.cut
	if t.cut && len(lines) > 1 {
		lines = lines[1:]
	}
	if len(lines) > n {
		lines, more = lines[len(lines)-n:], true
	}
	return lines, more
}

// report writes the ends of the outputs of the ranks that failed, consequences first and the cause at the end, where
// a reader looks. tails[r] is nil where the output of rank r was passed through. Ranks are counted from first.
func report(w io.Writer, cause, first int, exits []exit, tails []*tail) error {
	var out bytes.Buffer
	seen := make(map[string]int)
	show := func(rank, n int) {
		if tails[rank] == nil {
			return
		}
		lines, more := tails[rank].last(n)
		// Ranks that refuse the same input, or lose the same peer, say the same: once is enough.
		key := string(bytes.Join(lines, []byte("\n")))
		if same, ok := seen[key]; ok && len(lines) > 0 {
			fmt.Fprintf(&out, "[rank %d] same output as rank %d\n", first+rank, first+same)
			return
		}
		seen[key] = rank
		if more {
			fmt.Fprintf(&out, "[rank %d] (earlier output left out)\n", first+rank)
		}
		for _, line := range lines {
			fmt.Fprintf(&out, "[rank %d] %s\n", first+rank, line)
		}
	}
	for _, e := range exits {
		if e.failed() && e.rank != cause {
			show(e.rank, linesOfOther)
		}
	}
	show(cause, linesOfCause)
	_, err := w.Write(out.Bytes())
	return err
}
