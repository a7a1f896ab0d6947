package grpc

import (
	"context"
	"fmt"
	"net"
	"time"

	rpcpeer "google.golang.org/grpc/peer"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/readahead"
	"github.com/atoll-hpc/atoll/internal/guard"
)

// Limits for connections that are not verified yet.
const (
	helloTimeout     = 10 * time.Second // until the hello
	unverifiedBytes  = 64 << 10         // read from each
	spareConnections = 64               // unverified at the same time, besides one per rank
	maxConnections   = 1024             // unverified at the same time in all
)

// newGuardedListener bounds what connections to l can use before they are verified. Connections read ahead.
func newGuardedListener(l net.Listener, cfg *Config, refused *refusals) *guard.Listener {
	limits := guard.Limits{Connections: min(spareConnections+cfg.Size, maxConnections), Time: helloTimeout,
		Bytes: unverifiedBytes}
	wrap := readahead.New
	if cfg.Certificates == nil {
		wrap = func(c net.Conn) (net.Conn, error) {
			ahead, err := readahead.New(c)
			return &firstRead{Conn: ahead, ended: func(first byte, err error) {
				if err == nil && certs.IsTLS(first) {
					refused.add(badProtocol, fmt.Sprintf("a connection from %v:", c.RemoteAddr()), certs.SpeaksTLS)
				}
			}}, err
		}
	}
	return &guard.Listener{Listener: l, Limits: limits, Wrap: wrap,
		Refused: func(v *guard.Conn, why guard.Cause) {
			source := "a connection from " + v.Origin()
			if why == guard.TooLate {
				refused.add(noHello, source, fmt.Sprintf("without a hello within %v", helloTimeout))
				return
			}
			refused.add(overflow, source, fmt.Sprintf("without a hello, when %d newer ones were open", limits.Connections))
		}}
}

// guardedConnOf returns the connection of a stream, nil if it was not accepted by a guarded listener.
func guardedConnOf(ctx context.Context) *guard.Conn {
	if p, ok := rpcpeer.FromContext(ctx); ok {
		return guard.Of(p.Addr)
	}
	return nil
}

// firstRead is a connection that calls ended when its first read has ended, with the first byte or the error.
type firstRead struct {
	net.Conn
	ended func(first byte, err error) // nil afterwards
}

// Read is called by one goroutine at a time.
func (f *firstRead) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	if ended := f.ended; ended != nil && (n > 0 || err != nil) {
		f.ended = nil
		if n > 0 {
			ended(p[0], nil)
		} else {
			ended(0, err)
		}
	}
	return n, err
}
