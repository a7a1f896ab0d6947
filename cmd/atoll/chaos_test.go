//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// Environment variables of the tests that inject faults into runs, set by make chaos, make soak and make recovery.
const (
	envTimes   = "ATOLL_CHAOS"         // number of faults injected into each run
	envBackend = "ATOLL_CHAOS_BACKEND" // cpu or cuda
	envSeed    = "ATOLL_CHAOS_SEED"    // of the random faults and their times
	envSoak    = "ATOLL_SOAK"          // how long faults are injected, one each minute, as in 1h

	envRecovery = "ATOLL_RECOVERY" // number of measurements of the recovery time
)

// chaosCase is an example, made small: it runs for some seconds and writes many checkpoints, so that it does not
// end before all faults are injected.
type chaosCase struct {
	name, file string
	steps      int // of the run: enough for 20 disturbances
	every      int // between checkpoints
	sets       []string
}

// args returns the command line of a run.
func (c chaosCase) args(t *testing.T, backend string) []string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../examples", c.file))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"run", path, "--out", "out", "--quiet", "--threads", "1", "--backend", backend,
		"--set", fmt.Sprintf("checkpoint.steps=%d", c.every), "--set"}
	if c.name == "meshes" {
		args = append(args, fmt.Sprintf("method.sweeps=%d", c.steps))
	} else {
		args = append(args, fmt.Sprintf("time.max_steps=%d", c.steps))
	}
	for _, s := range c.sets {
		args = append(args, "--set", s)
	}
	return args
}

// chaosCases cover all solvers.
var chaosCases = []chaosCase{
	{"waves", "dam-break.toml", 3000, 20, []string{"mesh.cells=2000", "time.end=100", "output.every=1"}},
	{"fractions", "vortex.toml", 3000, 20, []string{"grid.cells=[32, 32]", "time.end=100", "output.every=1"}},
	{"meshes", "smooth-sinusoidal.toml", 1500, 10, []string{"output.every=50", "method.force=true"}},
	{"particles", "enright-levelset.toml", 120, 1, []string{"grid.cells=[12, 12, 40]", "method.particles=8",
		"method.reseed=4", "time.end=100", "output.every=2", "method.rebalance=1"}},
}

// faultyRun is a run of 4 ranks into which a test injects faults.
type faultyRun struct {
	t        *testing.T
	dir      string
	args     []string
	launcher *command
	machines *machines // two hosts that share the ranks; nil: this host alone
	remote   *command  // the supervisor on the second host
}

func (d *faultyRun) launch() {
	d.launcher = atoll(d.t, d.dir, nil, d.args...)
	if d.machines != nil {
		d.machines.runOn(0, d.launcher)
	}
	if err := d.launcher.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = d.launcher.Process.Kill() })
}

// runUndisturbed runs a case without faults and returns its working folder.
func runUndisturbed(t *testing.T, args []string) (dir string) {
	t.Helper()
	c := atoll(t, t.TempDir(), nil, args...)
	if code := c.code(t); code != exitDone {
		t.Fatalf("exit code %d: %s", code, c.stderr.String())
	}
	return c.Dir
}

func (d *faultyRun) out() string { return filepath.Join(d.dir, "out") }

func (d *faultyRun) epoch() uint64 {
	e, err := folder.ReadEpoch(d.out())
	if err != nil {
		d.t.Fatal(err)
	}
	return e.Epoch
}

// savedSteps returns the number of steps of the last checkpoint.
func (d *faultyRun) savedSteps() int {
	steps, err := checkpoint.LatestStep(d.out())
	if err != nil {
		d.t.Fatal(err)
	}
	return steps
}

// patience is how long tests wait for what must come: a machine under load is slow.
const patience = time.Hour

// waitFor polls done until it returns true; what names the condition in the error message.
func (d *faultyRun) waitFor(what string, done func() bool) {
	d.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = d.launcher.Process.Kill()
			d.t.Fatalf("no %s in time; epoch %d, saved %d, stderr\n%s", what, d.epoch(), d.savedSteps(),
				d.launcher.stderr.String())
		}
	}
}

// worker returns the process id of a rank in an epoch, 0 if there is none.
func (d *faultyRun) worker(epoch uint64, rank int) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		d.t.Skip("no /proc: cannot find the rank processes")
	}
	want := [][]byte{fmt.Appendf(nil, "ATOLL_RANK=%d", rank), fmt.Appendf(nil, "ATOLL_EPOCH=%d", epoch)}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p := parentOf(pid); p != d.launcher.Process.Pid && (d.remote == nil || p != d.remote.Process.Pid) {
			continue
		}
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		found := 0
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, want[0]) || bytes.Equal(v, want[1]) {
				found++
			}
		}
		if found == 2 {
			return pid
		}
	}
	return 0
}

// awaitProgress waits for the next checkpoint and a random time after it.
func (d *faultyRun) awaitProgress(random *rand.Rand) {
	was := d.savedSteps()
	d.waitFor("checkpoint", func() bool { return d.savedSteps() > was })
	time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
}

func (d *faultyRun) killLauncher() {
	if err := d.launcher.Process.Kill(); err != nil {
		d.t.Fatal(err)
	}
	d.launcher.end(d.t)
	d.launch()
}

// disturbRank kills a random rank, or stops its process, and returns the time of that.
func (d *faultyRun) disturbRank(random *rand.Rand, stop bool) (when time.Time) {
	epoch, pid := d.epoch(), 0
	d.waitFor("rank", func() bool {
		pid = d.worker(epoch, random.IntN(4))
		return pid != 0
	})
	sig := syscall.SIGKILL
	if stop {
		sig = syscall.SIGSTOP
	}
	when = time.Now()
	_ = syscall.Kill(pid, sig) // fails if the rank has just ended
	return when
}

// chaosOptions are the settings from the environment.
type chaosOptions struct {
	times   int
	backend string
	seed    uint64
}

func chaosOptionsOf(t *testing.T) chaosOptions {
	t.Helper()
	o := chaosOptions{times: 3, backend: "cpu", seed: uint64(time.Now().UnixNano())}
	var err error
	if v := os.Getenv(envTimes); v != "" {
		if o.times, err = strconv.Atoi(v); err != nil {
			t.Fatalf("%s: %v", envTimes, err)
		}
	}
	if v := os.Getenv(envBackend); v != "" {
		o.backend = v
	}
	if v := os.Getenv(envSeed); v != "" {
		if o.seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatalf("%s: %v", envSeed, err)
		}
	}
	return o
}

// TestChaos: runs of all solvers whose ranks (rank 0 too) are killed and stopped, and whose launcher is killed,
// write the same hash, tables and frames as undisturbed runs in one process, byte for byte.
func TestChaos(t *testing.T) {
	o := chaosOptionsOf(t)
	for k, c := range chaosCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := o.random(t, k)
			c.steps = c.steps * max(o.times, 5) / 20
			args := append(c.args(t, o.backend), "--ranks", "4")
			reference := runUndisturbed(t, append(args, "--transport", "local"))
			d := &faultyRun{t: t, dir: t.TempDir(), args: append(args, "--transport", "grpc")}
			d.launch()
			faults := []func(){d.killLauncher, func() { d.disturbRank(random, true) }, func() { d.disturbRank(random, false) },
				func() { d.disturbRank(random, false) }, func() { d.disturbRank(random, false) }}
			for i := range o.times {
				d.awaitProgress(random)
				before := d.epoch()
				faults[i%len(faults)]()
				d.waitFor("epoch", func() bool { return d.epoch() > before })
			}
			if code, stderr := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			compareOutput(t, filepath.Join(reference, "out"), d.out())
		})
	}
}

// compareOutput compares all published files, except those with wall times and processes.
func compareOutput(t *testing.T, reference, other string) {
	t.Helper()
	a, b := readSummary(t, filepath.Join(reference, "summary.json")), readSummary(t, filepath.Join(other, "summary.json"))
	if a.StateSHA256 != b.StateSHA256 || a.Steps != b.Steps {
		t.Errorf("state %s after %d steps, undisturbed %s after %d", b.StateSHA256, b.Steps, a.StateSHA256, a.Steps)
	}
	want, got := published(t, reference), published(t, other)
	for name, text := range want {
		if content, ok := got[name]; !ok || content != text {
			t.Errorf("%s: exists: %v, %d bytes, want %d", name, ok, len(content), len(text))
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("unexpected file %s", name)
	}
}

// published returns the contents of the published files of a run by name: tables, frames, their index files, and
// the case.
func published(t *testing.T, out string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, path)
		if err != nil || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "checkpoints/") ||
			name == "summary.json" || name == "run.json" || name == "epoch.json" {
			return err
		}
		text, err := os.ReadFile(path)
		contents[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(contents) < 3 {
		t.Errorf("%s has %d files", out, len(contents))
	}
	return contents
}
