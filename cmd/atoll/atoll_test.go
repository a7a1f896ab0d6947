package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/summary"
)

// asAtoll makes this test binary the command itself, so that tests run real processes of it.
const asAtoll = "ATOLL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asAtoll) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command is atoll with arguments in a folder, output collected.
type command struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func atoll(t *testing.T, dir string, env []string, args ...string) *command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &command{Cmd: exec.Command(self, args...)}
	c.Dir = dir
	c.Env = append(append(os.Environ(), asAtoll+"=1"), env...)
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// code runs the command and returns its exit code.
func (c *command) code(t *testing.T) int {
	t.Helper()
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

const smallCase = `
solver = "shallow-water"
[mesh]
generate = "rectangle"
bounds = [-5, -5, 5, 5]
cells = 1800
[physics]
density_ratio = 0.5
[initial]
depth = "6"
h1 = "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5"
h2 = "depth - h1"
[time]
end = 0.2
[output]
every = 0.05
dir = "out"
[[gauge]]
name = "centre"
at = [0.1, 0.2]
`

func caseFile(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readSummary(t *testing.T, path string) summary.Summary {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s summary.Summary
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRunOverProcesses(t *testing.T) {
	dir := caseFile(t, smallCase)
	for _, args := range [][]string{
		{"--out", "one"},
		{"--out", "four", "--ranks", "4", "--transport", "grpc"},
	} {
		c := atoll(t, dir, nil, append([]string{"run", "case.toml"}, args...)...)
		if code := c.code(t); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, c.stderr.String())
		}
		for _, want := range []string{"state", "cell updates a second"} {
			if !strings.Contains(c.stdout.String(), want) {
				t.Errorf("%v: no %q in what it printed:\n%s", args, want, c.stdout.String())
			}
		}
	}
	one, four := readSummary(t, filepath.Join(dir, "one", "summary.json")),
		readSummary(t, filepath.Join(dir, "four", "summary.json"))
	if one.StateSHA256 != four.StateSHA256 || len(one.StateSHA256) != 64 {
		t.Errorf("state %s on one rank, %s on four", one.StateSHA256, four.StateSHA256)
	}
	if four.Ranks != 4 || four.Transport != "grpc" {
		t.Errorf("summary tells %d ranks over %s", four.Ranks, four.Transport)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "one", "gauges", "centre.csv"))
	b, _ := os.ReadFile(filepath.Join(dir, "four", "gauges", "centre.csv"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("the gauge differs: %d bytes on one rank, %d on four", len(a), len(b))
	}
	c := atoll(t, dir, nil, "plot", "four")
	if code := c.code(t); code != 0 {
		t.Fatalf("plot: exit code %d\n%s", code, c.stderr.String())
	}
	for _, f := range strings.Fields(c.stdout.String()) {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() < 1000 {
			t.Errorf("%s is no picture: %v", f, err)
		}
	}
}

// ranksOf finds the rank processes that a command started.
func ranksOf(t *testing.T, parent, n int) map[int]int {
	t.Helper()
	pids := map[int]int{}
	for deadline := time.Now().Add(20 * time.Second); len(pids) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d ranks started", len(pids), n)
		}
		entries, err := os.ReadDir("/proc")
		if err != nil {
			t.Skip("no /proc: cannot find the rank processes")
		}
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || parentOf(pid) != parent {
				continue
			}
			env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			for _, v := range strings.Split(string(env), "\x00") {
				if rank, ok := strings.CutPrefix(v, "ATOLL_RANK="); ok {
					r, _ := strconv.Atoi(rank)
					pids[r] = pid
				}
			}
		}
	}
	return pids
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The command's name, in parentheses, may hold spaces.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

// TestKilledRankEndsTheRun: kill -9 of any rank ends every process within 5 s, with the rank's name and exit code 1.
func TestKilledRankEndsTheRun(t *testing.T) {
	for victim := range 4 {
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
			c := atoll(t, dir, nil, "run", "case.toml", "--ranks", "4", "--transport", "grpc")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pids := ranksOf(t, c.Process.Pid, 4)
			time.Sleep(300 * time.Millisecond) // into the time loop
			killed := time.Now()
			if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- c.Wait() }()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			select {
			case <-done:
			case <-ctx.Done():
				_ = c.Process.Kill()
				t.Fatal("the run did not end")
			}
			if took := time.Since(killed); took > 5*time.Second {
				t.Errorf("the run took %v to end", took)
			}
			if code := c.ProcessState.ExitCode(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			for r, pid := range pids {
				if syscall.Kill(pid, 0) == nil && parentOf(pid) == c.Process.Pid {
					t.Errorf("rank %d lives on", r)
				}
			}
			if want := fmt.Sprintf("rank %d was killed by signal 9", victim); !strings.Contains(c.stderr.String(), want) {
				t.Errorf("stderr does not say %q:\n%s", want, c.stderr.String())
			}
		})
	}
}

// TestBadInput: what is wrong is told in one line, with exit code 2, before any work starts.
func TestBadInput(t *testing.T) {
	set := func(s string) []string { return []string{"run", "case.toml", "--set", s} }
	for name, test := range map[string]struct {
		text string
		args []string
		want string
	}{
		"unknown key":        {smallCase + "\n[output2]\n", nil, "output2"},
		"unknown key by set": {smallCase, set("physics.shceme=roe"), "scheme"},
		"unknown scheme":     {smallCase, set("physics.scheme=godunov"), "godunov"},
		"missing case":       {smallCase, []string{"run", "nowhere.toml"}, "nowhere.toml"},
		"missing mesh": {strings.Replace(smallCase, "generate = \"rectangle\"\nbounds = [-5, -5, 5, 5]\ncells = 1800",
			`file = "no.msh"`, 1), nil, "no.msh"},
		"broken mesh": {strings.Replace(smallCase, "generate = \"rectangle\"\nbounds = [-5, -5, 5, 5]\ncells = 1800",
			`file = "broken.msh"`, 1), nil, "cell 1"},
		"NaN in expression":  {smallCase, set(`initial.h2="sqrt(x)"`), "sqrt(x)"},
		"negative thickness": {smallCase, set(`initial.h2="-1"`), "negative"},
		"gauge outside":      {strings.Replace(smallCase, "at = [0.1, 0.2]", "at = [50, 0]", 1), nil, "centre"},
		"unknown group":      {smallCase + "[boundary]\nharbour = \"open\"\n", nil, "harbour"},
		"unknown transport":  {smallCase, []string{"run", "case.toml", "--transport", "carrier-pigeon"}, "carrier-pigeon"},
		"no ranks":           {smallCase, []string{"run", "case.toml", "--ranks", "0"}, "--ranks"},
		"more ranks than cells": {smallCase, []string{"run", "case.toml", "--ranks", "9", "--set", "mesh.cells=8"},
			"9 ranks"},
		"unknown flag":    {smallCase, []string{"run", "case.toml", "--rank", "2"}, "--rank"},
		"unknown command": {smallCase, []string{"rum"}, "rum"},
		"no summary":      {smallCase, []string{"run", "case.toml", "--summary", "case.toml/s.json"}, "--summary"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := caseFile(t, test.text)
			// Two triangles, of which the second has no area.
			broken := "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 5 0 0\n5 6 0 0\n6 7 0 0\n" +
				"$EndNodes\n$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 2 0 1 4 5 6\n$EndElements\n"
			if err := os.WriteFile(filepath.Join(dir, "broken.msh"), []byte(broken), 0o666); err != nil {
				t.Fatal(err)
			}
			args := test.args
			if args == nil {
				args = []string{"run", "case.toml"}
			}
			c := atoll(t, dir, nil, args...)
			if code := c.code(t); code != 2 {
				t.Errorf("exit code %d", code)
			}
			text := strings.TrimRight(c.stderr.String(), "\n")
			if strings.Contains(text, "\n") || !strings.Contains(text, test.want) {
				t.Errorf("stderr is not one line that tells %q:\n%s", test.want, text)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("output was begun")
			}
		})
	}
}

// TestBadInputOverProcesses: the same with a process a rank.
func TestBadInputOverProcesses(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, `h2 = "depth - h1"`, `h2 = "sqrt(x)"`))
	c := atoll(t, dir, nil, "run", "case.toml", "--ranks", "3", "--transport", "grpc")
	if code := c.code(t); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if text := c.stderr.String(); !strings.Contains(text, "sqrt(x)") {
		t.Errorf("stderr does not tell what is wrong:\n%s", text)
	}
}

func TestCheckPrintsTheEffectiveCase(t *testing.T) {
	dir := caseFile(t, smallCase)
	c := atoll(t, dir, nil, "run", "case.toml", "--check", "--set", "physics.cfl=0.5")
	if code := c.code(t); code != 0 || !strings.Contains(c.stdout.String(), "cfl = 0.5") {
		t.Errorf("exit code %d, printed %q", code, c.stdout.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("output was begun")
	}
}

func TestMeshCommands(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"mesh", "generate", "a.msh", "--bounds", "0,0,2,1", "--cells", "400"},
		{"mesh", "convert", "a.msh", "b.vtu", "--orient"},
		{"mesh", "info", "b.vtu"},
		{"mesh", "reorder", "b.vtu", "c.msh", "--order", "gps"},
		{"mesh", "reorder", "c.msh", "--order", "all"},
		{"mesh", "partition", "c.msh", "d.vtu", "-n", "3", "--cut", "rcb"},
	} {
		c := atoll(t, dir, nil, args...)
		if code := c.code(t); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, c.stderr.String())
		}
		if args[1] == "info" && !strings.Contains(c.stdout.String(), "400 cells") {
			t.Errorf("info: %s", c.stdout.String())
		}
	}
}
