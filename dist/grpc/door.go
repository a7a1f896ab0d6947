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
	introduction  = 10 * time.Second // to say it in
	strangerBytes = 64 << 10         // that are read of one
	strangers     = 64               // at once, besides one for each rank
	mostStrangers = 1024             // at once in all
)

// door is a listener that bounds what callers cost in number, time and memory until they are known. When too many
// wait, the oldest goes: a rank is known within milliseconds, and calls again when it had to go.
type door struct {
	net.Listener
	most    int
	refused *refusals

	mu      sync.Mutex
	waiting []*visitor // the oldest first
	closed  bool
}

// visitor is an accepted connection. Of one that is not known no more is read than strangerBytes.
type visitor struct {
	net.Conn
	door    *door
	timer   *time.Timer
	read    int           // bytes so far, counted by the one goroutine that reads
	trusted atomic.Bool   // known
	settled chan struct{} // closed when it is known, or its connection is closed
	once    sync.Once
}

func newDoor(l net.Listener, ranks int, refused *refusals) *door {
	return &door{Listener: l, most: min(strangers+ranks, mostStrangers), refused: refused}
}

// Accept returns the next connection, which reads ahead.
func (d *door) Accept() (net.Conn, error) {
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
		return d.let(ahead), nil
	}
}

// let lets a stranger in.
func (d *door) let(c net.Conn) *visitor {
	v := &visitor{Conn: c, door: d, settled: make(chan struct{})}
	d.mu.Lock()
	closed := d.closed
	var oldest *visitor
	if d.waiting = append(d.waiting, v); len(d.waiting) > d.most {
		oldest = d.waiting[0]
	}
	v.timer = time.AfterFunc(introduction, func() { v.turnAway(saidNothing) })
	d.mu.Unlock()
	if closed {
		_ = v.Close() // gRPC learns so when it reads
	} else if oldest != nil {
		oldest.turnAway(tooMany)
	}
	return v
}

// Close closes the listener, and the connections of strangers, for whom nobody waits then.
func (d *door) Close() error {
	err := d.Listener.Close()
	d.mu.Lock()
	d.closed = true
	waiting := slices.Clone(d.waiting)
	d.mu.Unlock()
	for _, v := range waiting {
		_ = v.Close() // nothing is lost
	}
	return err
}

func (v *visitor) turnAway(why reason) {
	if !v.settle(false) {
		return // known just now, or gone
	}
	v.door.refused.add(why, "a connection from "+v.from(), map[reason]string{
		saidNothing: fmt.Sprintf("that has not said who it is in %v", introduction),
		tooMany:     fmt.Sprintf("that has not said who it is, as %d others after it", v.door.most),
	}[why])
	_ = v.Conn.Close() // nothing is lost
}

// known lets the visitor send as much as it likes, unless it was turned away before.
func (v *visitor) known() bool { return v.settle(true) || v.trusted.Load() }

// settle takes the visitor from those that wait, and tells whether this call has.
func (v *visitor) settle(trusted bool) (done bool) {
	v.once.Do(func() {
		v.timer.Stop()
		d := v.door
		d.mu.Lock()
		if i := slices.Index(d.waiting, v); i >= 0 {
			d.waiting = slices.Delete(d.waiting, i, i+1)
		}
		d.mu.Unlock()
		v.trusted.Store(trusted)
		close(v.settled)
		done = true
	})
	return done
}

// Read is called by one goroutine at a time.
func (v *visitor) Read(p []byte) (int, error) {
	if v.trusted.Load() {
		return v.Conn.Read(p)
	}
	if v.read >= strangerBytes {
		<-v.settled // the sender feels it as a slow network
		return v.Conn.Read(p)
	}
	n, err := v.Conn.Read(p[:min(len(p), strangerBytes-v.read)])
	v.read += n
	return n, err
}

func (v *visitor) Close() error {
	v.settle(false)
	return v.Conn.Close()
}

// from is where the visitor calls from: of a unix socket there is no more to say than that.
func (v *visitor) from() string {
	a := v.Conn.RemoteAddr()
	if a.Network() == "unix" {
		return "this machine"
	}
	return a.String()
}

// RemoteAddr leads from a stream back to its connection.
func (v *visitor) RemoteAddr() net.Addr { return visitorAddress{v.Conn.RemoteAddr(), v} }

type visitorAddress struct {
	net.Addr
	v *visitor
}

// visitorOf is the connection of a stream, nil when no door has let it in.
func visitorOf(ctx context.Context) *visitor {
	if p, ok := rpcpeer.FromContext(ctx); ok {
		if a, ok := p.Addr.(visitorAddress); ok {
			return a.v
		}
	}
	return nil
}
