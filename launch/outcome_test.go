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

// patience is how long tests wait for what must come: a machine under load is slow.
const patience = time.Hour

// eventually fails the test unless ok becomes true within the limit.
func eventually(t *testing.T, condition string, limit time.Duration, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not true after %v: %s", limit, condition)
		}
	}
}

// testRun is a run of Local in the background of a test.
type testRun struct {
	t              *testing.T
	pids, tmp      string // directories: of the ranks' process numbers, and for sockets
	stdout, stderr bytes.Buffer
	cancel         context.CancelCauseFunc
	ended          chan error
}

// startRun starts ranks that play roles (see rank). change, if not nil, changes their configuration.
func startRun(t *testing.T, ranks int, roles string, change func(*LocalConfig)) *testRun {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "lt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	o := &testRun{t: t, pids: t.TempDir(), tmp: tmp, ended: make(chan error, 1)}
	t.Setenv("TMPDIR", tmp)
	config := LocalConfig{
		Ranks: ranks, Stdout: &o.stdout, Stderr: &o.stderr, Grace: 2 * time.Second,
		Env: append(os.Environ(), envRole+"="+roles, envPIDs+"="+o.pids, noRaceSleep),
	}
	if change != nil {
		change(&config)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	o.cancel = cancel
	go func() { o.ended <- Local(ctx, config) }()
	return o
}

// pid waits until a rank has started, and returns its process number.
func (o *testRun) pid(rank int) (pid int) {
	o.t.Helper()
	eventually(o.t, fmt.Sprintf("rank %d has started", rank), patience, func() (ok bool) {
		pid, ok = readPID(o.pids, rank, "pid")
		return ok
	})
	return pid
}

// wait returns Local's error. It checks that the ranks have ended and that their directory of sockets is removed.
func (o *testRun) wait() error {
	o.t.Helper()
	defer o.cancel(nil)
	select {
	case err := <-o.ended:
		ranks, _ := filepath.Glob(filepath.Join(o.pids, "pid*[0-9]"))
		for _, name := range ranks {
			b, _ := os.ReadFile(name)
			if pid, _ := strconv.Atoi(string(b)); isRunning(pid) {
				o.t.Errorf("%s still runs", filepath.Base(name))
			}
		}
		if entries, _ := os.ReadDir(o.tmp); len(entries) != 0 {
			o.t.Errorf("%s was not removed", entries[0].Name())
		}
		return err
	case <-time.After(patience):
		o.t.Fatal("the run does not end")
		return nil
	}
}

// startParent starts a process that runs Local with three ranks of a role.
func startParent(t *testing.T, role string) (cmd *exec.Cmd, pids []int, tmp string, out *bytes.Buffer) {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "lt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	o := &testRun{t: t, pids: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out = new(bytes.Buffer)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), envRole+"=parent", "ATOLL_TEST_RANKS="+role, envPIDs+"="+o.pids,
		"TMPDIR="+tmp, noRaceSleep)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for r := range 3 {
		pids = append(pids, o.pid(r))
	}
	return cmd, pids, tmp, out
}
