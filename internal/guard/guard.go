// Package guard bounds what clients can use of a server before it has verified them: a Listener limits the number, the
// time and the bytes of unverified connections. If there are too many, the oldest is closed: a client of the job is
// verified within milliseconds and dials again if it was closed, so that others cannot keep it out by holding
// connections open.
//
//	from        to          when
//	unverified  verified    Trust
//	unverified  closed      Limits.Time has passed, there are too many newer ones, or Close
//	verified    unverified  Suspect, as between two requests of HTTP
//	verified    closed      Close
package guard

import (
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are the limits of unverified connections.
type Limits struct {
	Connections int           // at the same time
	Time        time.Duration // until a connection is verified
	Bytes       int           // that are read from a connection, 0 for no limit
}

// Cause says why a connection was refused.
type Cause uint8

const (
	TooLate Cause = iota // it was not verified within Limits.Time
	TooMany              // it was the oldest when there were more than Limits.Connections
)

// Listener accepts connections within Limits. Its fields must not be changed after the first call of Accept.
type Listener struct {
	net.Listener
	Limits  Limits
	Refused func(c *Conn, why Cause)           // called for each refused connection before it is closed; nil for none
	Wrap    func(c net.Conn) (net.Conn, error) // called for each accepted connection; nil for none

	mu         sync.Mutex
	unverified []*Conn // the oldest first
	closed     bool
}

type state uint8

const (
	unverified state = iota
	verified
	closed
)

// Conn is an accepted connection.
type Conn struct {
	net.Conn
	listener *Listener
	state    state // protected by listener.mu
	timer    *time.Timer
	read     int           // bytes since it became unverified, counted by the one goroutine that reads
	resolved chan struct{} // closed when it is verified or closed
	trusted  atomic.Bool   // state is verified
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.Wrap != nil {
			wrapped, err := l.Wrap(c)
			if err != nil {
				_ = c.Close() // only this connection failed
				continue
			}
			c = wrapped
		}
		return l.Admit(c), nil
	}
}

// Admit returns a connection as Accept does.
func (l *Listener) Admit(c net.Conn) *Conn {
	v := &Conn{Conn: c, listener: l, state: verified}
	v.trusted.Store(true)
	if !v.Suspect() {
		_ = v.Close() // the server gets the error when it reads
	}
	return v
}

// Close closes the listener and all unverified connections, which carry no data of the run.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	l.closed = true
	waiting := slices.Clone(l.unverified)
	l.mu.Unlock()
	for _, v := range waiting {
		_ = v.Close()
	}
	return err
}

// Suspect makes a verified connection unverified: all limits begin again. It returns false if the connection or its
// listener is closed.
func (v *Conn) Suspect() bool {
	l := v.listener
	l.mu.Lock()
	if l.closed || v.state == closed {
		l.mu.Unlock()
		return false
	}
	var oldest *Conn
	if v.state == verified {
		v.state, v.read, v.resolved = unverified, 0, make(chan struct{})
		v.trusted.Store(false)
		v.timer = time.AfterFunc(l.Limits.Time, func() { v.refuse(TooLate) })
		if l.unverified = append(l.unverified, v); len(l.unverified) > l.Limits.Connections {
			oldest = l.unverified[0]
		}
	}
	l.mu.Unlock()
	if oldest != nil {
		oldest.refuse(TooMany)
	}
	return true
}

// Trust removes the limits of a connection that was verified. It returns false if the connection is closed.
func (v *Conn) Trust() bool { return v.resolve(verified) || v.trusted.Load() }

// refuse closes the connection unless it was verified or closed meanwhile.
func (v *Conn) refuse(why Cause) {
	if !v.resolve(closed) {
		return
	}
	if v.listener.Refused != nil {
		v.listener.Refused(v, why)
	}
	_ = v.Conn.Close()
}

// resolve ends the state unverified, and reports whether this call did.
func (v *Conn) resolve(to state) bool {
	l := v.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.state != unverified {
		return false
	}
	v.timer.Stop()
	if i := slices.Index(l.unverified, v); i >= 0 {
		l.unverified = slices.Delete(l.unverified, i, i+1)
	}
	v.state = to
	v.trusted.Store(to == verified)
	close(v.resolved)
	return true
}

// Read is called by one goroutine at a time. When Limits.Bytes are read from an unverified connection, Read waits:
// the sender sees a slow network.
func (v *Conn) Read(p []byte) (int, error) {
	limit := v.listener.Limits.Bytes
	if limit == 0 || v.trusted.Load() {
		return v.Conn.Read(p)
	}
	if v.read >= limit {
		<-v.resolved
		return v.Conn.Read(p)
	}
	n, err := v.Conn.Read(p[:min(len(p), limit-v.read)])
	v.read += n
	return n, err
}

// Close closes the connection.
func (v *Conn) Close() error {
	if !v.resolve(closed) {
		v.listener.mu.Lock()
		v.state = closed
		v.trusted.Store(false)
		v.listener.mu.Unlock()
	}
	return v.Conn.Close()
}

// Origin returns the remote address; unix sockets have none but "this machine".
func (v *Conn) Origin() string {
	a := v.Conn.RemoteAddr()
	if a.Network() == "unix" {
		return "this machine"
	}
	return a.String()
}

// RemoteAddr returns an address that also holds the connection, for Of.
func (v *Conn) RemoteAddr() net.Addr { return address{v.Conn.RemoteAddr(), v} }

type address struct {
	net.Addr
	conn *Conn
}

// Of returns the connection of which a is the RemoteAddr, also through layers such as TLS; nil if it was not accepted
// by a Listener.
func Of(a net.Addr) *Conn {
	if a, ok := a.(address); ok {
		return a.conn
	}
	return nil
}
