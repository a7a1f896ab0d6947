//go:build linux && mpi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// mpiJob is a case of two ranks under mpirun, which a signal is to end.
type mpiJob struct {
	mpirun, dir string
	env         []string
}

// underSh is a command of the shell.
func (j *mpiJob) underSh(t *testing.T, script string) *command {
	t.Helper()
	c := atoll(t, j.dir, j.env)
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", script}
	return c
}

// line is the command that starts the job, for a shell.
func (j *mpiJob) line(t *testing.T, flags string) string {
	t.Helper()
	return fmt.Sprintf("'%s' --oversubscribe -np 2 '%s' run case.toml -q --set checkpoint.steps=20 %s", j.mpirun, self(t),
		flags)
}

// signalled starts a script, sends a signal to the process that `to` returns when the job has a checkpoint, and returns
// the exit code.
func (j *mpiJob) signalled(t *testing.T, script string, s syscall.Signal, to func(pid int) int) int {
	t.Helper()
	out := filepath.Join(j.dir, "out")
	if err := os.RemoveAll(out); err != nil { // of the job before
		t.Fatal(err)
	}
	c := j.underSh(t, script)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if saved, err := checkpoint.List(out); err == nil && len(saved) > 0 {
			break
		}
		if time.Now().After(end) {
			_ = c.Process.Kill()
			t.Fatalf("no checkpoint within a minute\n%s", c.stderr.String())
		}
	}
	if err := syscall.Kill(to(c.Process.Pid), s); err != nil {
		t.Fatal(err)
	}
	code, _ := c.end(t)
	return code
}

// TestExitCodesOfMPIRun brings about each row of the table of exit codes of mpirun in docs/operations.md. Each time the
// same command could continue.
func TestExitCodesOfMPIRun(t *testing.T) {
	mpirun := needs.Program(t, "mpirun", "openmpi-bin")
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Exit codes of mpirun\n")
	section, _, _ = strings.Cut(section, "\n## ")
	script := strings.Join(regexp.MustCompile(`(?m)^    .*\n`).FindAllString(section, -1), "")
	itself := func(pid int) int { return pid }
	aRank := func(pid int) int { return lastChild(t, pid) }
	ends := map[string]func(*mpiJob, *testing.T) []int{
		"SIGUSR1 to mpirun, which it forwards to the ranks": func(j *mpiJob, t *testing.T) []int {
			return []int{j.signalled(t, "exec "+j.line(t, ""), syscall.SIGUSR1, itself)}
		},
		"SIGTERM to a rank": func(j *mpiJob, t *testing.T) []int {
			return []int{j.signalled(t, "exec "+j.line(t, ""), syscall.SIGTERM, aRank)}
		},
		"none: the time limit of `--time-limit`": func(j *mpiJob, t *testing.T) []int {
			code, _ := j.runs(t, "exec "+j.line(t, "--time-limit 2s"))
			return []int{code}
		},
		"SIGTERM to the job script below": func(j *mpiJob, t *testing.T) []int {
			script := strings.Replace(script, "mpirun -np 64 atoll run case.toml", j.line(t, ""), 1)
			return []int{j.signalled(t, script, syscall.SIGTERM, itself)}
		},
		"SIGTERM, SIGINT or SIGHUP to mpirun": func(j *mpiJob, t *testing.T) (codes []int) {
			for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
				codes = append(codes, j.signalled(t, "exec "+j.line(t, ""), s, itself))
			}
			return codes
		},
	}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \|`).FindAllStringSubmatch(section, -1)
	if len(rows) != len(ends) {
		t.Errorf("the table has %d rows, want %d", len(rows), len(ends))
	}
	for _, row := range rows {
		end := ends[row[1]]
		if end == nil {
			t.Errorf("the row %q has no test", row[1])
			continue
		}
		t.Run(row[1], func(t *testing.T) {
			j := &mpiJob{mpirun, caseFile(t, longCase), []string{"TMPDIR=" + t.TempDir(), "OMPI_ALLOW_RUN_AS_ROOT=1",
				"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}}
			for _, code := range end(j, t) {
				if strconv.Itoa(code) != row[2] {
					t.Errorf("exit code %d, want %s", code, row[2])
				}
			}
			j.continues(t)
		})
	}
}

// lastChild returns the id of the last process that a process has started.
func lastChild(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	children := strings.Fields(string(text))
	if len(children) == 0 {
		t.Fatalf("process %d has no children", pid)
	}
	child, err := strconv.Atoi(children[len(children)-1])
	if err != nil {
		t.Fatal(err)
	}
	return child
}

// runs runs a script to its end.
func (j *mpiJob) runs(t *testing.T, script string) (code int, stdout string) {
	t.Helper()
	c := j.underSh(t, script)
	code = c.code(t)
	return code, c.stdout.String()
}

// continues checks that the same command, here without mpirun and with an end, continues.
func (j *mpiJob) continues(t *testing.T) {
	t.Helper()
	if got := stateOf(t, j.dir); got == folder.Failed || got == folder.Done {
		t.Errorf("the run is recorded as %s", got)
	}
	c := atoll(t, j.dir, nil, "run", "case.toml", "--set", "time.end=0.01")
	if code := c.code(t); code != exitDone || !strings.Contains(c.stdout.String(), "continues") {
		t.Errorf("the same command ended with %d and printed\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
}
