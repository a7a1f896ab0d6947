//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/folder"
)

// exits are the causes in the table of exit codes in docs/operations.md, each with a test that brings it about, over a
// transport, and returns the exit code and what was printed.
var exits = map[string]func(t *testing.T, transport string) (code int, stderr string){
	"the run is complete": func(t *testing.T, transport string) (int, string) {
		return ends(t, caseFile(t, smallCase), nil, transport)
	},
	"wrong usage, or invalid input": func(t *testing.T, transport string) (int, string) {
		return ends(t, caseFile(t, smallCase), nil, transport, "--set", "physics.colour=red")
	},
	"results of another case, or another run, in the folder": func(t *testing.T, transport string) (int, string) {
		dir := caseFile(t, smallCase)
		if code, stderr := ends(t, dir, nil, transport); code != exitDone {
			return code, stderr
		}
		return ends(t, dir, nil, transport, "--set", "mesh.cells=1500")
	},
	"a damaged file of the run that is not made again": func(t *testing.T, transport string) (int, string) {
		dir := caseFile(t, longCase)
		const every = "checkpoint.every=0.001" // the start would be further away than the last checkpoint
		if code, stderr := stopped(t, dir, transport, syscall.SIGTERM, "--set", every); code != exitSaved {
			return code, stderr
		}
		if err := os.Truncate(filepath.Join(dir, "out", "frames", "case_000000.vtu"), 100); err != nil {
			t.Fatal(err)
		}
		code, stderr := ends(t, dir, nil, transport, "--set", every)
		if !strings.Contains(stderr, "case_000000.vtu has 100 bytes") || !strings.Contains(stderr, "restore the file") {
			t.Errorf("%s: printed\n%s", transport, stderr)
		}
		return code, stderr
	},
	"a signal or the time limit, after the first step: the state is saved": func(t *testing.T,
		transport string) (int, string) {
		return stopped(t, caseFile(t, longCase), transport, syscall.SIGINT)
	},
	"a signal in the set-up of a run that continues": func(t *testing.T, transport string) (int, string) {
		dir, cells := caseFile(t, longCase), []string{"--set", "mesh.cells=150000"}
		if code, stderr := stopped(t, dir, transport, syscall.SIGTERM, cells...); code != exitSaved {
			return code, stderr
		}
		c := atoll(t, dir, nil, append([]string{"run", "case.toml", "-n", "2", "--transport", transport}, cells...)...)
		c.begin(t)
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		return c.end(t)
	},
	"a signal and a lost rank at the same time, if there is a checkpoint": func(t *testing.T,
		transport string) (int, string) {
		if transport != "grpc" {
			return exitSaved, "" // ranks are goroutines: none is lost alone
		}
		dir := caseFile(t, longCase)
		c := atoll(t, dir, nil, "run", "case.toml", "-n", "2", "--transport", transport, "--set", "checkpoint.steps=3")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for len(filesLike(t, dir, "out/checkpoints/*.ckpt")) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		lost := ranksOf(t, c.Process.Pid, 2)[1]
		if err := errors.Join(syscall.Kill(lost, syscall.SIGKILL), c.Process.Signal(syscall.SIGTERM)); err != nil {
			t.Fatal(err)
		}
		return c.end(t)
	},
	"a signal, if the state cannot be saved but there is an earlier checkpoint": func(t *testing.T,
		transport string) (int, string) {
		dir := caseFile(t, longCase)
		if code, stderr := stopped(t, dir, transport, syscall.SIGTERM); code != exitSaved {
			return code, stderr
		}
		c := atoll(t, dir, []string{fullDisk + "=checkpoints/step_"}, "run", "case.toml", "-q", "-n", "2", "--transport",
			transport)
		before := fileSize(t, filepath.Join(dir, "out", "conservation.csv"))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for fileSize(t, filepath.Join(dir, "out", "conservation.csv")) <= before {
			time.Sleep(5 * time.Millisecond)
		}
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		code, stderr := c.end(t)
		if strings.Contains(stderr, "its state is saved") || !strings.Contains(stderr, "checkpoint not written") {
			t.Errorf("%s: printed\n%s", transport, stderr)
		}
		return code, stderr
	},
	"a signal, if there is no checkpoint": func(t *testing.T, transport string) (int, string) {
		c := atoll(t, caseFile(t, longCase), nil, "run", "case.toml", "-n", "2", "--transport", transport, "--set",
			"mesh.cells=400000")
		c.begin(t)
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		return c.end(t)
	},
	"a file that cannot be written or read: a full or defective disk, a quota, a file system that is read-only or does " +
		"not answer": func(t *testing.T, transport string) (int, string) {
		dir := caseFile(t, smallCase)
		code, stderr := ends(t, dir, []string{fullDisk + "=case_000002.vtu"}, transport, "--set", "checkpoint.steps=3",
			"--retries", "0")
		if got := stateOf(t, dir); got != folder.Stopped {
			t.Errorf("%s: the run is recorded as %s", transport, got)
		}
		again := atoll(t, dir, nil, "run", "case.toml", "-n", "2", "--transport", transport, "--set", "checkpoint.steps=3")
		if code := again.code(t); code != exitDone || !strings.Contains(again.stdout.String(), "continues") {
			t.Errorf("%s: the same command ended with %d and printed\n%s%s", transport, code, again.stdout.String(),
				again.stderr.String())
		}
		return code, stderr
	},
	"an invalid state": func(t *testing.T, transport string) (int, string) {
		dir := caseFile(t, invalidCase)
		code, stderr := ends(t, dir, nil, transport)
		if got := stateOf(t, dir); got != folder.Failed {
			t.Errorf("%s: the run is recorded as %s", transport, got)
		}
		return code, stderr
	},
	"a lost rank that is not replaced": func(t *testing.T, transport string) (int, string) {
		if transport != "grpc" {
			return exitFailed, ""
		}
		dir := caseFile(t, longCase)
		c := atoll(t, dir, nil, "run", "case.toml", "-n", "2", "--transport", transport, "--retries", "0")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitForLoop(t, filepath.Join(dir, "out"))
		if err := syscall.Kill(ranksOf(t, c.Process.Pid, 2)[1], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return c.end(t)
	},
	"a file of the run that was damaged while it went on": func(t *testing.T, transport string) (int, string) {
		dir := caseFile(t, smallCase)
		removes := removesFile + "=" + filepath.Join(dir, "out", "frames", "case_000000.vtu") + "@case_000002.vtu"
		code, stderr := ends(t, dir, []string{removes}, transport)
		if !strings.Contains(stderr, "case_000000.vtu is missing") {
			t.Errorf("%s: printed\n%s", transport, stderr)
		}
		return code, stderr
	},
}

// longCase is a case that would run for a long time.
var longCase = strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4")

// invalidCase is a case whose velocity becomes infinite.
const invalidCase = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 1000 }
physics = { layers = 1 }
initial = { depth = "1", h = "1" }
forcing = { wind_x = "t < 0.2 ? 0 : 1e300", wind_y = "0" }
time = { end = 5 }
checkpoint = { every = 0, steps = 2 }
output = { dir = "out", format = [] }
`

// ends runs a case on two ranks, and returns the exit code and what was printed.
func ends(t *testing.T, dir string, env []string, transport string, args ...string) (code int, stderr string) {
	t.Helper()
	c := atoll(t, dir, env, append([]string{"run", "case.toml", "-q", "-n", "2", "--transport", transport}, args...)...)
	return c.code(t), c.stderr.String()
}

// stopped starts a case on two ranks, stops it by a signal when steps have begun, and returns as ends does.
func stopped(t *testing.T, dir, transport string, s syscall.Signal, args ...string) (code int, stderr string) {
	t.Helper()
	c := atoll(t, dir, nil, append([]string{"run", "case.toml", "-q", "-n", "2", "--transport", transport}, args...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitForLoop(t, filepath.Join(dir, "out"))
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return c.end(t)
}

// filesLike returns the files in a folder that match a pattern.
func filesLike(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExitCodes brings about every cause in the table of docs/operations.md, over both transports, and compares the
// exit code with that of the table.
func TestExitCodes(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Exit codes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \|`).FindAllStringSubmatch(section, -1)
	if len(rows) != len(exits) {
		t.Errorf("the table has %d causes, want %d", len(rows), len(exits))
	}
	for _, row := range rows {
		cause, want := row[1], row[2]
		end := exits[cause]
		if end == nil {
			t.Errorf("the cause %q has no test", cause)
			continue
		}
		for _, transport := range []string{"local", "grpc"} {
			t.Run(cause+", "+transport, func(t *testing.T) {
				t.Parallel()
				if code, stderr := end(t, transport); fmt.Sprint(code) != want {
					t.Errorf("exit code %d, want %s; printed\n%s", code, want, stderr)
				}
			})
		}
	}
}

// TestBriefFaultIsTriedAgain checks that a supervised run continues by itself when the disk was full for a moment.
func TestBriefFaultIsTriedAgain(t *testing.T) {
	dir := caseFile(t, smallCase)
	env := []string{fullDisk + "=case_000002.vtu@" + filepath.Join(t.TempDir(), "freed")}
	code, stderr := ends(t, dir, env, "grpc", "--set", "checkpoint.steps=3")
	if code != exitDone || !strings.Contains(stderr, "no space left on device; trying again in 1s") {
		t.Errorf("exit code %d, printed\n%s", code, stderr)
	}
}

// TestIgnoredSignalsStayIgnored checks that a run which nohup has started, or a shell in the background, goes on after
// the signals that these ignore, and still ends upon others.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	for _, transport := range []string{"local", "grpc"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := caseFile(t, longCase)
			c := atoll(t, dir, nil, "run", "case.toml", "-q", "-n", "2", "--transport", transport)
			c.Args = append([]string{"sh", "-c", `trap '' HUP INT; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
			c.Path = "/bin/sh"
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			waitForLoop(t, filepath.Join(dir, "out"))
			for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGHUP} {
				if err := c.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			before := fileSize(t, filepath.Join(dir, "out", "conservation.csv"))
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				if fileSize(t, filepath.Join(dir, "out", "conservation.csv")) > before+1000 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("the run has stopped")
				}
			}
			if got := stateOf(t, dir); got != folder.Running {
				t.Errorf("the run is %s", got)
			}
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code, stderr := c.end(t); code != exitSaved {
				t.Errorf("exit code %d, printed\n%s", code, stderr)
			}
		})
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0 // on a busy machine a rank may be taken for lost, and the run begins again
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
