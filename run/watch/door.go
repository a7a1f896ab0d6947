package watch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/internal/guard"
)

// Limits of what clients can use. Their products bound the memory of rank 0.
const (
	maxIdle       = 192              // connections on which no request is answered; one more closes the oldest
	maxViewers    = 128              // streams of events
	maxRequests   = 32               // other requests at the same time, except /healthz; as many for /metrics
	headerTimeout = 5 * time.Second  // from the first byte of a request to the end of its header
	readTimeout   = 10 * time.Second // to the end of a request
	idleTimeout   = time.Minute      // between requests
	writeTimeout  = 10 * time.Second // longest write; then the connection is closed
)

// newHTTP returns a server for a handler.
func newHTTP(handler http.Handler) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: 16 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateIdle {
				c.(*guard.Conn).Suspect() // of closed connections http gets the error when it reads
			}
		}}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// guarded returns a listener with the limits of idle connections.
func guarded(l net.Listener) *guard.Listener {
	return &guard.Listener{Listener: l, Limits: guard.Limits{Connections: maxIdle, Time: idleTimeout + readTimeout}}
}

// slots bounds the requests of one kind that are answered at the same time.
type slots chan struct{}

// serve answers a request, or refuses it if there are too many.
func (s slots) serve(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	select {
	case s <- struct{}{}:
		defer func() { <-s }()
		handler.ServeHTTP(w, r)
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, "there are too many viewers", http.StatusServiceUnavailable)
	}
}

// door lets requests in, within the limits, to handler.
type door struct {
	handler                    http.Handler
	hosts                      []string // names of this server, beside localhost and any IP address
	viewers, requests, metrics slots
}

func newDoor(handler http.Handler, hosts []string) *door {
	return &door{handler, hosts, make(slots, maxViewers), make(slots, maxRequests), make(slots, maxRequests)}
}

// ServeHTTP refuses requests with a body, which none of these requests needs, so that no client can delay it, and
// requests for another host: a browser sends them if the name of a stranger's page leads to this server (DNS
// rebinding), and would show that page the answers.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*guard.Conn); !ok || !c.Trust() {
		return // closed meanwhile
	}
	control := http.NewResponseController(w) // TCP connections support deadlines
	_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
		"connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		_ = control.SetReadDeadline(time.Now()) // do not wait for a body
		h.Set("Connection", "close")
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this server is read-only", http.StatusMethodNotAllowed)
	case r.ContentLength != 0:
		_ = control.SetReadDeadline(time.Now()) // do not wait for the body
		h.Set("Connection", "close")
		http.Error(w, "requests have no body here", http.StatusBadRequest)
	case r.URL.Path == "/healthz":
		d.handler.ServeHTTP(w, r)
	case !d.knows(r.Host):
		http.Error(w, fmt.Sprintf("%q is not a name of this server: use its address, as in http://127.0.0.1:8080, or give "+
			"the run --serve-host with this name", r.Host), http.StatusMisdirectedRequest)
	case r.URL.Path == "/metrics":
		d.metrics.serve(w, r, d.handler)
	case r.URL.Path == "/events":
		_ = control.SetReadDeadline(time.Time{}) // the stream is open until the run ends
		d.viewers.serve(w, r, d.handler)
	default:
		d.requests.serve(w, r, d.handler)
	}
}

// knows reports whether a Host header names this server. An IP address cannot lead a browser from a stranger's page
// here, and clients other than browsers may send none.
func (d *door) knows(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return host == "" || host == "localhost" || net.ParseIP(host) != nil || slices.Contains(d.hosts, host)
}
