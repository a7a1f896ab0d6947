package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atoll-hpc/atoll/solvers"
)

// viewerTimeout is how long after its last request a viewer counts as gone.
const viewerTimeout = 15 * time.Second

// Server serves the live view of one run. The methods that a run calls in each step do nothing on a nil Server.
type Server struct {
	state             state
	listener, probing net.Listener // of the page, and of Config.Metrics
	http              []*http.Server
	page              *mailbox // the body of the page, as an event for browsers (server-sent events)
	picture           *mailbox // PNG
	lastPage          cache
	lastMetrics       cache
	viewers           atomic.Int64
	lastRequest       atomic.Int64 // time of the last request, ns since 1970
	nextRequest       time.Time    // earliest time of the next request to ranks
	drawing           atomic.Bool  // whether a picture is being encoded
	pictureInfo       atomic.Pointer[pictureInfo]
	runEnded          chan struct{} // closed when the run has ended
	lastPagePublished chan struct{} // closed when the last page is published
	goroutines        sync.WaitGroup
}

// pictureInfo describes the latest picture.
type pictureInfo struct {
	Number     uint64
	Clock      solvers.Clock
	Scale      Scale
	Projection Projection
	Width      int
	Height     int
}

// Config configures a Server.
type Config struct {
	Address string // host:port of the page, on the loopback interface if host is empty
	// Metrics is the host:port of a second listener, for /metrics and /healthz alone; "" for none. Address has them too.
	Metrics string
	Hosts   []string // names of the server for clients, beside localhost, that of this machine and addresses
}

// Listen starts a server.
func Listen(c Config) (*Server, error) {
	page, err := listen(c.Address)
	if err != nil {
		return nil, err
	}
	var metrics net.Listener
	if c.Metrics != "" {
		if metrics, err = listen(c.Metrics); err != nil {
			return nil, errors.Join(err, page.Close())
		}
	}
	s := &Server{listener: page, probing: metrics, page: newMailbox(), picture: newMailbox(),
		runEnded: make(chan struct{}), lastPagePublished: make(chan struct{})}
	hosts := c.knownHosts()
	s.serve(page, newDoor(s.routes(), hosts))
	if metrics != nil {
		s.serve(metrics, newDoor(s.probes(http.NewServeMux()), hosts))
	}
	s.goroutines.Go(s.publish)
	return s, nil
}

func listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("got address %q, want host:port, such as :8080: %w", address, err)
	}
	return net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
}

// knownHosts returns the names of this server in lower case.
func (c *Config) knownHosts() (hosts []string) {
	for _, name := range c.Hosts {
		hosts = append(hosts, strings.ToLower(name))
	}
	for _, address := range []string{c.Address, c.Metrics} {
		if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
			hosts = append(hosts, strings.ToLower(host))
		}
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, strings.ToLower(name))
	}
	return hosts
}

// serve answers the requests of a listener.
func (s *Server) serve(l net.Listener, d *door) {
	h := newHTTP(d)
	s.http = append(s.http, h)
	s.goroutines.Go(func() { _ = h.Serve(guarded(l)) }) // ErrServerClosed
}

// Address returns the address of the page.
func (s *Server) Address() string { return s.listener.Addr().String() }

// MetricsAddress returns the address of the listener of Config.Metrics.
func (s *Server) MetricsAddress() string { return s.probing.Addr().String() }

// URL returns the address of the page for a browser. It has the name of this machine if the server listens on all
// interfaces.
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

// Begin sets the description of the run.
func (s *Server) Begin(about About) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.about = about
	s.state.clock = solvers.Clock{Time: about.Time, Steps: about.Step}
	s.state.started = time.Now()
}

// Step sets the current time and step.
func (s *Server) Step(now solvers.Clock) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	s.state.clock = now
	s.state.mu.Unlock()
}

// SetQuantities sets the latest quantities. table must not be changed afterwards.
func (s *Server) SetQuantities(table []solvers.Quantity) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.quantities = table
	s.state.history.add(table)
}

// SetViewQuantities sets the latest values of quantities that the tables of SetQuantities lack. list must not be
// changed afterwards.
func (s *Server) SetViewQuantities(list []solvers.Quantity) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.onView = list
}

// SetBalance sets how work was divided among ranks so far.
func (s *Server) SetBalance(b solvers.Balance) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.balance = b
}

// SetPhases sets the seconds that each rank spent in each phase.
func (s *Server) SetPhases(ranks []map[string]float64) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.phases = ranks
}

// Log adds an event to the page.
func (s *Server) Log(format string, args ...any) {
	if s != nil {
		s.state.log(fmt.Sprintf(format, args...))
	}
}

// LogRestart adds the event that the run continues from a checkpoint.
func (s *Server) LogRestart(text string) {
	if s == nil {
		return
	}
	s.state.log(text)
	s.state.mu.Lock()
	s.state.restarts++
	s.state.mu.Unlock()
}

// End publishes the outcome of the run, waits until viewers have received it, and stops the server.
func (s *Server) End(outcome string) {
	if s == nil {
		return
	}
	s.state.mu.Lock()
	s.state.outcome, s.state.ended = outcome, time.Now()
	s.state.mu.Unlock()
	s.waitForPicture()
	close(s.runEnded) // publish sends the last page
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, h := range s.http {
		if err := h.Shutdown(ctx); err != nil {
			_ = h.Close() // drop clients that still have not read it
		}
	}
	s.goroutines.Wait()
}

// Want says which data rank 0 requests from all ranks for the view.
type Want int64

const (
	WantNothing Want = iota
	WantPhases       // times of phases
	WantPicture      // times of phases, and the fields of a picture
)

// Wants returns what rank 0 requests now: nothing if there are no viewers.
func (s *Server) Wants() Want {
	switch now := time.Now(); {
	case s == nil, now.Before(s.nextRequest), !s.hasViewers(now):
		return WantNothing
	case s.drawing.Load():
		return WantPhases
	}
	return WantPicture
}

// WantsEnd returns what rank 0 requests at the end of the run.
func (s *Server) WantsEnd() Want {
	if !s.hasViewers(time.Now()) {
		return WantNothing
	}
	s.waitForPicture()
	return WantPicture
}

// waitForPicture waits until the current picture is encoded, which takes milliseconds.
func (s *Server) waitForPicture() {
	for deadline := time.Now().Add(time.Second); s.drawing.Load() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}

// maxTimeShare is the largest share of the run time that each rank may spend on the view.
const maxTimeShare = 0.01

// SetAnswerTime sets how long the slowest rank took to answer a request, which delays the next one.
func (s *Server) SetAnswerTime(d time.Duration) {
	s.nextRequest = time.Now().Add(max(s.pace(), time.Duration(float64(d)/maxTimeShare)))
}

// hasViewers reports whether there are viewers, or were a moment ago.
func (s *Server) hasViewers(now time.Time) bool {
	return s.viewers.Load() > 0 || now.Sub(time.Unix(0, s.lastRequest.Load())) < viewerTimeout
}

// pace returns the shortest time between updates of the page. It grows with the number of viewers.
func (s *Server) pace() time.Duration {
	const minPace, maxPace, perViewer = time.Second, 10 * time.Second, 20 * time.Millisecond
	return min(max(minPace, time.Duration(s.viewers.Load())*perViewer), maxPace)
}

// publish renders the page at intervals of pace(), while there are viewers.
func (s *Server) publish() {
	defer close(s.lastPagePublished)
	timer := time.NewTimer(s.pace())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(s.pace())
			if s.viewers.Load() == 0 {
				continue
			}
			if body, err := s.body(); err == nil {
				s.page.set(event(body))
			}
		case <-s.runEnded:
			if body, err := s.body(); err == nil {
				s.page.set(event(body))
			}
			return
		}
	}
}
