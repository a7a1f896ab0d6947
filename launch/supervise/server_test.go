//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/launch"
)

const envRole = "ATOLL_TEST_ROLE"

// TestMain makes the test binary the program of the workers too.
func TestMain(m *testing.M) {
	if dir := os.Getenv(envRole); dir != "" {
		os.Exit(worker(dir))
	}
	goleak.VerifyTestMain(m)
}

// worker writes its process number to a file, then waits: it exits with the code in the file that endEpoch writes for
// its epoch, with 2 after it has printed the file for its rank, or with 75 after SIGTERM.
func worker(dir string) int {
	p, err := launch.Detect()
	if err != nil {
		return 99
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	pidFile := filepath.Join(dir, fmt.Sprintf("e%d-r%d-of-%d", p.Epoch, p.Rank, p.Size))
	if os.WriteFile(pidFile, fmt.Append(nil, os.Getpid()), 0o666) != nil {
		return 98
	}
	for {
		var code int
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("end-e%d", p.Epoch)))
		if _, failed := fmt.Sscan(string(text), &code); err == nil && failed == nil {
			return code
		}
		text, err = os.ReadFile(filepath.Join(dir, fmt.Sprintf("end-e%d-r%d", p.Epoch, p.Rank)))
		if err == nil { // as Go ends a process in which a goroutine panics
			_, _ = os.Stderr.Write(text)
			return 2
		}
		select {
		case <-stop:
			return launch.ExitStopped
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// memoryJournal is a journal in memory.
type memoryJournal struct {
	lock    sync.Mutex
	epoch   uint64
	request *ResizeRequest
	replies chan string
}

func (m *memoryJournal) Raise([]Assignment) (uint64, int, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.epoch++
	return m.epoch, int(m.epoch), nil
}

func (m *memoryJournal) TakeRequest() (ResizeRequest, bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.request == nil {
		return ResizeRequest{}, false
	}
	r := *m.request
	m.request = nil
	return r, true
}

func (m *memoryJournal) Reply(a ResizeReply) error {
	m.replies <- a.Text
	return nil
}

// testRun is a run under test.
type testRun struct {
	t       *testing.T
	dir     string
	journal *memoryJournal
	address string
	server  *Server
	outcome chan Outcome
	log     chan string
	events  chan Event // handled by the state machine
}

// start starts a run whose local member has slots for that many ranks.
func start(ctx context.Context, t *testing.T, l Limits, slots int) *testRun {
	t.Helper()
	s := &testRun{t: t, dir: t.TempDir(), journal: &memoryJournal{replies: make(chan string, 9)},
		outcome: make(chan Outcome, 1), log: make(chan string, 99), events: make(chan Event, 999)}
	s.address = filepath.Join(s.dir, "p.sock")
	listener, err := net.Listen("unix", s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.server = &Server{Listener: listener, Token: "secret", Build: "b1", SilenceLimit: time.Second, Dir: s.dir,
		CertifiedOrdinal: func(net.Conn) (ordinal int, err error) { return 0, nil }}
	l.Drain = 5 * time.Second
	go func() {
		s.outcome <- Run(ctx, Config{Limits: l, Journal: s.journal, Local: s.member("local", slots), Server: s.server,
			Command: func(bool) []string { return []string{"run"} }, Log: func(text string) { s.log <- text },
			Trace: func(e Event, _ []Action) { s.events <- e }})
	}()
	return s
}

func (s *testRun) member(name string, slots int) LocalMember {
	return LocalMember{Name: name, Slots: slots, Address: "127.0.0.1",
		Workers: launch.LocalConfig{Env: append(os.Environ(), envRole+"="+s.dir, "GORACE=atexit_sleep_ms=0"), Threads: 1,
			Drain: 5 * time.Second}}
}

// runOnly accepts the arguments of these tests' workers.
func runOnly(args []string) ([]string, error) {
	if !slices.Equal(args, []string{"run"}) {
		return nil, fmt.Errorf("got arguments %q", args)
	}
	return args, nil
}

// join starts a remote supervisor, and returns a channel for the error of its Join.
func (s *testRun) join(ctx context.Context, name string, slots int, change func(*RemoteSupervisor)) <-chan error {
	v := &RemoteSupervisor{Dial: func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.address)
	}, Local: s.member(name, slots), Arguments: runOnly, Token: "secret", Build: "b1", SilenceLimit: time.Second,
		MaxOutage: 2 * time.Second,
		Log:       func(text string) { s.log <- text }}
	if change != nil {
		change(v)
	}
	done := make(chan error, 1)
	go func() { done <- v.Join(ctx) }()
	return done
}

// awaitEpoch waits until all ranks of an epoch have started, and returns the process number of the last rank.
func (s *testRun) awaitEpoch(epoch, ranks int) (pid int) {
	s.t.Helper()
	for end := time.Now().Add(time.Hour); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(s.dir, fmt.Sprintf("e%d-r*-of-%d", epoch, ranks)))
		slices.Sort(files)
		if len(files) == ranks {
			text, _ := os.ReadFile(files[ranks-1])
			if n, _ := fmt.Sscan(string(text), &pid); n == 1 {
				return pid
			}
		}
	}
	s.t.Fatalf("epoch %d of %d ranks did not start", epoch, ranks)
	return 0
}

// put writes a file for workers, which never see a part of it.
func (s *testRun) put(name string, text []byte) error {
	return atomicfile.Write(filepath.Join(s.dir, name), func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
	})
}

// endEpoch makes all workers of an epoch exit with a code.
func (s *testRun) endEpoch(epoch, code int) {
	s.t.Helper()
	if err := s.put(fmt.Sprintf("end-e%d", epoch), fmt.Append(nil, code)); err != nil {
		s.t.Fatal(err)
	}
}

// TestMemberJoinsAndLeaves: a member joins, one of its ranks is killed, the member leaves, and the run ends.
func TestMemberJoinsAndLeaves(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 3, MinRanks: 1, MaxRanks: 3, Retries: 2}, 1)
	s.awaitEpoch(1, 1)
	ctx, leave := context.WithCancel(t.Context())
	remote := s.join(ctx, "remote", 2, nil)
	if err := syscall.Kill(s.awaitEpoch(2, 3), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.awaitEpoch(3, 3)
	leave()
	if err := <-remote; err != nil {
		t.Error(err)
	}
	s.awaitEpoch(4, 1)
	s.journal.lock.Lock()
	s.journal.request = &ResizeRequest{Ranks: 4}
	s.journal.lock.Unlock()
	if got, want := <-s.journal.replies, "4 ranks: the run was started for 1 to 3"; got != want {
		t.Errorf("got reply %q, want %q", got, want)
	}
	s.endEpoch(4, 0)
	if o := <-s.outcome; len(o.Exits) != 1 || o.Exits[0].Code != 0 || o.Reason != "" {
		t.Errorf("got outcome %+v, want one exit with code 0", o)
	}
}

// TestSilentMemberIsLost: a member without heartbeats is lost, and the run continues without it. A supervisor that
// finds no launcher gives up after MaxOutage.
func TestSilentMemberIsLost(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 2, MinRanks: 1, MaxRanks: 2, Retries: 2}, 1)
	s.awaitEpoch(1, 1)
	conn, err := net.Dial("unix", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	silent := newMessageConn(conn, conn, time.Second) // and not start: it sends no heartbeats
	if err := silent.greet(hello{Name: "silent", Slots: 1, Rendezvous: "127.0.0.1:1", Build: "b1"}, "secret"); err != nil {
		t.Fatal(err)
	}
	s.awaitEpoch(3, 1) // epoch 2 ends when the silent member, which has one of its ranks, is lost
	remote := s.join(t.Context(), "remote", 1, func(v *RemoteSupervisor) { v.MaxOutage = 300 * time.Millisecond })
	s.awaitEpoch(4, 2)
	s.endEpoch(4, 0)
	if o := <-s.outcome; o.Reason != "" || len(o.Exits) != 2 {
		t.Errorf("got outcome %+v, want two exits and no reason", o)
	}
	if err := <-remote; err != nil {
		t.Error(err)
	}
	if err := <-s.join(t.Context(), "late", 1,
		func(v *RemoteSupervisor) { v.MaxOutage = 300 * time.Millisecond }); err == nil ||
		!strings.Contains(err.Error(), "no launcher was reached for 300ms") {
		t.Error(err)
	}
}

// TestIdleMemberAnnouncesThatItLeaves: a member without workers also sends Slots before it leaves, unless it leaves
// before the launcher's welcome has come, for which nobody can wait: then it joins again for longer.
func TestIdleMemberAnnouncesThatItLeaves(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 1, MinRanks: 1}, 1)
	s.awaitEpoch(1, 1)
	announced := false
	for attempt := 0; attempt < 10 && !announced; attempt++ {
		ctx, leave := context.WithCancel(t.Context())
		idle := s.join(ctx, "idle", 1, nil)
		for e := range s.events {
			if _, joined := e.(Join); joined && e.(Join).Member == "idle" {
				break
			}
		}
		time.Sleep(time.Duration(attempt*attempt) * 10 * time.Millisecond)
		leave()
		if err := <-idle; err != nil {
			t.Error(err)
		}
		e := <-s.events
		if announced = e == (Slots{Member: "idle"}); announced {
			e = <-s.events
		}
		if e, ok := e.(Leave); !ok || e.Member != "idle" {
			t.Fatalf("got event %+v, want Leave", e)
		}
	}
	if !announced {
		t.Error("the member did not announce that it leaves")
	}
	s.endEpoch(1, 0)
	<-s.outcome
}

// TestServerRefusesConnections: the server refuses supervisors with wrong credentials, tells them why, and closes
// connections with other data. The run continues.
func TestServerRefusesConnections(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 1, MinRanks: 1, Retries: 2}, 1)
	s.awaitEpoch(1, 1)
	for want, change := range map[string]func(*RemoteSupervisor){
		"claims rank 3 with the certificate of rank 0": func(v *RemoteSupervisor) { v.Local.Ordinal = 3 },
		`its build is "b2"`:                            func(v *RemoteSupervisor) { v.Build = "b2" },
		"malformed hello: 1000000 slots":               func(v *RemoteSupervisor) { v.Local.Slots = 1000000 },
	} {
		var refused *RefusedError
		err := <-s.join(t.Context(), "x", 1, change)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	if err := <-s.join(t.Context(), "x", 1, func(v *RemoteSupervisor) { v.Token = "guess" }); !errors.As(err,
		new(*UnknownLauncherError)) {
		t.Errorf("with another token: %v", err)
	}
	calls := 0
	err := <-s.join(t.Context(), "x", 1, func(v *RemoteSupervisor) { // connections break before welcome
		v.MaxOutage = 600 * time.Millisecond
		v.Dial = func(context.Context) (net.Conn, error) {
			calls++
			conn, peer := net.Pipe()
			return conn, peer.Close()
		}
	})
	if !errors.As(err, new(*LauncherLostError)) || calls > 10 {
		t.Errorf("got error %v after %d calls of Dial, want a LauncherLostError after at most 10", err, calls)
	}
	for _, garbage := range []string{"GET / HTTP/1.1\r\n\r\n", "{}\n", "\x16\x03\x01", strings.Repeat("x", maxLine+1)} {
		conn, err := net.Dial("unix", s.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(garbage)) // fails if the server closes the connection first
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for buf := make([]byte, 512); err == nil; {
			_, err = conn.Read(buf)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the server does not close the connection after %.20q", garbage)
		}
		conn.Close()
	}
	s.endEpoch(1, 0)
	if o := <-s.outcome; len(o.Exits) != 1 || o.Exits[0].Code != 0 {
		t.Errorf("got outcome %+v, want one exit with code 0", o)
	}
}

// TestReasonOfASilentExit: a rank that exits without a report, as after a panic of a goroutine, is lost for the reason
// that its output gives.
func TestReasonOfASilentExit(t *testing.T) {
	s := start(t.Context(), t, Limits{Ranks: 2, MinRanks: 2, Retries: 1}, 2)
	s.awaitEpoch(1, 2)
	words := []byte("panic: no more memory\ngoroutine 7")
	if err := s.put("end-e1-r1", words); err != nil {
		t.Fatal(err)
	}
	s.awaitEpoch(2, 2)
	s.endEpoch(2, 0)
	<-s.outcome
	close(s.log)
	for line := range s.log {
		if strings.Contains(line, "rank 1 exited with code 2: panic: no more memory; continuing") {
			return
		}
	}
	t.Error("no reason was logged")
}
