package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestVerdict(t *testing.T) {
	start := time.Now()
	code := func(rank, ms, code int) exit {
		return exit{rank: rank, code: code, at: start.Add(time.Duration(ms) * time.Millisecond)}
	}
	died := func(rank, ms int, s syscall.Signal) exit {
		e := code(rank, ms, -1)
		e.signal = s
		return e
	}
	ended := func(rank, ms int, s syscall.Signal) exit {
		e := died(rank, ms, s)
		e.byParent = true
		return e
	}
	term := &signalError{syscall.SIGTERM}
	for _, test := range []struct {
		name  string
		stop  error
		exits []exit
		want  string
		code  int
	}{
		{"all well", nil, []exit{code(0, 1, 0), code(1, 2, 0)}, "", 0},
		{"done in spite of a signal", term, []exit{code(0, 1, 0), code(1, 2, 0)}, "", 0},
		{"the first failure is the cause", nil, []exit{code(0, 2, 1), code(1, 1, 1), code(2, 3, 1)},
			"rank 1 exited with code 1", 1},
		{"a later death by signal is the cause", nil, []exit{code(0, 1, 1), code(1, 2, 1), died(2, 3, syscall.SIGKILL)},
			"rank 2 was killed by signal 9 (killed)", 1},
		{"the parent's own signals are consequences", nil,
			[]exit{ended(0, 9, syscall.SIGTERM), code(1, 1, 3), ended(2, 10, syscall.SIGKILL)},
			"rank 1 exited with code 3; rank 2 had not stopped in time and was killed", 1},
		{"several killed", nil,
			[]exit{died(0, 1, syscall.SIGSEGV), ended(1, 9, syscall.SIGKILL), ended(2, 8, syscall.SIGKILL)},
			"rank 0 was killed by signal 11 (segmentation fault); ranks 1, 2 had not stopped in time and were killed", 1},
		{"bad input", nil, []exit{code(0, 1, 2), code(1, 2, 2)}, "rank 0 exited with code 2", 2},
		{"bad input on one rank only", nil, []exit{code(0, 1, 2), code(1, 2, 1)}, "rank 0 exited with code 2", 1},
		{"checkpoint", term, []exit{code(0, 1, 75), code(1, 2, 75)},
			"rank 0 exited with code 75 after the run was told to stop: signal 15 (terminated)", 75},
		{"one rank was done", term, []exit{code(0, 1, 75), code(1, 2, 0)},
			"rank 0 exited with code 75 after the run was told to stop: signal 15 (terminated)", 75},
		{"incomplete checkpoint", term, []exit{code(0, 1, 75), ended(1, 2, syscall.SIGKILL)},
			"rank 1 had not stopped in time and was killed after the run was told to stop: signal 15 (terminated)", 1},
		{"signal not handled", term, []exit{ended(0, 2, syscall.SIGTERM), ended(1, 1, syscall.SIGTERM)},
			"rank 1 was killed by signal 15 (terminated) after the run was told to stop: signal 15 (terminated)", 1},
		{"a tie", nil, []exit{code(0, 1, 0), code(1, 1, 4), code(2, 1, 4)}, "rank 1 exited with code 4", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var err error
			got := ""
			if failure := verdict(test.exits, test.stop); failure != nil {
				err = fmt.Errorf("run: %w", failure)
				got = failure.Error()
			}
			if got != test.want || ExitCode(err) != test.code {
				t.Errorf("got %q, code %d\nwant %q, code %d", got, ExitCode(err), test.want, test.code)
			}
		})
	}
}

func TestExitCodeOfOtherErrors(t *testing.T) {
	if ExitCode(errors.New("disk")) != 1 || ExitCode(context.Canceled) != 1 {
		t.Error("want 1")
	}
	for _, config := range []LocalConfig{{}, {Ranks: -1}, {Ranks: 1 << 30}, {Ranks: 1, Threads: -1},
		{Ranks: 1, Grace: -1}, {Ranks: 1, Drain: -1}} {
		if err := Local(t.Context(), config); ExitCode(err) != 2 {
			t.Errorf("%+v: got %v, want an error with exit code 2", config, err)
		}
	}
}

// A tail holds the last tailSize bytes, however the input is divided into writes.
func TestTailKeepsTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var written []byte
		var kept tail
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(tailSize-2, tailSize+2),
			rapid.IntRange(0, 3*tailSize)), 0, 8).Draw(t, "sizes")
		for k, size := range sizes {
			p := make([]byte, size)
			for i := range p {
				p[i] = byte('a' + (i*7+k*3+i/251)%26)
			}
			if n, err := kept.Write(p); n != size || err != nil {
				t.Fatal(n, err)
			}
			written = append(written, p...)
		}
		want := written[max(0, len(written)-tailSize):]
		lines, more := kept.lastLines(1)
		if got := bytes.Join(lines, nil); !bytes.Equal(got, want) || more != (len(written) > tailSize) {
			t.Fatalf("%d bytes kept of %d, more %v", len(got), len(written), more)
		}
		if cap(kept.buf) > 2*tailSize {
			t.Fatalf("the buffer has %d bytes, want at most %d", cap(kept.buf), 2*tailSize)
		}
	})
}

func TestWriteTails(t *testing.T) {
	tails := []*tail{nil, {}, {}, {}, {}, {}}
	write := func(rank int, s string) {
		if _, err := tails[rank].Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	write(1, "lost rank 2\n")
	for i := range 1000 {
		write(2, fmt.Sprintf("line %d\n", i))
	}
	write(3, "lost rank 2\n")
	write(4, "all is well\n")
	for i := range 12 {
		write(5, fmt.Sprintf("%d\r\n", i))
	}
	exits := []exit{
		{rank: 0, code: 1}, {rank: 1, code: 1}, {rank: 2, code: 3}, {rank: 3, code: 1}, {rank: 4}, {rank: 5, code: 1},
	}
	var out strings.Builder
	if err := writeTails(&out, 2, 0, exits, tails); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{"[rank 1] lost rank 2", "[rank 3] same output as rank 1", "[rank 5] (earlier output omitted)"}
	if len(lines) != 2+1+linesOfOther+1+linesOfCause {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for i, line := range want {
		if lines[i] != line {
			t.Errorf("line %d: %q, want %q", i, lines[i], line)
		}
	}
	if last := lines[len(lines)-1]; last != "[rank 2] line 999" {
		t.Errorf("last line %q", last)
	}
}

// TestVerdictHasReport: the error of a run says why the rank failed that is the cause, also if that rank ran on another
// machine, where its output has been shown.
func TestVerdictHasReport(t *testing.T) {
	const why = "case_000002.vtu: no space left on device"
	exits := []Exit{
		{Rank: 0, Code: ExitPeerFailed, Report: &Report{Rank: 1, Text: why}},
		{Rank: 1, Code: 1, Report: &Report{Rank: 1, Text: why}},
	}
	if got, want := Verdict(exits, nil).Error(), "rank 1 exited with code 1: "+why; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
