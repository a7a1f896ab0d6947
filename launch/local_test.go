//go:build linux

package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the program of the ranks, and a parent that can be killed.
const (
	envRole  = "ATOLL_TEST_ROLE"  // what rank or parent to be
	envNotes = "ATOLL_TEST_NOTES" // a directory in which ranks leave their process numbers

	noRaceSleep = "GORACE=atexit_sleep_ms=0" // a rank under the race detector would take a second to exit
)

func TestMain(m *testing.M) {
	if role := os.Getenv(envRole); role == "parent" {
		os.Exit(parent())
	} else if role != "" {
		os.Exit(rank(role))
	}
	goleak.VerifyTestMain(m)
}

// rank plays roles, "exit 3" for all ranks or "exit 3/wait/…" with one for each rank.
func rank(roles string) int {
	p, err := Detect()
	if err != nil || p.Launcher != Atoll {
		fmt.Fprintln(os.Stderr, "not a rank:", p, err)
		return 99
	}
	role := roles
	if each := strings.Split(roles, "/"); len(each) > 1 {
		role = each[p.Rank]
	}
	stop := make(chan os.Signal, 8)
	switch role {
	case "checkpoint", "linger":
		signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	case "stubborn":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	}
	note(p.Rank, os.Getpid(), "pid")
	if err := os.WriteFile(filepath.Join(p.Sockets, strconv.Itoa(p.Rank)+".sock"), nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	role, argument, _ := strings.Cut(role, " ")
	number, _ := strconv.Atoi(argument)
	switch role {
	case "exit":
		fmt.Println("place:", p)
		fmt.Fprintln(os.Stderr, "code", number)
		return number
	case "wait", "stubborn":
		time.Sleep(time.Minute)
	case "notice": // as a rank that loses a peer does
		for {
			for peer := range p.Size {
				if pid, ok := noted(os.Getenv(envNotes), peer, "pid"); ok && !runs(pid) {
					fmt.Fprintf(os.Stderr, "lost rank %d\n", peer)
					return 1
				}
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "checkpoint":
		s := <-stop
		time.Sleep(100 * time.Millisecond)
		fmt.Fprintln(os.Stderr, "checkpoint after", s, "and", len(stop), "more")
		return 75
	case "linger": // longer at its checkpoint than the others' grace
		<-stop
		time.Sleep(700 * time.Millisecond)
		return 75
	case "family":
		cmd := exec.Command("sleep", "60")
		cmd.Stdout = os.Stdout // held open when the rank has gone
		if err := cmd.Start(); err != nil {
			return 97
		}
		note(p.Rank, cmd.Process.Pid, "child")
		return number
	case "stray": // leaves a process behind in a session of its own
		cmd := exec.Command("sleep", "60")
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return 97
		}
		note(p.Rank, cmd.Process.Pid, "child")
		return number
	case "flood":
		line := bytes.Repeat([]byte{'x'}, 1023)
		for range number {
			os.Stdout.Write(append(line, '\n'))
		}
		fmt.Println("the end")
		return 1
	}
	return 96
}

// parent runs 3 ranks of the role in ATOLL_TEST_RANKS and says how it went.
func parent() int {
	err := Local(context.Background(), LocalConfig{
		Ranks: 3, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: append(os.Environ(), envRole+"="+os.Getenv("ATOLL_TEST_RANKS")),
	})
	fmt.Println("parent:", err)
	return ExitCode(err)
}

func note(rank, pid int, kind string) {
	name := filepath.Join(os.Getenv(envNotes), fmt.Sprintf("%s%d", kind, rank))
	if err := os.WriteFile(name+"~", []byte(strconv.Itoa(pid)), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		panic(err)
	}
}

func noted(notes string, rank int, kind string) (pid int, ok bool) {
	b, err := os.ReadFile(filepath.Join(notes, fmt.Sprintf("%s%d", kind, rank)))
	if err != nil {
		return 0, false
	}
	pid, err = strconv.Atoi(string(b))
	return pid, err == nil
}

// runs tells whether a process exists and is not a zombie.
func runs(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := b[bytes.LastIndexByte(b, ')')+1:]
	return len(after) > 1 && after[1] != 'Z' && after[1] != 'X'
}

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

func TestNormalEnd(t *testing.T) {
	o := run(t, 3, "exit 0", func(c *LocalConfig) { c.Threads = 5 })
	if err := o.wait(); err != nil {
		t.Fatal(err)
	}
	out := o.stdout.String()
	if !strings.HasPrefix(out, "place: rank 0 of 3, started by atoll, coordinator unix:"+o.tmp+"/atoll-") ||
		!strings.HasSuffix(out, "/c.sock, threads 5\n") || strings.Count(out, "\n") != 1 {
		t.Errorf("stdout %q, want that of rank 0 alone", out)
	}
	if o.stderr.String() != "code 0\n" {
		t.Errorf("stderr %q, want that of rank 0 alone", o.stderr.String())
	}
}

func TestSocketDirectoryIsPrivate(t *testing.T) {
	o := run(t, 1, "checkpoint", nil)
	o.pid(0)
	entries, err := os.ReadDir(o.tmp)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	o.cancel(nil)
	if err := o.wait(); ExitCode(err) != 75 {
		t.Error(err)
	}
}

func TestSocketDirectoryIsShort(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := socketDirectory(long, "/tmp")
	if err != nil || filepath.Dir(dir) != "/tmp" {
		t.Fatal(dir, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
	if dir, err := socketDirectory(long, "/nonexistent"); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(dir, err)
	}
	if left, err := os.ReadDir(long); len(left) != 0 || err != nil {
		t.Error(left, err)
	}
}

func TestKillEachRank(t *testing.T) {
	for victim := range 4 {
		t.Run(fmt.Sprint(victim), func(t *testing.T) {
			o := run(t, 4, "notice", nil)
			for r := range 4 {
				o.pid(r)
			}
			if err := syscall.Kill(o.pid(victim), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			err := o.wait()
			var failure *RankError
			if !errors.As(err, &failure) || failure.Rank != victim || failure.Signal != syscall.SIGKILL ||
				failure.Killed != nil || ExitCode(err) != 1 {
				t.Fatalf("got %v, want rank %d killed", err, victim)
			}
			if want := fmt.Sprintf("rank %d was killed by signal 9 (killed)", victim); err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
			// The others may lose one another too, but the first of them has lost the victim.
			said := o.stderr.String()
			if !strings.Contains(said, fmt.Sprintf("lost rank %d\n", victim)) || !strings.Contains(said, "[rank ") {
				t.Errorf("stderr %q does not show what the others said", said)
			}
		})
	}
}

// Ranks that do not notice are ended: by SIGTERM after the grace, by SIGKILL if they ignore that.
func TestRanksThatDoNotNotice(t *testing.T) {
	o := run(t, 4, "exit 3/wait/stubborn/wait", func(c *LocalConfig) { c.Grace = 300 * time.Millisecond })
	frozen := o.pid(3)
	if err := syscall.Kill(frozen, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	o.pid(2)
	err := o.wait()
	var failure *RankError
	if !errors.As(err, &failure) || failure.Rank != 0 || failure.Code != 3 || fmt.Sprint(failure.Killed) != "[2 3]" {
		t.Error(err)
	}
}

func TestFrozenRankAndTimeout(t *testing.T) {
	o := run(t, 3, "checkpoint", func(c *LocalConfig) { c.Drain = 500 * time.Millisecond })
	for r := range 3 {
		o.pid(r)
	}
	if err := syscall.Kill(o.pid(1), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	o.cancel(context.DeadlineExceeded)
	err := o.wait()
	var failure *RankError
	if !errors.As(err, &failure) || failure.Rank != 1 || !errors.Is(err, context.DeadlineExceeded) || ExitCode(err) != 1 {
		t.Fatal(err)
	}
	want := "rank 1 had not stopped in time and was killed after the run was told to stop: context deadline exceeded"
	if err.Error() != want {
		t.Errorf("got %q\nwant %q", err, want)
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		roles string
		code  int
	}{
		{"exit 2/exit 2/exit 2", 2},
		{"exit 2/exit 0/exit 2", 2},
		{"exit 2/exit 1/exit 2", 1},
		{"exit 75/exit 75/exit 75", 75},
		{"exit 75/exit 2/exit 75", 1},
		{"exit 7/exit 7/exit 7", 1},
	} {
		o := run(t, 3, test.roles, nil)
		if err := o.wait(); ExitCode(err) != test.code {
			t.Errorf("%s: %v gives %d, want %d", test.roles, err, ExitCode(err), test.code)
		}
	}
}

// A rank that needs longer for its checkpoint than the grace after a failure is not cut short by those that are done.
func TestCheckpointsAreWaitedFor(t *testing.T) {
	o := run(t, 3, "checkpoint/linger/checkpoint", func(c *LocalConfig) { c.Grace = 50 * time.Millisecond })
	for r := range 3 {
		o.pid(r)
	}
	if err := syscall.Kill(o.pid(0), syscall.SIGTERM); err != nil { // one rank alone: the others follow by themselves
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	o.cancel(nil)
	if err := o.wait(); ExitCode(err) != 75 {
		t.Error(err)
	}
	if strings.Contains(o.stderr.String(), "[rank") {
		t.Errorf("output of ranks that stopped in good order: %q", o.stderr.String())
	}
}

func TestOutputOfFailedRanks(t *testing.T) {
	o := run(t, 3, "exit 0/flood 200/exit 0", nil)
	if err := o.wait(); err == nil {
		t.Fatal("no error")
	}
	lines := strings.SplitAfter(o.stderr.String(), "\n")
	full := "[rank 1] " + strings.Repeat("x", 1023) + "\n"
	if lines[0] != "code 0\n" || lines[1] != "[rank 1] (earlier output left out)\n" || lines[2] != full ||
		lines[len(lines)-2] != "[rank 1] the end\n" || len(lines) != 2+63+2 {
		t.Errorf("%d lines, %.60q … %q", len(lines), lines[:3], lines[len(lines)-2:])
	}
}

// What a rank leaves running ends with it, and does not hold up the run.
func TestNothingOutlivesItsRank(t *testing.T) {
	o := run(t, 2, "family 0", nil)
	if err := o.wait(); err != nil {
		t.Error(err)
	}
	for r := range 2 {
		pid, ok := noted(o.notes, r, "child")
		if !ok {
			t.Fatal("no child was started")
		}
		eventually(t, "the child is gone", 5*time.Second, func() bool { return !runs(pid) })
	}
}

// A process that has left its rank's group is not Local's to kill, and does not hold up the run either.
func TestStrayProcessIsNotWaitedFor(t *testing.T) {
	o := run(t, 2, "stray 0", nil)
	err := o.wait()
	for r := range 2 {
		pid, ok := noted(o.notes, r, "child")
		if !ok || !runs(pid) {
			t.Errorf("rank %d: no stray process was left", r)
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func TestCommandThatDoesNotExist(t *testing.T) {
	o := run(t, 2, "", func(c *LocalConfig) { c.Command = "/nonexistent/solver" })
	if err := o.wait(); err == nil || !strings.Contains(err.Error(), "start rank 0 of 2") || ExitCode(err) != 1 {
		t.Error(err)
	}
}

func TestContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Local(ctx, LocalConfig{Ranks: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOutputThatCannotBePassedOn(t *testing.T) {
	o := run(t, 2, "exit 0", func(c *LocalConfig) { c.Stdout = brokenWriter{} })
	if err := o.wait(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

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

func TestSignalsToTheParent(t *testing.T) {
	for _, test := range []struct {
		role string
		send []syscall.Signal
		code int
		says string
	}{
		{"checkpoint", []syscall.Signal{syscall.SIGTERM}, 75, "checkpoint after terminated and 0 more\n"},
		{"checkpoint", []syscall.Signal{syscall.SIGINT}, 75, "checkpoint after interrupt and 0 more\n"},
		{"wait", []syscall.Signal{syscall.SIGHUP}, 1,
			"was killed by signal 1 (hangup) after the run was told to stop: signal 1 (hangup)"},
		{"stubborn", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, 1, "had not stopped in time and was killed"},
	} {
		t.Run(fmt.Sprint(test.role, test.send), func(t *testing.T) {
			if slices.ContainsFunc(test.send, func(s syscall.Signal) bool { return signal.Ignored(s) }) {
				t.Skip("this process ignores the signal, as its children do")
			}
			cmd, pids, tmp, out := startParent(t, test.role)
			for _, s := range test.send {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			for r, pid := range pids { // long before the 30 s that ranks have for a checkpoint
				eventually(t, fmt.Sprintf("rank %d is gone", r), 10*time.Second, func() bool { return !runs(pid) })
			}
			_ = cmd.Wait() // the exit code is looked at below
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(out.String(), test.says) {
				t.Errorf("code %d, output %q; want code %d, output with %q", code, out, test.code, test.says)
			}
			if entries, err := os.ReadDir(tmp); err != nil || len(entries) != 0 {
				t.Errorf("the directory of sockets is left behind: %v %v", entries, err)
			}
		})
	}
}

func TestKilledParentLeavesNoOrphan(t *testing.T) {
	cmd, pids, _, _ := startParent(t, "stubborn")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for r, pid := range pids {
		eventually(t, fmt.Sprintf("rank %d is gone", r), 5*time.Second, func() bool { return !runs(pid) })
	}
}
