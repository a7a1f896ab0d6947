//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKillWhileAFileIsWritten: a rank, or the whole run, is killed while it writes the NetCDF file of the frames. The
// temporary file that this leaves is removed when the run goes on or starts again, and the folder has the files of an
// undisturbed run.
func TestKillWhileAFileIsWritten(t *testing.T) {
	run := []string{"run", "case.toml", "--quiet", "--threads", "1", "--set", "time.max_steps=2", "--set",
		`output.format=["nc"]`, "--set", "output.raster=1"}
	whole := atoll(t, caseFile(t, smallCase), nil, run...)
	if code := whole.code(t); code != exitDone {
		t.Fatalf("exit code %d: %s", code, whole.stderr.String())
	}
	want := published(t, filepath.Join(whole.Dir, "out"))
	for name, args := range map[string][]string{
		"rank":           {"--ranks", "2", "--transport", "grpc"},
		"run":            {"--ranks", "1"},
		"run, by force":  {"--ranks", "1", "--force"},
		"run with epoch": {"--ranks", "1", "--transport", "grpc", "--retries", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(run[:len(run):len(run)], args...)
			dir := caseFile(t, smallCase)
			out := filepath.Join(dir, "out")
			killed := filepath.Join(dir, "killed")
			c := atoll(t, dir, []string{killsWriter + "=.nc.@" + killed}, args...)
			code := c.code(t)
			if _, err := os.Stat(killed); err != nil {
				t.Fatalf("exit code %d, no process was killed: %s", code, c.stderr.String())
			}
			if name != "rank" {
				left, err := filepath.Glob(filepath.Join(out, "*.nc.*.tmp"))
				if alone := !slices.Contains(args, "grpc"); err != nil || alone && len(left) != 1 {
					t.Fatalf("exit code %d, %q are left, %v; want one temporary file: %s", code, left, err, c.stderr.String())
				}
				c = atoll(t, dir, nil, args...)
				code = c.code(t)
			}
			if stderr := c.stderr.String(); code != exitDone || name == "rank" && !strings.Contains(stderr, "as epoch 2") {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			got := published(t, out)
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
