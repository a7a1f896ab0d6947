//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// TestSignalEndsARun: a signal ends a run with one line of message. During set-up the exit code is 1. Later the run
// saves its state, and the same command continues from there, on other ranks, to the same result as an
// uninterrupted run.
func TestSignalEndsARun(t *testing.T) {
	long := strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4")
	for name, args := range map[string][]string{
		"SIGTERM, one rank":         {},
		"SIGHUP, ranks, local":      {"--ranks", "3", "--transport", "local"},
		"SIGINT, ranks, of gRPC":    {"--ranks", "2", "--transport", "grpc"},
		"SIGTERM, while it sets up": {"--ranks", "2", "--set", "mesh.cells=1000000"},
		"SIGUSR1, one rank":         {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := caseFile(t, long)
			c := atoll(t, dir, nil, append([]string{"run", "case.toml"}, args...)...)
			c.begin(t)
			want := exitFailed
			if !strings.Contains(name, "sets up") {
				waitForLoop(t, filepath.Join(dir, "out"))
				want = exitSaved
			}
			signal, _, _ := strings.Cut(name, ",")
			if err := c.Process.Signal(unix.SignalNum(signal)); err != nil {
				t.Fatal(err)
			}
			code, stderr := c.end(t)
			if code != want || !strings.Contains(stderr, "stopped by a signal") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, stderr\n%s", code, stderr)
			}
			if want != exitSaved {
				return
			}
			if got := stateOf(t, dir); got != folder.Stopped {
				t.Errorf("the folder is %s", got)
			}
			end := fmt.Sprintf("time.max_steps=%d", lastSaved(t, dir)+20)
			for _, args := range [][]string{{"--ranks", "2"}, {"--out", "whole"}} {
				again := atoll(t, dir, nil, append([]string{"run", "case.toml", "--set", end}, args...)...)
				if code := again.code(t); code != exitDone {
					t.Errorf("%v: exit code %d, stderr\n%s", args, code, again.stderr.String())
				}
			}
			for _, file := range []string{"conservation.csv", "gauges/centre.csv"} {
				got, errGot := os.ReadFile(filepath.Join(dir, "out", file))
				want, errWant := os.ReadFile(filepath.Join(dir, "whole", file))
				if err := errors.Join(errGot, errWant); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s differs from that of an uninterrupted run; %v", file, err)
				}
			}
		})
	}
}

// lastSaved returns the number of steps of the latest checkpoint.
func lastSaved(t *testing.T, dir string) (steps int) {
	t.Helper()
	saved, err := checkpoint.List(filepath.Join(dir, "out"))
	if err != nil || len(saved) == 0 {
		t.Fatalf("checkpoints %v, %v", saved, err)
	}
	if _, err := fmt.Sscanf(filepath.Base(saved[0]), "step_%d.ckpt", &steps); err != nil {
		t.Fatal(err)
	}
	return steps
}

// TestSecondSignalEndsAtOnce: a second signal ends a command that does not react to the first, here one that reads
// a mesh from a pipe without data.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "a.msh")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, filepath.Dir(pipe), nil, "mesh", "info", pipe)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // blocks until the command has opened it
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	again := time.NewTicker(50 * time.Millisecond) // signals shortly after the first are ignored
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
		t.Errorf("%v, want ended by the second signal", c.ProcessState)
	}
}

// begin starts a command that runs a case, and returns when it has printed its first line.
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

// TestPanicIsNoBadInput: a panic ends the command with exit code 1, not with Go's exit code 2, which means bad
// input.
func TestPanicIsNoBadInput(t *testing.T) {
	err := process.Guard(func() error { panic("at the disco") })
	if err == nil || err.Error() != "internal error: at the disco" {
		t.Errorf("error %v", err)
	}
	if code := exitCode(context.Background(), err); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
}
