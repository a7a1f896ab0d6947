//go:build linux

package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func eventually(t *testing.T, what string, limit time.Duration, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v still not so: %s", limit, what)
		}
	}
}

// outcome is a run in the background of a test.
type outcome struct {
	t              *testing.T
	notes, tmp     string
	stdout, stderr bytes.Buffer
	cancel         context.CancelCauseFunc
	ended          chan error
}

// run starts ranks with a role. Its sockets lie below a directory of the test's.
func run(t *testing.T, ranks int, role string, change func(*LocalConfig)) *outcome {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "lt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	o := &outcome{t: t, notes: t.TempDir(), tmp: tmp, ended: make(chan error, 1)}
	t.Setenv("TMPDIR", tmp)
	config := LocalConfig{
		Ranks: ranks, Stdout: &o.stdout, Stderr: &o.stderr, Grace: 2 * time.Second,
		Env: append(os.Environ(), envRole+"="+role, envNotes+"="+o.notes, noRaceSleep),
	}
	if change != nil {
		change(&config)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	o.cancel = cancel
	go func() { o.ended <- Local(ctx, config) }()
	return o
}

func (o *outcome) pid(rank int) (pid int) {
	o.t.Helper()
	eventually(o.t, fmt.Sprintf("rank %d has started", rank), 20*time.Second, func() (ok bool) {
		pid, ok = noted(o.notes, rank, "pid")
		return ok
	})
	return pid
}

// wait returns Local's error after it has checked that nothing is left.
func (o *outcome) wait() error {
	o.t.Helper()
	defer o.cancel(nil)
	select {
	case err := <-o.ended:
		left, _ := filepath.Glob(filepath.Join(o.notes, "*[0-9]"))
		for _, name := range left {
			b, _ := os.ReadFile(name)
			pid, _ := strconv.Atoi(string(b))
			if filepath.Base(name)[0] == 'p' && runs(pid) {
				o.t.Errorf("%s still runs", filepath.Base(name))
			}
		}
		if entries, _ := os.ReadDir(o.tmp); len(entries) != 0 {
			o.t.Errorf("%s is left behind", entries[0].Name())
		}
		return err
	case <-time.After(30 * time.Second):
		o.t.Fatal("the run does not end")
		return nil
	}
}

// startParent starts a process that runs Local, as the command line does.
func startParent(t *testing.T, role string) (cmd *exec.Cmd, pids []int, tmp string, out *bytes.Buffer) {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "lt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	o := &outcome{t: t, notes: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out = new(bytes.Buffer)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), envRole+"=parent", "ATOLL_TEST_RANKS="+role, envNotes+"="+o.notes,
		"TMPDIR="+tmp, noRaceSleep)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := range 3 {
		pids = append(pids, o.pid(r))
	}
	return cmd, pids, tmp, out
}
