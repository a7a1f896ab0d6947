//go:build linux

package supervise

import (
	"context"
	"encoding/json"
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

// worker tells that it is there, and does as a file says that is written for its epoch: exits with its code, or with 75
// when it is told to stop.
func worker(dir string) int {
	p, err := launch.Detect()
	if err != nil {
		return 99
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	here := filepath.Join(dir, fmt.Sprintf("e%d-r%d-of-%d", p.Epoch, p.Rank, p.Size))
	if os.WriteFile(here, fmt.Append(nil, os.Getpid()), 0o666) != nil {
		return 98
	}
	for {
		var code int
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("end-e%d", p.Epoch)))
		if _, failed := fmt.Sscan(string(text), &code); err == nil && failed == nil {
			return code
		}
		select {
		case <-stop:
			return launch.ExitStopped
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// memory is a journal that dies with the test.
type memory struct {
	lock  sync.Mutex
	epoch uint64
	ask   *ResizeRequest
	said  chan string
}

func (m *memory) Raise([]Assignment) (uint64, int, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.epoch++
	return m.epoch, int(m.epoch), nil
}

func (m *memory) TakeRequest() (ResizeRequest, bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.ask == nil {
		return ResizeRequest{}, false
	}
	a := *m.ask
	m.ask = nil
	return a, true
}

func (m *memory) Reply(a ResizeReply) error {
	m.said <- a.Text
	return nil
}

// stage is a run under test.
type stage struct {
	t       *testing.T
	dir     string
	journal *memory
	address string
	doors   *Server
	end     chan Outcome
	told    chan string
	events  chan Event // all but told ones
}

// play starts a run of so many ranks, one of them here at most, with doors.
func play(ctx context.Context, t *testing.T, l Limits, slots int) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir(), journal: &memory{said: make(chan string, 9)}, end: make(chan Outcome, 1),
		told: make(chan string, 99), events: make(chan Event, 999)}
	s.address = filepath.Join(s.dir, "p.sock")
	listener, err := net.Listen("unix", s.address)
	if err != nil {
		t.Fatal(err)
	}
	s.doors = &Server{Listener: listener, Token: "secret", Build: "b1", SilenceLimit: time.Second, Dir: s.dir,
		CertifiedOrdinal: func(net.Conn) (order int, err error) { return 0, nil }}
	l.Drain = 5 * time.Second
	go func() {
		s.end <- Run(ctx, Config{Limits: l, Journal: s.journal, Local: s.host("here", slots), Server: s.doors,
			Command: func(bool) []string { return []string{"run"} }, Log: func(text string) { s.told <- text },
			Trace: func(e Event, _ []Action) { s.events <- e }})
	}()
	return s
}

func (s *stage) host(name string, slots int) LocalMember {
	return LocalMember{Name: name, Slots: slots, Address: "127.0.0.1",
		Workers: launch.LocalConfig{Env: append(os.Environ(), envRole+"="+s.dir, "GORACE=atexit_sleep_ms=0"), Threads: 1,
			Drain: 5 * time.Second}}
}

func (s *stage) visit(ctx context.Context, name string, slots int, change func(*RemoteSupervisor)) <-chan error {
	v := &RemoteSupervisor{Dial: func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.address)
	}, Local: s.host(name, slots), Token: "secret", Build: "b1", SilenceLimit: time.Second, MaxOutage: 2 * time.Second,
		Log: func(text string) { s.told <- text }}
	if change != nil {
		change(v)
	}
	done := make(chan error, 1)
	go func() { done <- v.Join(ctx) }()
	return done
}

// there waits for all ranks of an epoch, and returns the process of the last one.
func (s *stage) there(epoch, ranks int) (pid int) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(s.dir, fmt.Sprintf("e%d-r*-of-%d", epoch, ranks)))
		slices.Sort(files)
		if len(files) == ranks {
			text, _ := os.ReadFile(files[ranks-1])
			if n, _ := fmt.Sscan(string(text), &pid); n == 1 {
				return pid
			}
		}
	}
	s.t.Fatalf("no epoch %d of %d ranks", epoch, ranks)
	return 0
}

func (s *stage) let(epoch, code int) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("end-e%d", epoch)), fmt.Append(nil, code), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// TestPlacesComeAndGo: a place joins, a rank there is killed, the place goes when it is told to, and the run ends.
func TestPlacesComeAndGo(t *testing.T) {
	s := play(t.Context(), t, Limits{Ranks: 3, MinRanks: 1, MaxRanks: 3, Retries: 2}, 1)
	s.there(1, 1)
	ctx, leave := context.WithCancel(t.Context())
	away := s.visit(ctx, "away", 2, nil)
	if err := syscall.Kill(s.there(2, 3), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.there(3, 3)
	leave()
	if err := <-away; err != nil {
		t.Error(err)
	}
	s.there(4, 1)
	s.journal.lock.Lock()
	s.journal.ask = &ResizeRequest{Ranks: 4}
	s.journal.lock.Unlock()
	if said := <-s.journal.said; said != "4 ranks: the run was started for 1 to 3" {
		t.Error(said)
	}
	s.let(4, 0)
	if o := <-s.end; len(o.Exits) != 1 || o.Exits[0].Code != 0 || o.Reason != "" {
		t.Errorf("%+v", o)
	}
}

// TestFrozenPlaceIsLost: one that gives no sign of life is, and the run continues without it; a place that finds no
// launcher gives up at last.
func TestFrozenPlaceIsLost(t *testing.T) {
	s := play(t.Context(), t, Limits{Ranks: 2, MinRanks: 1, MaxRanks: 2, Retries: 2}, 1)
	s.there(1, 1)
	conn, err := net.Dial("unix", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	m := message{Kind: kindHello, Hello: &hello{Name: "ice", Slots: 1, Rendezvous: "127.0.0.1:1", Build: "b1",
		Token: "secret"}}
	if err := json.NewEncoder(conn).Encode(m); err != nil {
		t.Fatal(err)
	}
	s.there(3, 1) // the second epoch waits for the rank of the frozen place
	away := s.visit(t.Context(), "away", 1, func(v *RemoteSupervisor) { v.MaxOutage = 300 * time.Millisecond })
	s.there(4, 2)
	s.let(4, 0)
	if o := <-s.end; o.Reason != "" || len(o.Exits) != 2 {
		t.Errorf("%+v", o)
	}
	if err := <-away; err != nil {
		t.Error(err)
	}
	if err := <-s.visit(t.Context(), "late", 1,
		func(v *RemoteSupervisor) { v.MaxOutage = 300 * time.Millisecond }); err == nil ||
		!strings.Contains(err.Error(), "no launcher for 300ms") {
		t.Error(err)
	}
}

// TestIdlePlaceLeavesInOrder: also one whose workers have just ended, or that never had any, says that it goes.
func TestIdlePlaceLeavesInOrder(t *testing.T) {
	s := play(t.Context(), t, Limits{Ranks: 1, MinRanks: 1}, 1)
	s.there(1, 1)
	ctx, leave := context.WithCancel(t.Context())
	idle := s.visit(ctx, "idle", 1, nil)
	for e := range s.events {
		if _, joined := e.(Join); joined && e.(Join).Member == "idle" {
			break
		}
	}
	leave()
	if err := <-idle; err != nil {
		t.Error(err)
	}
	if e := <-s.events; e != (Slots{Member: "idle"}) {
		t.Errorf("%T %+v", e, e)
	}
	if e, gone := (<-s.events).(Leave); !gone || e.Member != "idle" {
		t.Errorf("%+v", e)
	}
	s.let(1, 0)
	<-s.end
}

// TestStrangersAtTheDoor are refused, told why, and the run continues.
func TestStrangersAtTheDoor(t *testing.T) {
	s := play(t.Context(), t, Limits{Ranks: 1, MinRanks: 1, Retries: 2}, 1)
	s.there(1, 1)
	for want, change := range map[string]func(*RemoteSupervisor){
		"claims rank 3 with the certificate of rank 0": func(v *RemoteSupervisor) { v.Local.Ordinal = 3 },
		"it does not have the token of the run":        func(v *RemoteSupervisor) { v.Token = "guess" },
		`it is of build "b2"`:                          func(v *RemoteSupervisor) { v.Build = "b2" },
		"it offers 1000000 ranks":                      func(v *RemoteSupervisor) { v.Local.Slots = 1000000 },
	} {
		var refused *RefusedError
		err := <-s.visit(t.Context(), "x", 1, change)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	calls := 0
	err := <-s.visit(t.Context(), "deaf", 1, func(v *RemoteSupervisor) { // whoever answers lets nobody in
		v.MaxOutage = 600 * time.Millisecond
		v.Dial = func(context.Context) (net.Conn, error) {
			calls++
			here, there := net.Pipe()
			return here, there.Close()
		}
	})
	if !errors.As(err, new(*LauncherLostError)) || calls > 10 {
		t.Errorf("%d calls, %v", calls, err)
	}
	for _, garbage := range []string{"GET / HTTP/1.1\r\n\r\n", "{}\n", "\x16\x03\x01", strings.Repeat("x", maxLine+1)} {
		conn, err := net.Dial("unix", s.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(garbage)) // it may be refused meanwhile
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for buf := make([]byte, 512); err == nil; {
			_, err = conn.Read(buf)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.20q is not refused", garbage)
		}
		conn.Close()
	}
	s.let(1, 0)
	if o := <-s.end; len(o.Exits) != 1 || o.Exits[0].Code != 0 {
		t.Errorf("%+v", o)
	}
}
