//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAdaptOnProcesses: ranks that atoll launch has started write the bytes that one writes, rank 0 alone prints, and
// an error of the input is printed once.
func TestAdaptOnProcesses(t *testing.T) {
	for _, words := range [][]string{{"adapt", "a.msh", "OUT", "--hessian", "x*x*x + y*y", "--target", "150"},
		{"smooth", "a.msh", "OUT", "--sweeps", "3"}} {
		dir := filepath.Dir(squareFile(t, "a.msh"))
		with := func(out string) (args []string) {
			for _, w := range words {
				args = append(args, strings.Replace(w, "OUT", out, 1))
			}
			return append(args, "--json", out+".json")
		}
		one := atoll(t, dir, nil, with("one.msh")...)
		if code := one.code(t); code != exitDone {
			t.Fatal(one.stderr.String())
		}
		launched := func(args ...string) *command {
			return atoll(t, dir, nil, append([]string{"launch", "local", "-n", "3", "--", self(t)}, args...)...)
		}
		c := launched(with("three.msh")...)
		if code := c.code(t); code != exitDone || strings.Count(c.stdout.String(), "three.msh") != 1 {
			t.Fatalf("exit code %d\n%s%s", code, c.stdout.String(), c.stderr.String())
		}
		want, err := os.ReadFile(filepath.Join(dir, "one.msh"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "three.msh")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another file than that of one rank, or %v", words[0], err)
		}
		for _, args := range [][]string{
			{words[0], "none.msh", "b.msh"}, {words[0], "a.msh", "b.msh", "--ranks", "5"},
			{words[0], "a.msh", "b.msh", "--transport", "local"}, {words[0], "a.msh", "b.msh", "--json", "a.msh"},
			{words[0], "a.msh", "b.msh", "--width", "x - 1", "--height", "1"},
		} {
			c := launched(args...)
			if code := c.code(t); code != exitUsage || strings.Count(c.stderr.String(), "atoll: ") != 1 {
				t.Errorf("%v: exit code %d, stderr\n%s", args, code, c.stderr.String())
			}
		}
	}
}

// TestKilledRankEndsAdapt: kill -9 of a rank ends every process, with a message that names it, and nothing is written.
func TestKilledRankEndsAdapt(t *testing.T) {
	for _, victim := range []int{0, 2} {
		dir := filepath.Dir(squareFile(t, "a.msh"))
		c := atoll(t, dir, nil, "launch", "local", "-n", "3", "--", self(t), "adapt", "a.msh", "b.msh", "--size", ".002")
		printed, err := os.Create(filepath.Join(dir, "printed"))
		if err != nil {
			t.Fatal(err)
		}
		defer printed.Close()
		c.Stdout = printed
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		pids := ranksOf(t, c.Process.Pid, 3)
		for {
			if text, err := os.ReadFile(printed.Name()); err != nil || bytes.Contains(text, []byte("adapting")) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		code, stderr := c.end(t)
		if want := "rank " + string(rune('0'+victim)) + " was killed by signal 9"; code != exitFailed ||
			!strings.Contains(stderr, want) {
			t.Errorf("exit code %d, stderr without %q:\n%s", code, want, stderr)
		}
		for rank, pid := range pids {
			if syscall.Kill(pid, 0) == nil && parentOf(pid) == c.Process.Pid {
				t.Errorf("rank %d still runs", rank)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "b.msh")); err == nil {
			t.Error("a mesh was written")
		}
	}
}
