//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRanksByCommand: runs of all solvers continue with 2, 5 and 3 ranks after 4, as they are told, and end with the
// hash, the tables and the gauges of one rank.
func TestRanksByCommand(t *testing.T) {
	for _, c := range chaosCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := c.args(t, "cpu")
			whole := atoll(t, t.TempDir(), nil, append(args, "--ranks", "1", "--transport", "local")...)
			if code := whole.code(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, whole.stderr.String())
			}
			d := &disturbed{t: t, dir: t.TempDir(), args: append(args, "--ranks", "4", "--transport", "grpc")}
			d.launch()
			for _, n := range []int{2, 5, 3} {
				was := d.saved()
				d.until("checkpoint", func() bool { return d.saved() > was })
				ask := atoll(t, d.dir, nil, "ranks", "out", fmt.Sprint(n))
				if code := ask.code(t); code != exitDone ||
					!strings.Contains(ask.stdout.String(), fmt.Sprintf("on %d ranks\n", n)) {
					t.Fatalf("%d ranks: exit code %d: %s%s", n, code, ask.stdout.String(), ask.stderr.String())
				}
			}
			if code, said := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, said)
			}
			s := readSummary(t, filepath.Join(d.out(), "summary.json"))
			if one := readSummary(t, filepath.Join(whole.Dir, "out", "summary.json")); s.StateSHA256 != one.StateSHA256 {
				t.Errorf("state %s, of one rank %s", s.StateSHA256, one.StateSHA256)
			}
			if s.Ranks != 3 || d.epoch() != 4 {
				t.Errorf("it ended on %d ranks in epoch %d", s.Ranks, d.epoch())
			}
			want, got := published(t, filepath.Join(whole.Dir, "out")), published(t, d.out())
			for name, text := range want {
				if _, there := got[name]; !there || !strings.HasPrefix(name, "frames/") && got[name] != text {
					t.Errorf("%s is not as with one rank", name) // frames tell which rank a cell is of
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d files, with one rank %d", len(got), len(want))
			}
		})
	}
}

// TestRanksRefused: what cannot be is refused, by the run or where there is none.
func TestRanksRefused(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
	tell := func(want string, args ...string) {
		t.Helper()
		c := atoll(t, dir, nil, append([]string{"ranks"}, args...)...)
		if code := c.code(t); code != exitUsage || !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%v: exit code %d, stderr %s", args, code, c.stderr.String())
		}
	}
	tell("out has no run", "out")
	tell(`"many" ranks`, "out", "many")
	d := &disturbed{t: t, dir: dir, args: []string{"run", "case.toml", "--elastic", "1:2", "--ranks", "1",
		"--transport", "grpc", "--quiet"}}
	d.launch()
	inLoop(t, d.out())
	tell("3 ranks: the run was started for 1 to 2", "out", "3")
	if err := d.launcher.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, said := d.launcher.end(t); code != exitSaved {
		t.Errorf("exit code %d: %s", code, said)
	}
	tell("no run is under way", "out", "2")
}
