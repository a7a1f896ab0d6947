//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/folder"
)

// underWay starts a run that does not end by itself, and returns once it takes steps.
func underWay(t *testing.T, dir string, args ...string) *command {
	t.Helper()
	c := atoll(t, dir, nil, append([]string{"run", "case.toml"}, args...)...)
	c.begin(t)
	waitForLoop(t, filepath.Join(dir, "out"))
	return c
}

// A second run into the same folder is refused until the first has ended, even with --force.
func TestTwoRunsIntoOneFolder(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	short := []string{"run", "case.toml", "--set", "time.max_steps=3", "--ranks", "2", "--transport", "local"}
	first := underWay(t, dir)
	for _, args := range [][]string{short, append(short, "--force")} {
		second := atoll(t, dir, nil, args...)
		code, stderr := second.code(t), second.stderr.String()
		if code != exitUsage || !strings.Contains(stderr, "out is in use by process ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, stderr\n%s", args, code, stderr)
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.end(t)
	other := atoll(t, dir, nil, short...)
	code, stderr := other.code(t), other.stderr.String()
	if code != exitUsage || !strings.Contains(stderr, "the results of another case") {
		t.Errorf("another case after a kill: exit code %d, stderr\n%s", code, stderr)
	}
	if got := stateOf(t, dir); got != folder.Running {
		t.Errorf("after a kill the folder is %s", got)
	}
	third := atoll(t, dir, nil, append(short, "--force")...)
	if code := third.code(t); code != exitDone || stateOf(t, dir) != folder.Done {
		t.Errorf("exit code %d, the folder is %s, stderr\n%s", code, stateOf(t, dir), third.stderr.String())
	}
}

// Rows of tables are written to the file while the run goes on, so that a crash does not lose them.
func TestRowsAreWrittenSoon(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	c := underWay(t, dir)
	defer c.end(t)
	defer c.Process.Kill()
	for end := time.Now().Add(time.Hour); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(dir, "out", "conservation.csv"))
		if err != nil || time.Now().After(end) {
			t.Fatalf("the table has %d lines: %v", bytes.Count(text, []byte("\n")), err)
		}
		if bytes.Count(text, []byte("\n")) > 1 {
			return
		}
	}
}

// A stopped run writes no summary, prints at which time it stopped, and marks its folder as stopped, for each
// signal.
func TestStoppedRunSaysWhere(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	for name, stop := range map[string]func(c *command) error{
		"hangup":    func(c *command) error { return c.Process.Signal(syscall.SIGHUP) },
		"interrupt": func(c *command) error { return c.Process.Signal(syscall.SIGINT) },
		"no reader": func(*command) error { return nil }, // nobody reads standard output any more
	} {
		if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		c := atoll(t, dir, nil, "run", "case.toml", "--set", "output.every=0.1")
		unread := name == "no reader"
		if unread {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout = w
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			w.Close()
		} else {
			c.begin(t)
			waitForLoop(t, filepath.Join(dir, "out"))
		}
		if err := stop(c); err != nil {
			t.Fatal(err)
		}
		code, stderr := c.end(t)
		want := exitSaved
		reason := "stopped by a signal"
		if unread {
			want = code // the run may not have begun yet
			reason = "stopped"
		}
		if code != want || code == exitDone || !strings.Contains(stderr, reason) ||
			!unread && !strings.Contains(stderr, "at t = ") {
			t.Errorf("%s: exit code %d, stderr\n%s", name, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "out", "summary.json")); err == nil {
			t.Errorf("%s: there is a summary", name)
		}
		if !unread && stateOf(t, dir) != folder.Stopped {
			t.Errorf("%s: the folder is %s", name, stateOf(t, dir))
		}
	}
}
