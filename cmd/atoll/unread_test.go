//go:build unix

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUnreadOutputEndsARun: when the reader of standard output exits, as in atoll run case.toml | head -1, the run
// saves its state and ends.
func TestUnreadOutputEndsARun(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	c := atoll(t, dir, nil, "run", "case.toml", "--set", "output.every=0", "--set", "time.max_steps=40000")
	c.Stdout = nil
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = write
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil || line == "" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute): // the next line is printed after a tenth of the run
		_ = c.Process.Kill()
		t.Fatal("the run continues although nobody reads its output")
	}
	if code := c.ProcessState.ExitCode(); code != exitSaved && code != exitFailed {
		t.Errorf("exit code %d: %s", code, c.stderr.String())
	}
	if strings.Contains(c.stderr.String(), "panic") || strings.Contains(c.stderr.String(), "goroutine") {
		t.Error(c.stderr.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "summary.json")); err == nil {
		t.Error("a run that was stopped has a summary")
	}
}
