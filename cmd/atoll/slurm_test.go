//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/launch/slurmtest"
)

// TestSlurm runs a case under srun and sbatch on a cluster of two nodes that it starts on this machine. The state
// is that of a run without Slurm. A killed task ends the job with a message that names the task.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: a cluster takes seconds to start")
	}
	cluster := slurmtest.Start(t, 2)
	dir := caseFile(t, smallCase)
	alone := atoll(t, dir, nil, "run", "case.toml", "--out", "alone")
	if code := alone.code(t); code != 0 {
		t.Fatalf("without Slurm: exit code %d\n%s", code, alone.stderr.String())
	}
	want := readSummary(t, filepath.Join(dir, "alone", "summary.json")).StateSHA256
	if len(want) != 64 {
		t.Fatalf("state %q", want)
	}
	s := &slurmRun{cluster, dir, want}

	t.Run("srun", func(t *testing.T) { s.step(t, "grpc", "--nodes=1", "--ntasks=2", "--mpi=none") })
	if mpi.Built {
		t.Run("srun with MPI", func(t *testing.T) { s.step(t, "mpi", "--nodes=1", "--ntasks=2", "--mpi=pmix") })
		t.Run("srun with MPI on two nodes", func(t *testing.T) { s.step(t, "mpi", "--nodes=2", "--ntasks=3", "--mpi=pmix") })
	} else {
		t.Run("srun on two nodes", s.refuseTwoNodes)
	}
	t.Run("bad case", func(t *testing.T) {
		c := s.command(t, "srun", "--nodes=1", "--ntasks=2", self(t), "run", "case.toml", "--set", "physics.colour=red")
		if code := c.code(t); code != 2 || strings.Count(c.stderr.String(), "physics.colour") != 1 {
			t.Errorf("exit code %d, stderr\n%s", code, c.stderr.String())
		}
	})
	t.Run("sbatch", s.batch)
	for victim := range 2 {
		t.Run(fmt.Sprintf("task %d is killed", victim), func(t *testing.T) { s.kill(t, victim) })
	}
	pattern := fmt.Sprintf("atoll-%d-[0-9]*.[0-9]*", os.Getuid())
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), pattern)); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// slurmRun runs the case of a folder on a cluster.
type slurmRun struct {
	*slurmtest.Cluster
	dir   string
	state string // of the case, without Slurm
}

// command returns a Slurm command whose tasks run this test binary as atoll.
func (s *slurmRun) command(t *testing.T, name string, args ...string) *command {
	t.Helper()
	c := &command{Cmd: s.Command(name, args...)}
	c.Dir, c.Env = s.dir, append(c.Env, asAtoll+"=1")
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// step runs the case by srun and compares the state.
func (s *slurmRun) step(t *testing.T, transport string, srun ...string) {
	out := strings.ReplaceAll(t.Name(), "/", "-")
	c := s.command(t, "srun", append(srun, self(t), "run", "case.toml", "--out", out)...)
	if code := c.code(t); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
	sum := readSummary(t, filepath.Join(s.dir, out, "summary.json"))
	if sum.StateSHA256 != s.state || sum.Transport != transport || sum.Ranks < 2 {
		t.Errorf("state %s on %d ranks over %s, want %s over %s", sum.StateSHA256, sum.Ranks, sum.Transport, s.state,
			transport)
	}
	if strings.Count(c.stdout.String(), "started by srun (Slurm), job ") != 1 {
		t.Errorf("the detected launcher is not printed exactly once:\n%s", c.stdout.String())
	}
}

// refuseTwoNodes starts tasks on two nodes, which a build without MPI refuses without certificates.
func (s *slurmRun) refuseTwoNodes(t *testing.T) {
	c := s.command(t, "srun", "--nodes=2", "--ntasks=3", self(t), "run", "case.toml", "--out", "refused")
	if code := c.code(t); code != 2 || strings.Count(c.stderr.String(), "mutual TLS") != 1 {
		t.Errorf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
}

// batch submits the script that atoll writes.
func (s *slurmRun) batch(t *testing.T) {
	c := atoll(t, s.dir, nil, "launch", "slurm", "case.toml", "--ntasks", "2", "--time", "2", "--partition", "test",
		"-o", "case.sbatch", "--", "--out", "batch", "--log-ranks")
	if code := c.code(t); code != 0 {
		t.Fatalf("launch slurm: exit code %d\n%s", code, c.stderr.String())
	}
	b := s.command(t, "sbatch", "--parsable", "case.sbatch")
	if code := b.code(t); code != 0 {
		t.Fatalf("sbatch: exit code %d\n%s", code, b.stderr.String())
	}
	job := strings.TrimSpace(b.stdout.String())
	state := s.jobState(t, job)
	log, err := os.ReadFile(filepath.Join(s.dir, "case-"+job+".out"))
	if err != nil {
		t.Fatal(state, err)
	}
	if state != "COMPLETED" || !bytes.Contains(log, []byte("state            "+s.state+"\n")) ||
		!bytes.Contains(log, []byte("[rank 1] on ")) {
		t.Errorf("%s, want state %s and a line of rank 1 in\n%s", state, s.state, log)
	}
	if sum := readSummary(t, filepath.Join(s.dir, "batch", "summary.json")); sum.StateSHA256 != s.state || sum.Ranks != 2 {
		t.Errorf("state %s on %d ranks", sum.StateSHA256, sum.Ranks)
	}
}

// jobState waits for a job to end and returns its state. It polls more often than sbatch --wait does.
func (s *slurmRun) jobState(t *testing.T, job string) string {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		out, err := s.Command("scontrol", "show", "job", job).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(out), "JobState=")
		switch state, _, _ := strings.Cut(rest, " "); state {
		case "PENDING", "CONFIGURING", "RUNNING", "COMPLETING":
		default:
			return state
		}
	}
	t.Fatal("the job does not end")
	return ""
}

// kill kills a task during the run; the job has to end by itself.
func (s *slurmRun) kill(t *testing.T, victim int) {
	out := fmt.Sprint("killed", victim)
	// Tasks write their standard error to files, because srun may end before it has forwarded the last lines.
	c := s.command(t, "srun", "--nodes=1", "--ntasks=2", "--mpi=none",
		"sh", "-c", `exec "$0" "$@" 2>"$SLURM_STEP_ID.$SLURM_PROCID.stderr"`,
		self(t), "run", "case.toml", "--set", "time.end=1e4", "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pids := tasksOf(t, self(t), 2)
	waitForLoop(t, filepath.Join(s.dir, out))
	killed := time.Now()
	if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait() // the exit code is checked below
	if took := time.Since(killed); took > 10*time.Second {
		t.Errorf("the job took %v to end", took)
	}
	if c.ProcessState.Success() {
		t.Error("the job succeeded")
	}
	ranks, err := filepath.Glob(filepath.Join(s.dir, "*.stderr"))
	if err != nil || len(ranks) != 2 {
		t.Fatal(ranks, err)
	}
	text := c.stderr.String()
	for _, file := range ranks {
		b, err := os.ReadFile(file)
		if err = errors.Join(err, os.Remove(file)); err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	for _, want := range []string{fmt.Sprintf("rank %d: lost", victim), fmt.Sprintf("task %d: Killed", victim)} {
		if strings.Count(text, want) != 1 {
			t.Errorf("want %q once in stderr:\n%s", want, text)
		}
	}
}

// tasksOf returns the process ids, by task number, of the n tasks that run the program.
func tasksOf(t *testing.T, program string, n int) map[int]int {
	t.Helper()
	pids := map[int]int{}
	for deadline := time.Now().Add(20 * time.Second); len(pids) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d tasks started", len(pids), n)
		}
		links, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			if path, err := os.Readlink(link); err != nil || path != program {
				continue
			}
			env, err := os.ReadFile(filepath.Join(filepath.Dir(link), "environ"))
			if err != nil {
				continue
			}
			for _, v := range strings.Split(string(env), "\x00") {
				if task, ok := strings.CutPrefix(v, "SLURM_PROCID="); ok {
					k, _ := strconv.Atoi(task)
					pids[k], _ = strconv.Atoi(filepath.Base(filepath.Dir(link)))
				}
			}
		}
	}
	return pids
}
