//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fullPipe returns a pipe whose buffer is full, and which nobody reads.
func fullPipe(t *testing.T) (end *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	for err := error(nil); err == nil; {
		_, err = unix.Write(ends[1], make([]byte, 4096))
	}
	if err := unix.SetNonblock(ends[1], false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(ends[0]) })
	end = os.NewFile(uintptr(ends[1]), "pipe")
	t.Cleanup(func() { _ = end.Close() })
	return end
}

// TestRunWhoseOutputNobodyReads: a run whose standard output or error is full from the start on, as behind a paused
// terminal, ends as any other, over goroutines and processes, and says on the other output that nobody has read it.
func TestRunWhoseOutputNobodyReads(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		stderr bool // is full, not stdout
		code   int
	}{
		"goroutines":        {args: []string{"--transport", "local"}},
		"processes":         {args: []string{"--transport", "grpc"}},
		"lines of ranks":    {args: []string{"--transport", "grpc", "--log-ranks", "--set", "output.every=0.001"}},
		"error output":      {args: []string{"--transport", "local", "--set", "time.end=0.3"}, stderr: true},
		"check":             {args: []string{"--check"}},
		"stopped in time":   {args: []string{"--transport", "local", "--time-limit", "1ns"}, code: exitSaved},
		"stopped processes": {args: []string{"--transport", "grpc", "--time-limit", "1ns"}, code: exitSaved, stderr: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := caseFile(t, smallCase)
			run := atoll(t, dir, nil, append([]string{"run", "case.toml", "--ranks", "2", "--threads", "1", "--out", "out"},
				c.args...)...)
			if c.stderr {
				run.Stderr = fullPipe(t)
			} else {
				run.Stdout = fullPipe(t)
			}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan int)
			go func() {
				_ = run.Wait() // the exit code is what counts
				ended <- run.ProcessState.ExitCode()
			}()
			select {
			case code := <-ended:
				if code != c.code {
					t.Errorf("exit code %d, want %d: %s", code, c.code, run.stderr.String())
				}
			case <-time.After(patience):
				_ = run.Process.Kill()
				t.Fatal("the run does not end")
			}
			if text := run.stderr.String(); !c.stderr && !strings.Contains(text, "nobody has read") {
				t.Errorf("the error output is %q", text)
			}
			if _, err := os.Stat(filepath.Join(dir, "out", "summary.json")); (err == nil) != (c.code == 0 && name != "check") {
				t.Errorf("the summary: %v", err)
			}
		})
	}
}

// TestClosedOutput: a check whose reader ends early, such as head, is done; a run says why it stops.
func TestClosedOutput(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"run", "case.toml", "--check"}, exitDone, ""},
		{[]string{"run", "--check", "case.toml", "--ranks", "2"}, exitDone, ""},
		{[]string{"run", "case.toml", "--ranks", "2", "--out", "out", "--set", "time.end=1e3"}, exitSaved,
			"the reader of the output has ended"},
	} {
		run := atoll(t, caseFile(t, smallCase), nil, c.args...)
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		run.Stdout = writer
		code := run.code(t)
		writer.Close()
		if text := run.stderr.String(); code != c.code && code != exitFailed || c.text == "" && (text != "" ||
			code != exitDone) ||
			!strings.Contains(text, c.text) {
			t.Errorf("%v: exit code %d, %q", c.args, code, text)
		}
	}
}
