//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/run/checkpoint"
)

// mount mounts a file system until the end of the test. It skips the test if that is not allowed.
func mount(t *testing.T, args ...string) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount file systems")
	}
	dir = t.TempDir()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("mount %v: %v: %s", args, err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
			t.Error(err)
		}
	})
	return dir
}

// savingCase is a case that saves its state every few steps.
const savingCase = smallCase + `
[checkpoint]
every = 0
steps = 5
`

// TestDiskFull fills a file system while a run writes frames, gives it more space, and runs the same command again: it
// continues from the last checkpoint.
func TestDiskFull(t *testing.T) {
	dir := mount(t, "-t", "tmpfs", "-o", "size=3m", "none")
	text := strings.ReplaceAll(strings.ReplaceAll(savingCase, "every = 0.05", "every = 0.02"), "end = 0.2", "end = 1")
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, transport := range []string{"local", "grpc"} {
		run := func(args ...string) *command {
			return atoll(t, dir, nil, append([]string{"run", "case.toml", "-n", "2", "--transport", transport, "--out",
				transport}, args...)...)
		}
		c := run("--retries", "1")
		if code := c.code(t); code != exitFailed || !strings.Contains(c.stderr.String(), "no space left on device") {
			t.Fatalf("%s: exit code %d, printed\n%s", transport, code, c.stderr.String())
		}
		saved, err := checkpoint.List(filepath.Join(dir, transport))
		if err != nil || len(saved) == 0 {
			t.Fatalf("%s: checkpoints %v, %v", transport, saved, err)
		}
		if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=100m"); err != nil {
			t.Fatal(err)
		}
		c = run()
		if code := c.code(t); code != exitDone || !strings.Contains(c.stdout.String(), filepath.Base(saved[0])) {
			t.Errorf("%s: the same command ended with %d, want 0 after it continued from %s; printed\n%s%s", transport, code,
				saved[0], c.stdout.String(), c.stderr.String())
		}
		if err := os.RemoveAll(filepath.Join(dir, transport)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=3m"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPowerFailure stops a run that writes to a file system on a loop device, copies the device without what is still
// in the page cache, and runs the same command on the copy: files and hash are those of an undisturbed run.
// ATOLL_POWER_FAILURES is the number of failures over each transport.
func TestPowerFailure(t *testing.T) {
	needs.Program(t, "mkfs.ext4", "e2fsprogs")
	times := 1
	if text := os.Getenv("ATOLL_POWER_FAILURES"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.ReplaceAll(savingCase, "end = 0.2", "end = 0.6")
	dir := caseFile(t, strings.Replace(text, "every = 0.05", "every = 0.05\nformat = [\"vtu\", \"nc\"]", 1))
	if code, stderr := ends(t, dir, nil, "local", "--out", "complete"); code != exitDone {
		t.Fatalf("exit code %d, printed\n%s", code, stderr)
	}
	for _, transport := range []string{"local", "grpc"} {
		for k := range times {
			t.Run(fmt.Sprint(transport, k), func(t *testing.T) {
				again := loseByPowerFailure(t, dir, transport)
				saved, err := checkpoint.List(again)
				if err != nil {
					t.Fatal(err)
				}
				if code, stderr := ends(t, dir, nil, transport, "--out", again); code != exitDone {
					t.Fatalf("with checkpoints %v: exit code %d, printed\n%s", saved, code, stderr)
				}
				compareOutput(t, filepath.Join(dir, "complete"), again)
			})
		}
	}
}

// loseByPowerFailure runs the case in dir on a device, and stops it after a random number of steps. It returns the
// folder of the run as it is on the device.
func loseByPowerFailure(t *testing.T, dir, transport string) (out string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "disk")
	shell(t, "truncate -s 64M "+image+" && mkfs.ext4 -q -F "+image)
	mounted := mount(t, "-o", "loop", image)
	c := atoll(t, dir, nil, "run", "case.toml", "-q", "-n", "2", "--transport", transport, "--out",
		filepath.Join(mounted, "out"))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	steps, deadline := 5+rand.IntN(40), time.Now().Add(10*time.Second)
	for saved := -1; saved < steps && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var err error
		if saved, err = checkpoint.LatestStep(filepath.Join(mounted, "out")); err != nil {
			t.Fatal(err)
		}
	}
	stopAll(c, syscall.SIGSTOP)
	shell(t, "cp --sparse=always "+image+" "+image+".copy")
	stopAll(c, syscall.SIGKILL)
	_ = c.Wait() // killed
	return filepath.Join(mount(t, "-o", "loop", image+".copy"), "out")
}

// stopAll signals the processes that a command has started, and the command.
func stopAll(c *command, s syscall.Signal) {
	for _, pid := range children(c.Process.Pid) {
		_ = syscall.Kill(pid, s) // it may have ended
	}
	_ = syscall.Kill(-c.Process.Pid, s)
}

// children returns the processes whose parent is a process.
func children(parent int) (pids []int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	if err != nil {
		return nil
	}
	for _, word := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func shell(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
		t.Skipf("%s: %v: %s", line, err, out)
	}
}
