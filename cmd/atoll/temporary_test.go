//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKillWhileAFileIsWritten: a rank, or the whole run, is killed while it writes the NetCDF file of the frames. The
// temporary file that this leaves is removed when the run goes on or starts again, and the folder has the files of an
// undisturbed run.
func TestKillWhileAFileIsWritten(t *testing.T) {
	run := []string{"run", "case.toml", "--quiet", "--threads", "1", "--set", "mesh.cells=200000", "--set",
		"time.max_steps=2", "--set", `output.format=["nc"]`, "--set", "output.raster=1"}
	for name, args := range map[string][]string{
		"rank":           {"--ranks", "2", "--transport", "grpc"},
		"run":            {"--ranks", "1"},
		"run, by force":  {"--ranks", "1", "--force"},
		"run with epoch": {"--ranks", "1", "--transport", "grpc", "--retries", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(run[:len(run):len(run)], args...)
			dir := caseFile(t, smallCase)
			reference := atoll(t, dir, nil, append(args, "--out", "whole")...)
			if code := reference.code(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, reference.stderr.String())
			}
			c := killWriter(t, dir, args)
			if name != "rank" {
				c = atoll(t, dir, nil, args...)
				c.code(t)
			}
			code, stderr := c.ProcessState.ExitCode(), c.stderr.String()
			if code != exitDone || name == "rank" && !strings.Contains(stderr, "as epoch 2") {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			want, got := published(t, filepath.Join(dir, "whole")), published(t, filepath.Join(dir, "out"))
			for file := range got {
				if _, ok := want[file]; !ok {
					t.Errorf("%s is left", file)
				}
			}
			if len(got) < len(want) {
				t.Errorf("got %d files, want %d", len(got), len(want))
			}
		})
	}
}

// killWriter runs a command until its end, and kills the process that writes a NetCDF file while it does. It runs the
// command again if it sees that file too late.
func killWriter(t *testing.T, dir string, args []string) *command {
	t.Helper()
	out := filepath.Join(dir, "out")
	for range 20 {
		c := atoll(t, dir, nil, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended, killed := make(chan error, 1), false
		go func() { ended <- c.Wait() }()
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case <-time.After(100 * time.Microsecond):
				files, err := filepath.Glob(filepath.Join(out, "*.nc.*.tmp"))
				if err == nil && len(files) > 0 && !killed {
					killed = syscall.Kill(writer(t, files[0]), syscall.SIGKILL) == nil
				}
			}
		}
		if killed {
			return c
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no process was killed while it wrote a NetCDF file")
	return nil
}

// writer returns the id of the process that writes a temporary file.
func writer(t *testing.T, file string) (pid int) {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(filepath.Ext(strings.TrimSuffix(file, ".tmp")), ".%d-%d", &pid, &n); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return pid
}
