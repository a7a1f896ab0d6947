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

// Variables of the tests of runs that are disturbed; make chaos sets the first, make soak the last.
const (
	envTimes   = "ATOLL_CHAOS"         // how often each run is disturbed
	envBackend = "ATOLL_CHAOS_BACKEND" // cpu or cuda
	envSeed    = "ATOLL_CHAOS_SEED"    // of what is disturbed when
	envSoak    = "ATOLL_SOAK"          // how long a run is disturbed each minute, as in 1h
)

// chaosCase is an example, made small: some seconds of many checkpoints, so that it does not end before all is done to
// it that a test wants to do.
type chaosCase struct {
	name, file string
	steps      int // of the run
	every      int // between checkpoints
	sets       []string
}

// args are those of a run.
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

// chaosCases are of all solvers.
var chaosCases = []chaosCase{
	{"waves", "dam-break.toml", 3000, 20, []string{"mesh.cells=2000", "time.end=100", "output.every=1"}},
	{"fractions", "vortex.toml", 3000, 20, []string{"grid.cells=[32, 32]", "time.end=100", "output.every=1"}},
	{"meshes", "smooth-sinusoidal.toml", 1500, 10, []string{"output.every=50", "method.force=true"}},
	{"particles", "enright-levelset.toml", 120, 1, []string{"grid.cells=[12, 12, 40]", "method.particles=8",
		"method.reseed=4", "time.end=100", "output.every=2"}},
}

// disturbed is a run of 4 ranks that somebody disturbs.
type disturbed struct {
	t        *testing.T
	dir      string
	args     []string
	launcher *command
	relaunch int // how often the launcher was killed
}

func (d *disturbed) launch() {
	d.launcher = atoll(d.t, d.dir, nil, d.args...)
	if err := d.launcher.Start(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *disturbed) out() string { return filepath.Join(d.dir, "out") }

func (d *disturbed) epoch() uint64 {
	e, err := folder.ReadEpoch(d.out())
	if err != nil {
		d.t.Fatal(err)
	}
	return e.Epoch
}

// saved is after how many steps the state was saved last.
func (d *disturbed) saved() int {
	steps, err := checkpoint.Steps(d.out())
	if err != nil {
		d.t.Fatal(err)
	}
	return steps
}

// until waits for something.
func (d *disturbed) until(what string, there func() bool) {
	d.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			_ = d.launcher.Process.Kill()
			d.t.Fatalf("no %s within two minutes; epoch %d, saved %d, stderr\n%s", what, d.epoch(), d.saved(),
				d.launcher.stderr.String())
		}
	}
}

// worker finds the process of a rank of an epoch, 0 if there is none.
func (d *disturbed) worker(epoch uint64, rank int) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		d.t.Skip("no /proc: cannot find the rank processes")
	}
	want := [][]byte{fmt.Appendf(nil, "ATOLL_RANK=%d", rank), fmt.Appendf(nil, "ATOLL_EPOCH=%d", epoch)}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || parentOf(pid) != d.launcher.Process.Pid {
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

// disturb kills or stops a rank, or kills the launcher, and waits for the next epoch.
func (d *disturbed) disturb(random *rand.Rand, what int) {
	before := d.epoch()
	switch what {
	case 0:
		d.relaunch++
		if err := d.launcher.Process.Kill(); err != nil {
			d.t.Fatal(err)
		}
		d.launcher.end(d.t)
		d.launch()
	default:
		pid := 0
		d.until("rank", func() bool {
			pid = d.worker(before, random.IntN(4))
			return pid != 0
		})
		s := syscall.SIGKILL
		if what == 1 {
			s = syscall.SIGSTOP
		}
		_ = syscall.Kill(pid, s) // unless it has just ended
	}
	d.until("epoch", func() bool { return d.epoch() > before })
}

// TestChaos: runs of all solvers of which ranks, the first among them, are killed and stopped, and the launcher killed,
// end as those that nobody disturbs: with the same hash, tables and frames, to the byte.
func TestChaos(t *testing.T) {
	times, backend := 3, "cpu"
	if v := os.Getenv(envTimes); v != "" {
		var err error
		if times, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	if v := os.Getenv(envBackend); v != "" {
		backend = v
	}
	seed := uint64(time.Now().UnixNano())
	if v := os.Getenv(envSeed); v != "" {
		seed, _ = strconv.ParseUint(v, 10, 64)
	}
	for k, c := range chaosCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Logf("%s=%d", envSeed, seed)
			random := rand.New(rand.NewPCG(seed, uint64(k)))
			args := append(c.args(t, backend), "--ranks", "4", "--transport", "grpc")
			whole := atoll(t, t.TempDir(), nil, args...)
			if code := whole.code(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, whole.stderr.String())
			}
			d := &disturbed{t: t, dir: t.TempDir(), args: args}
			d.launch()
			for i := range times {
				was := d.saved()
				d.until("checkpoint", func() bool { return d.saved() > was })
				time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
				d.disturb(random, min(i%5, 2)) // the launcher, a rank that hangs, and three that die
			}
			if code, said := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, said)
			}
			if got := d.epoch(); got <= uint64(times) {
				t.Errorf("epoch %d after %d disturbances", got, times)
			}
			sameOutput(t, filepath.Join(whole.Dir, "out"), d.out())
		})
	}
}

// sameOutput compares all that runs publish, but for what tells of times and processes.
func sameOutput(t *testing.T, whole, other string) {
	t.Helper()
	a, b := readSummary(t, filepath.Join(whole, "summary.json")), readSummary(t, filepath.Join(other, "summary.json"))
	if a.StateSHA256 != b.StateSHA256 || a.Steps != b.Steps {
		t.Errorf("state %s after %d steps, undisturbed %s after %d", b.StateSHA256, b.Steps, a.StateSHA256, a.Steps)
	}
	want, got := published(t, whole), published(t, other)
	for name, text := range want {
		if there, ok := got[name]; !ok || there != text {
			t.Errorf("%s: there is %v, of %d bytes instead of %d", name, ok, len(there), len(text))
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is there besides", name)
	}
}

// published are the files of a run by their names: tables, frames and lists of them, and the case.
func published(t *testing.T, out string) map[string]string {
	t.Helper()
	all := map[string]string{}
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
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 3 {
		t.Errorf("%s has %d files", out, len(all))
	}
	return all
}
