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

// Bounds of connections that are not verified yet.
const (
	helloTimeout     = 10 * time.Second // for the hello
	unverifiedBytes  = 64 << 10         // that are read of each
	spareConnections = 64               // unverified at once, besides one for each rank
	maxConnections   = 1024             // unverified at once in all
)

// guardedListener bounds the number, time and memory of connections until they are verified. When there are too many,
// the oldest is closed: a rank is verified within milliseconds, and dials again if it was closed.
type guardedListener struct {
	net.Listener
	maxUnverified int
	refused       *refusals

	mu         sync.Mutex
	unverified []*guardedConn // the oldest first
	closed     bool
}

// guardedConn is an accepted connection. Until it is verified no more than unverifiedBytes are read of it.
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
		ahead, err := readAhead(c)
		if err != nil {
			_ = c.Close() // that connection alone is bad
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
		_ = v.Close() // gRPC learns so when it reads
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
		_ = v.Close() // nothing is lost
	}
	return err
}

func (v *guardedConn) refuse(why reason) {
	if !v.resolve(false) {
		return // verified just now, or gone
	}
	v.listener.refused.add(why, "a connection from "+v.origin(), map[reason]string{
		noHello:  fmt.Sprintf("that has not said who it is in %v", helloTimeout),
		overflow: fmt.Sprintf("that has not said who it is, as %d others after it", v.listener.maxUnverified),
	}[why])
	_ = v.Conn.Close() // nothing is lost
}

// trust lifts the bounds of a verified connection, unless it was refused before.
func (v *guardedConn) trust() bool { return v.resolve(true) || v.trusted.Load() }

// resolve removes the connection from the unverified ones, and reports whether this call has.
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
		<-v.resolved // which looks like a slow network to the sender
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

// origin is the remote address: of a unix socket no more is known than that it is of this machine.
func (v *guardedConn) origin() string {
	a := v.Conn.RemoteAddr()
	if a.Network() == "unix" {
		return "this machine"
	}
	return a.String()
}

// RemoteAddr leads from a stream back to its connection.
func (v *guardedConn) RemoteAddr() net.Addr { return guardedAddress{v.Conn.RemoteAddr(), v} }

type guardedAddress struct {
	net.Addr
	v *guardedConn
}

// guardedConnOf is the connection of a stream, nil if it did not come through a guardedListener.
func guardedConnOf(ctx context.Context) *guardedConn {
	if p, ok := rpcpeer.FromContext(ctx); ok {
		if a, ok := p.Addr.(guardedAddress); ok {
			return a.v
		}
	}
	return nil
}
