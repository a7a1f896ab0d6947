package launch

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// tailSize is how many bytes of a rank's output are kept.
const tailSize = 64 << 10

// How many lines of output are shown of the rank whose failure is the cause, and of each other rank that failed.
const (
	linesOfCause = 100
	linesOfOther = 10
)

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	buf  []byte // grows to tailSize, then is a ring buffer
	next int    // in the ring buffer, the index of the oldest byte, which is overwritten next; 0 before
	cut  bool   // bytes were dropped
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > tailSize {
		p, t.cut = p[len(p)-tailSize:], true
	}
	if space := min(tailSize-len(t.buf), len(p)); space > 0 {
		t.buf = append(t.buf, p[:space]...)
		p = p[space:]
	}
	for len(p) > 0 {
		k := copy(t.buf[t.next:], p)
		p, t.next, t.cut = p[k:], (t.next+k)%tailSize, true
	}
	return n, nil
}

// lastLines returns at most n lines from the end, and whether there was output before them. A line whose start was
// overwritten is left out, unless it is the only one.
func (t *tail) lastLines(n int) (lines [][]byte, isTruncated bool) {
	kept := append(bytes.Clone(t.buf[t.next:]), t.buf[:t.next]...)
	kept = bytes.TrimRight(kept, "\r\n")
	if len(kept) == 0 {
		return nil, t.cut
	}
	lines, isTruncated = bytes.Split(kept, []byte("\n")), t.cut
	if t.cut && len(lines) > 1 {
		lines = lines[1:]
	}
	if len(lines) > n {
		lines, isTruncated = lines[len(lines)-n:], true
	}
	return lines, isTruncated
}

// causeWords begin the lines by which Go and others say why a process ends. The lines after them are details.
var causeWords = []string{"panic: ", "fatal error: ", "runtime: ", "SIGSEGV", "atoll: ",
	"terminate called", "error while "}

// maxWords is the largest length of a line that is quoted as a reason.
const maxWords = 300

// lastWords returns the line that most likely says why the process has ended: the first that begins as a cause does,
// or the last one; "" without output.
func (t *tail) lastWords() string {
	lines, _ := t.lastLines(tailSize)
	if len(lines) == 0 {
		return ""
	}
	line := lines[len(lines)-1]
	for _, l := range lines {
		if slices.ContainsFunc(causeWords, func(w string) bool { return bytes.HasPrefix(l, []byte(w)) }) {
			line = l
			break
		}
	}
	text := strings.ToValidUTF8(strings.TrimSpace(string(line)), "?")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + "…"
	}
	return text
}

// writeTails writes the last lines of output of the ranks that failed. The rank that is the cause comes last, where a
// user looks first. tails[r] is nil if the output of rank r has been shown. Ranks are counted from first.
func writeTails(w io.Writer, cause, first int, exits []exit, tails []*tail) error {
	var out bytes.Buffer
	shown := make(map[string]int) // output → the rank that wrote it
	show := func(rank, n int) {
		if tails[rank] == nil {
			return
		}
		lines, more := tails[rank].lastLines(n)
		// Ranks that refuse the same input, or lose the same peer, write the same lines: show them once.
		key := string(bytes.Join(lines, []byte("\n")))
		if same, ok := shown[key]; ok && len(lines) > 0 {
			fmt.Fprintf(&out, "[rank %d] same output as rank %d\n", first+rank, first+same)
			return
		}
		shown[key] = rank
		if more {
			fmt.Fprintf(&out, "[rank %d] (earlier output omitted)\n", first+rank)
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
