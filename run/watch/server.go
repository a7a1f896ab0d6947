package watch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/atoll-hpc/atoll/solvers"
)

const (
	mostConnections = 1024
	slowest         = 10 * time.Second // a write that takes longer ends the connection
	quietAfter      = 15 * time.Second // without a request nobody is thought to look
)

// Server shows one run. Its methods may be called on nil, where nothing is shown.
type Server struct {
	state    state
	listener net.Listener
	http     *http.Server
	page     *mailbox // the body, as events are
	picture  *mailbox // PNG
	readers  atomic.Int64
	asked    atomic.Int64 // when somebody asked last, in ns since 1970
	next     time.Time    // when ranks are asked again, by rank 0 alone
	drawing  atomic.Bool  // a picture is being made
	shown    atomic.Pointer[shown]
	done     chan struct{} // closed when the run has ended
	final    chan struct{} // closed when the last page is there
	ends     sync.WaitGroup
}

// shown is what is told of the latest picture.
type shown struct {
	Number uint64
	At     solvers.Clock
	Scale  Scale
	Along  Along
	Width  int
	Height int
}

// Listen begins to serve at host:port, on the loopback where there is no host.
func Listen(address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not host:port, as in :8080: %w", address, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	s := &Server{listener: netutil.LimitListener(l, mostConnections), page: newMailbox(), picture: newMailbox(),
		done: make(chan struct{}), final: make(chan struct{})}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	s.ends.Go(func() { _ = s.http.Serve(s.listener) }) // ErrServerClosed
	s.ends.Go(s.publish)
	return s, nil
}

// Address is where it listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// URL is what a browser opens: where the server listens on all addresses, that with the name of this machine.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.Address()) // of a TCP listener
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		} else {
			host = "127.0.0.1"
		}
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// Begin tells what run it is.
func (s *Server) Begin(about About) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.about = about
	s.state.now = solvers.Clock{Time: about.Time, Steps: about.Step}
	s.state.begun = time.Now()
}

// Step tells how far the run is.
func (s *Server) Step(now solvers.Clock) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	s.state.now = now
	s.state.mu.Unlock()
}

// Measured tells what was measured. The table is not changed afterwards.
func (s *Server) Measured(table []solvers.Quantity) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.measured = table
	s.state.history.add(table)
}

// Phases tells how many seconds each rank spent where.
func (s *Server) Phases(ranks []map[string]float64) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.phases = ranks
}

// Tell tells of something that happened.
func (s *Server) Tell(format string, args ...any) {
	if s != nil {
		s.state.tell(fmt.Sprintf(format, args...))
	}
}

// Restarted tells that the run continues from an earlier one, and why.
func (s *Server) Restarted(text string) {
	if s == nil {
		return
	}
	s.state.tell(text)
	s.state.mu.Lock()
	s.state.restarts++
	s.state.mu.Unlock()
}

// End tells how the run ended, lets those who look see it, and stops serving.
func (s *Server) End(outcome string) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	s.state.outcome, s.state.ended = outcome, time.Now()
	s.state.mu.Unlock()
	s.drawn()
	close(s.done) // the last page goes out
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close() // who has not read by now will not
	}
	s.ends.Wait()
}

// Want is what ranks are asked for.
type Want int64

const (
	WantNothing Want = iota
	WantPhases
	WantPicture
)

// Wants is what rank 0 asks all ranks for at the moment. Nothing is asked for while nobody looks.
func (s *Server) Wants() Want {
	switch now := time.Now(); {
	case s == nil, now.Before(s.next), !s.watched(now):
		return WantNothing
	case s.drawing.Load():
		return WantPhases
	}
	return WantPicture
}

// WantsEnd is what all ranks are asked for when the run has ended.
func (s *Server) WantsEnd() Want {
	if !s.watched(time.Now()) {
		return WantNothing
	}
	s.drawn()
	return WantPicture
}

// drawn waits for the picture that is being made, which takes milliseconds.
func (s *Server) drawn() {
	for deadline := time.Now().Add(time.Second); s.drawing.Load() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}

// shareOfTime is how much of a run showing it may take, on each rank.
const shareOfTime = 0.01

// Took tells how long the slowest rank took to answer: the longer, the later they are asked again.
func (s *Server) Took(d time.Duration) {
	s.next = time.Now().Add(max(s.pace(), time.Duration(float64(d)/shareOfTime)))
}

// watched reports whether somebody looks, or did a moment ago.
func (s *Server) watched(now time.Time) bool {
	return s.readers.Load() > 0 || now.Sub(time.Unix(0, s.asked.Load())) < quietAfter
}

// pace is how long there is between two changes of the page at least: the more readers, the longer.
func (s *Server) pace() time.Duration {
	const least, most, each = time.Second, 10 * time.Second, 20 * time.Millisecond
	return min(max(least, time.Duration(s.readers.Load())*each), most)
}

// publish makes the page again and again, for those who look.
func (s *Server) publish() {
	defer close(s.final)
	timer := time.NewTimer(s.pace())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(s.pace())
			if s.readers.Load() == 0 {
				continue
			}
			if body, err := s.body(); err == nil {
				s.page.put(event(body))
			}
		case <-s.done:
			if body, err := s.body(); err == nil {
				s.page.put(event(body))
			}
			return
		}
	}
}
