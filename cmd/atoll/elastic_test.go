//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRanksByCommand: atoll ranks changes runs of all solvers from 4 to 2, 5 and 3 ranks. They end with the hash,
// the tables and the gauges of a run on one rank.
func TestRanksByCommand(t *testing.T) {
	for _, c := range chaosCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.steps /= 3
			args := c.args(t, "cpu")
			reference := atoll(t, t.TempDir(), nil, append(args, "--ranks", "1", "--transport", "local")...)
			if code := reference.code(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, reference.stderr.String())
			}
			d := &faultyRun{t: t, dir: t.TempDir(), args: append(args, "--ranks", "4", "--transport", "grpc")}
			d.launch()
			for _, n := range []int{2, 5, 3} {
				was := d.savedSteps()
				d.waitFor("checkpoint", func() bool { return d.savedSteps() > was })
				change := atoll(t, d.dir, nil, "ranks", "out", fmt.Sprint(n))
				if code := change.code(t); code != exitDone ||
					!strings.Contains(change.stdout.String(), fmt.Sprintf("on %d ranks\n", n)) {
					t.Fatalf("%d ranks: exit code %d: %s%s", n, code, change.stdout.String(), change.stderr.String())
				}
			}
			if code, stderr := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			s := readSummary(t, filepath.Join(d.out(), "summary.json"))
			if one := readSummary(t, filepath.Join(reference.Dir, "out", "summary.json")); s.StateSHA256 != one.StateSHA256 {
				t.Errorf("state %s, on one rank %s", s.StateSHA256, one.StateSHA256)
			}
			if s.Ranks != 3 || d.epoch() != 4 {
				t.Errorf("ended on %d ranks in epoch %d, want 3 ranks in epoch 4", s.Ranks, d.epoch())
			}
			want, got := published(t, filepath.Join(reference.Dir, "out")), published(t, d.out())
			for name, text := range want {
				if _, found := got[name]; !found || !strings.HasPrefix(name, "frames/") && got[name] != text {
					t.Errorf("%s differs from that of one rank", name) // frames have the rank of each cell
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d files, want %d as on one rank", len(got), len(want))
			}
		})
	}
}

// TestRanksRefused: atoll ranks refuses invalid numbers of ranks, and folders without a run.
func TestRanksRefused(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	refuse := func(want string, args ...string) {
		t.Helper()
		c := atoll(t, dir, nil, append([]string{"ranks"}, args...)...)
		if code := c.code(t); code != exitUsage || !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%v: exit code %d, stderr %s", args, code, c.stderr.String())
		}
	}
	refuse("out has no run", "out")
	refuse(`"many" ranks`, "out", "many")
	d := &faultyRun{t: t, dir: dir, args: []string{"run", "case.toml", "--elastic", "1:2", "--ranks", "1",
		"--transport", "grpc", "--quiet"}}
	d.launch()
	waitForLoop(t, d.out())
	refuse("3 ranks: the run was started for 1 to 2", "out", "3")
	if err := d.launcher.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, said := d.launcher.end(t); code != exitSaved {
		t.Errorf("exit code %d: %s", code, said)
	}
	refuse("no run is under way", "out", "2")
}
