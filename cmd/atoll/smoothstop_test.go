//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless is a smoothing case with too many sweeps to end by itself.
const endless = `
solver = "smooth"
[mesh]
generate = "delaunay"
bounds = [0, 0, 1, 1]
cells = 2000
[metric]
width = "0.1 + 0.05*sin(9*x)"
height = "0.1"
[method]
smoother = "pain-exact"
sweeps = 10000000
[stop]
every = 10000000
[output]
dir = "out"
format = []
`

// end waits for a command and returns its exit code and standard error.
func (c *command) end(t *testing.T) (int, string) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Hour):
		_ = c.Process.Kill()
		t.Fatal("the command did not end")
	}
	return c.ProcessState.ExitCode(), c.stderr.String()
}

// feed starts a command that reads a mesh from a pipe, and returns when the command has read all of it.
func (c *command) feed(t *testing.T, pipe, meshFile string) {
	t.Helper()
	text, err := os.ReadFile(meshFile)
	if err == nil {
		err = syscall.Mkfifo(pipe, 0o600)
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Hour); ; time.Sleep(5 * time.Millisecond) {
		writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		switch {
		case err == nil:
			_, err = writer.Write(text)
			if err = errors.Join(err, writer.Close()); err != nil {
				t.Fatal(err)
			}
			return
		case !errors.Is(err, syscall.ENXIO) || time.Now().After(end): // no reader
			t.Fatal(err)
		}
	}
}

// TestSmoothEndsBySignal: SIGTERM ends smoothing during set-up and sweeps, in one process and in several, with one
// line of message and no mesh written. The exit code is 75 if a run has saved its state, otherwise 1.
func TestSmoothEndsBySignal(t *testing.T) {
	smooth := []string{"smooth", "a.mesh", "b.msh"}
	// The smoother barrier would end by itself after 50 sweeps.
	long := append(smooth[:3:3], "--smoother", "pain-exact", "--sweeps", "10000000", "--every", "10000000")
	sampling := append(smooth[:3:3], "--samples", "8192", "--width", "sin(x)+2", "--height", "cos(x)+2", "--ranks", "2")
	run := []string{"run", "case.toml"}
	processes := append(run[:2:2], "--ranks", "3", "--transport", "grpc")
	for name, args := range map[string][]string{
		"smooth":             append(long[:len(long):len(long)], "--ranks", "2"),
		"smooth, one rank":   long,
		"smooth, in set-up":  sampling,
		"run, set-up":        append(run[:2:2], "--set", "metric.samples=8192"),
		"processes":          processes,
		"processes, set-up":  append(processes[:6:6], "--set", "metric.samples=8192"),
		"processes, culling": append(processes[:6:6], "--set", "method.cull=true"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := caseFile(t, endless)
			c := atoll(t, dir, nil, args...)
			switch {
			case args[0] == "smooth":
				c.feed(t, filepath.Join(dir, "a.mesh"), squareFile(t, "a.mesh"))
			case strings.Contains(name, "set-up"):
				c.begin(t)
			default:
				c.begin(t)
				waitForLoop(t, filepath.Join(dir, "out"))
			}
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			code, stderr := c.end(t)
			want := exitFailed
			if args[0] == "run" && !strings.Contains(name, "set-up") {
				want = exitSaved
			}
			if code != want {
				t.Errorf("exit code %d", code)
			}
			if strings.Count(stderr, "stopped by a signal") != 1 || strings.Count(stderr, "atoll:") != 1 {
				t.Errorf("stderr is not one line about the signal:\n%s", stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "b.msh")); err == nil {
				t.Error("a mesh was written")
			}
		})
	}
}

// TestSmoothLosesAProcess: with --retries 0, kill -9 of a rank during sweeps ends all ranks, with exit code 1 and a
// message that names the rank.
func TestSmoothLosesAProcess(t *testing.T) {
	for _, set := range []string{"method.cull=false", "method.cull=true", "method.deep=true"} {
		dir := caseFile(t, endless)
		c := atoll(t, dir, nil, "run", "case.toml", "--ranks", "3", "--transport", "grpc", "--retries", "0",
			"--set", set)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		pids := ranksOf(t, c.Process.Pid, 3)
		waitForLoop(t, filepath.Join(dir, "out"))
		if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		code, stderr := c.end(t)
		if code != exitFailed || !strings.Contains(stderr, "rank 1 was killed by signal 9") {
			t.Errorf("%s: exit code %d:\n%s", set, code, stderr)
		}
	}
}

// TestSmoothRefusesOverProcesses: a faulty mesh ends the command with exit code 2, on one rank and on several. Its
// fault is printed once, with the file and the id.
func TestSmoothRefusesOverProcesses(t *testing.T) {
	dir := caseFile(t, endless)
	flipped := "MeshVersionFormatted 2\nDimension 2\nVertices 4\n0 0 0\n1 0 0\n1 1 0\n.8 .4 0\n" +
		"Triangles 2\n1 2 3 0\n1 3 4 0\nEnd\n"
	if err := os.WriteFile(filepath.Join(dir, "flipped.mesh"), []byte(flipped), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"smooth", "flipped.mesh", "b.mesh"}, {"smooth", "flipped.mesh", "b.mesh", "--ranks", "3"},
		{"run", "case.toml", "--set", `mesh={file="flipped.mesh"}`, "--ranks", "3"},
		{"run", "case.toml", "--set", `mesh={file="flipped.mesh"}`, "--ranks", "3", "--transport", "grpc"},
	} {
		c := atoll(t, dir, nil, args...)
		code, stderr := c.code(t), c.stderr.String()
		count := strings.Count(stderr, "flipped.mesh: 1 clockwise cell: cell 1")
		if code != exitUsage || count != 1 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d:\n%s", args, code, stderr)
		}
	}
}
