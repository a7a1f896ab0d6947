package guard

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// fakeListener is a listener without a network: tests admit connections themselves.
type fakeListener struct{ net.Listener }

func (fakeListener) Close() error { return nil }

// listen returns a listener that counts refusals.
func listen(limits Limits) (*Listener, map[Cause]int) {
	count := map[Cause]int{}
	return &Listener{Listener: fakeListener{}, Limits: limits, Refused: func(_ *Conn, why Cause) { count[why]++ }}, count
}

// connect admits a new connection, and returns both of its ends.
func connect(l *Listener) (server *Conn, client net.Conn) {
	a, b := net.Pipe()
	return l.Admit(a), b
}

func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now()) // never fails for a pipe
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// TestUnverifiedConnectionsAreBounded: the oldest unverified connections are closed when there are too many, all of
// them after the limit of time, and verified ones never.
func TestUnverifiedConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{Connections: 10, Time: 10 * time.Second}
		l, refused := listen(limits)
		member, memberClient := connect(l)
		if !member.Trust() {
			t.Fatal("a member is not trusted")
		}
		var clients []net.Conn
		for range limits.Connections + 5 {
			_, c := connect(l)
			clients = append(clients, c)
		}
		for i, c := range clients {
			if isClosed(c) != (i < 5) {
				t.Errorf("of %d unverified connections, limit %d, number %d: closed is %v", len(clients), limits.Connections, i,
					i >= 5)
			}
		}
		time.Sleep(limits.Time + time.Second)
		for i, c := range clients {
			if !isClosed(c) {
				t.Errorf("connection %d is still open after the limit of time", i)
			}
		}
		if refused[TooMany] != 5 || refused[TooLate] != limits.Connections {
			t.Errorf("counted %v", refused)
		}
		_, last := connect(l)
		if l.Close(); !isClosed(last) || isClosed(memberClient) {
			t.Error("closing the listener closes a trusted connection, or leaves an unverified one open")
		}
		if late, _ := connect(l); late.Trust() {
			t.Error("a connection is trusted after the listener was closed")
		}
		_ = member.Close()
	})
}

// TestSuspectedConnectionsAreBoundedAgain: a connection that was verified counts again when it is idle, and as the
// newest.
func TestSuspectedConnectionsAreBoundedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, refused := listen(Limits{Connections: 2, Time: 10 * time.Second})
		first, firstClient := connect(l)
		_, second := connect(l)
		first.Trust()
		_, third := connect(l)
		if !first.Suspect() {
			t.Fatal("an open connection was not suspected")
		}
		if isClosed(firstClient) || !isClosed(second) || isClosed(third) {
			t.Error("the oldest unverified connection was not closed")
		}
		if !first.Trust() {
			t.Error("an idle connection was not trusted again")
		}
		time.Sleep(time.Minute)
		if isClosed(firstClient) || !isClosed(third) || refused[TooLate] != 1 || refused[TooMany] != 1 {
			t.Errorf("refused %v", refused)
		}
		_ = first.Close()
		if first.Suspect() || first.Trust() {
			t.Error("a closed connection was suspected or trusted")
		}
	})
}

// TestBytesAreBounded: no more than the limit is read from an unverified connection, and everything once it is
// verified.
func TestBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 64 << 10
		l, _ := listen(Limits{Connections: 1, Time: 10 * time.Second, Bytes: limit})
		v, c := connect(l)
		go func() {
			for err := error(nil); err == nil; {
				_, err = c.Write(make([]byte, 4096))
			}
		}()
		got, more := 0, make(chan struct{})
		go func() {
			defer close(more)
			for buf := make([]byte, 10_000); got < 10*limit; {
				n, err := v.Read(buf)
				if got += n; err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if got != limit {
			t.Errorf("%d bytes were read", got)
		}
		v.Trust()
		if <-more; got < 10*limit {
			t.Errorf("%d bytes were read from a trusted connection", got)
		}
		_ = v.Close()
		_ = l.Close()
	})
}
