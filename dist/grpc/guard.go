package grpc

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	rpcpeer "google.golang.org/grpc/peer"
)

// Limits for connections that are not verified yet.
const (
	helloTimeout     = 10 * time.Second // until the hello
	unverifiedBytes  = 64 << 10         // read from each
	spareConnections = 64               // unverified at the same time, besides one per rank
	maxConnections   = 1024             // unverified at the same time in all
)

// guardedListener bounds the number, time and memory of connections until they are verified. When there are too
// many, the oldest is closed: a rank is verified within milliseconds, and reconnects if it was closed.
type guardedListener struct {
	net.Listener
	maxUnverified int
	refused       *refusals

	mu         sync.Mutex
	unverified []*guardedConn // the oldest first
	closed     bool
}

// guardedConn is an accepted connection. Until it is verified, at most unverifiedBytes are read from it.
type guardedConn struct {
	net.Conn
	listener *guardedListener
	timer    *time.Timer
	read     int           // bytes so far, counted by the one goroutine that reads
	trusted  atomic.Bool   // verified
	resolved chan struct{} // closed when it is verified or closed
	once     sync.Once
}

func newGuardedListener(l net.Listener, ranks int, refused *refusals) *guardedListener {
	return &guardedListener{Listener: l, maxUnverified: min(spareConnections+ranks, maxConnections), refused: refused}
}

// Accept returns the next connection, which reads ahead.
func (d *guardedListener) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		ahead, err := newReadAheadConn(c)
		if err != nil {
			_ = c.Close() // only this connection failed
			continue
		}
		return d.admit(ahead), nil
	}
}

// admit adds an unverified connection.
func (d *guardedListener) admit(c net.Conn) *guardedConn {
	v := &guardedConn{Conn: c, listener: d, resolved: make(chan struct{})}
	d.mu.Lock()
	closed := d.closed
	var oldest *guardedConn
	if d.unverified = append(d.unverified, v); len(d.unverified) > d.maxUnverified {
		oldest = d.unverified[0]
	}
	v.timer = time.AfterFunc(helloTimeout, func() { v.refuse(noHello) })
	d.mu.Unlock()
	if closed {
		_ = v.Close() // gRPC gets the error when it reads
	} else if oldest != nil {
		oldest.refuse(overflow)
	}
	return v
}

// Close closes the listener and all unverified connections.
func (d *guardedListener) Close() error {
	err := d.Listener.Close()
	d.mu.Lock()
	d.closed = true
	waiting := slices.Clone(d.unverified)
	d.mu.Unlock()
	for _, v := range waiting {
		_ = v.Close() // unverified connections carry no data of the run
	}
	return err
}

func (v *guardedConn) refuse(why reason) {
	if !v.resolve(false) {
		return // verified or closed meanwhile
	}
	v.listener.refused.add(why, "a connection from "+v.origin(), map[reason]string{
		noHello:  fmt.Sprintf("without a hello within %v", helloTimeout),
		overflow: fmt.Sprintf("without a hello, when %d newer ones were open", v.listener.maxUnverified),
	}[why])
	_ = v.Conn.Close() // unverified connections carry no data of the run
}

// trust removes the limits of a verified connection, and returns false if it was refused before.
func (v *guardedConn) trust() bool { return v.resolve(true) || v.trusted.Load() }

// resolve removes the connection from the unverified ones, and reports whether this call did.
func (v *guardedConn) resolve(trusted bool) (done bool) {
	v.once.Do(func() {
		d := v.listener
		d.mu.Lock()
		v.timer.Stop()
		if i := slices.Index(d.unverified, v); i >= 0 {
			d.unverified = slices.Delete(d.unverified, i, i+1)
		}
		d.mu.Unlock()
		v.trusted.Store(trusted)
		close(v.resolved)
		done = true
	})
	return done
}

// Read is called by one goroutine at a time.
func (v *guardedConn) Read(p []byte) (int, error) {
	if v.trusted.Load() {
		return v.Conn.Read(p)
	}
	if v.read >= unverifiedBytes {
		<-v.resolved // backpressure: the sender sees a slow network
		return v.Conn.Read(p)
	}
	n, err := v.Conn.Read(p[:min(len(p), unverifiedBytes-v.read)])
	v.read += n
	return n, err
}

func (v *guardedConn) Close() error {
	v.resolve(false)
	return v.Conn.Close()
}

// origin returns the remote address; unix sockets have none but "this machine".
func (v *guardedConn) origin() string {
	a := v.Conn.RemoteAddr()
	if a.Network() == "unix" {
		return "this machine"
	}
	return a.String()
}

// RemoteAddr returns an address that also holds the connection, so that guardedConnOf can find it from a stream.
func (v *guardedConn) RemoteAddr() net.Addr { return guardedAddress{v.Conn.RemoteAddr(), v} }

type guardedAddress struct {
	net.Addr
	v *guardedConn
}

// guardedConnOf returns the connection of a stream, nil if it was not accepted by a guardedListener.
func guardedConnOf(ctx context.Context) *guardedConn {
	if p, ok := rpcpeer.FromContext(ctx); ok {
		if a, ok := p.Addr.(guardedAddress); ok {
			return a.v
		}
	}
	return nil
}
