package launch

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// However a text is divided into writes, each of its lines is written whole, with the prefix.
func TestLinesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab \n"))).Draw(t, "text")
		var out strings.Builder
		var mu sync.Mutex
		l := NewLineWriter(&out, "[rank 3] ", &mu)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "size")
			if _, err := l.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") {
				t.Fatalf("%q ends within a line", s)
			}
			rest = rest[n:]
		}
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for line := range strings.Lines(text) {
			want.WriteString("[rank 3] " + strings.TrimSuffix(line, "\n") + "\n")
		}
		if out.String() != want.String() {
			t.Fatalf("got %q, want %q", out.String(), want.String())
		}
	})
}

func TestPartialLinesAreBounded(t *testing.T) {
	var out strings.Builder
	var mu sync.Mutex
	l := NewLineWriter(&out, "", &mu)
	for range 100 {
		if _, err := l.Write(make([]byte, maxLine/10)); err != nil {
			t.Fatal(err)
		}
		if cap(l.partial) > 4*maxLine {
			t.Fatalf("the buffer has %d bytes, want at most %d", cap(l.partial), 4*maxLine)
		}
	}
	if out.Len() < 8*maxLine {
		t.Errorf("%d bytes were written, want at least %d", out.Len(), 8*maxLine)
	}
	if _, err := NewLineWriter(brokenWriter{}, "", &mu).Write([]byte("a\n")); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
