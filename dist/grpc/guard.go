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

// What those may cost who have not said yet who they are.
const (
	helloTimeout     = 10 * time.Second // to say it in
	unverifiedBytes  = 64 << 10         // that are read of one
	spareConnections = 64               // at once, besides one for each rank
	maxConnections   = 1024             // at once in all
)

// guardedListener is a listener that bounds what callers cost in number, time and memory until they are known. When too
// many wait, the oldest goes: a rank is known within milliseconds, and calls again when it had to go.
type guardedListener struct {
	net.Listener
	maxUnverified int
	refused       *refusals

	mu         sync.Mutex
	unverified []*guardedConn // the oldest first
	closed     bool
}

// guardedConn is an accepted connection. Of one that is not known no more is read than strangerBytes.
type guardedConn struct {
	net.Conn
	listener *guardedListener
	timer    *time.Timer
	read     int           // bytes so far, counted by the one goroutine that reads
	trusted  atomic.Bool   // known
	resolved chan struct{} // closed when it is known, or its connection is closed
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

// admit lets a stranger in.
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

// Close closes the listener, and the connections of strangers, for whom nobody waits then.
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
		return // known just now, or gone
	}
	v.listener.refused.add(why, "a connection from "+v.origin(), map[reason]string{
		noHello:  fmt.Sprintf("that has not said who it is in %v", helloTimeout),
		overflow: fmt.Sprintf("that has not said who it is, as %d others after it", v.listener.maxUnverified),
	}[why])
	_ = v.Conn.Close() // nothing is lost
}

// trust lets the visitor send as much as it likes, unless it was refused before.
func (v *guardedConn) trust() bool { return v.resolve(true) || v.trusted.Load() }

// resolve takes the visitor from those that wait, and reports whether this call has.
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
		<-v.resolved // the sender feels it as a slow network
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

// origin is where the visitor calls from: of a unix socket there is no more to say than that.
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

// guardedConnOf is the connection of a stream, nil when no door has let it in.
func guardedConnOf(ctx context.Context) *guardedConn {
	if p, ok := rpcpeer.FromContext(ctx); ok {
		if a, ok := p.Addr.(guardedAddress); ok {
			return a.v
		}
	}
	return nil
}
