//go:build unix

package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalEndsARun: whatever a run is doing, a signal ends it with exit code 1 and a word about it.
func TestSignalEndsARun(t *testing.T) {
	long := strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4")
	for name, args := range map[string][]string{
		"one rank":        {},
		"ranks, local":    {"--ranks", "3", "--transport", "local"},
		"ranks, of gRPC":  {"--ranks", "2", "--transport", "grpc"},
		"while it set up": {"--ranks", "2", "--set", "mesh.cells=1000000"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := caseFile(t, long)
			c := atoll(t, dir, nil, append([]string{"run", "case.toml"}, args...)...)
			c.begin(t)
			if !strings.Contains(name, "set up") {
				inLoop(t, filepath.Join(dir, "out"))
			}
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			code, said := c.end(t)
			if code != exitFailed || !strings.Contains(said, "stopped by a signal") {
				t.Errorf("exit code %d, stderr says\n%s", code, said)
			}
		})
	}
}

// TestSecondSignalEndsAtOnce: who cannot wait for what a command is doing, here for a mesh that does not come,
// need not.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "a.msh")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, filepath.Dir(pipe), nil, "mesh", "info", pipe)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // which waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	again := time.NewTicker(50 * time.Millisecond) // those that come with the first count as one
	defer again.Stop()
	go func() {
		for range again.C {
			if c.Process.Signal(syscall.SIGINT) != nil {
				return
			}
		}
	}()
	c.end(t)
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("%v, want an end by the second signal", c.ProcessState)
	}
}

// begin starts a command that runs a case, and returns when it has printed what it found.
func (c *command) begin(t *testing.T) {
	t.Helper()
	c.Stdout = nil
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		_, err = bufio.NewReaderSize(out, 1<<16).ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPanicIsNoBadInput: Go ends a program that panics with exit code 2.
func TestPanicIsNoBadInput(t *testing.T) {
	err := guard(func() error { panic("at the disco") })
	if err == nil || err.Error() != "internal error: at the disco" {
		t.Errorf("error %v", err)
	}
	if code := exitCode(context.Background(), err); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
}
