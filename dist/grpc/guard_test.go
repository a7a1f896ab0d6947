package grpc

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	rpc "google.golang.org/grpc"
	pb "google.golang.org/protobuf/proto"

	"github.com/atoll-hpc/atoll/proto"
)

// fakeListener is a listener without a network: tests admit connections themselves.
type fakeListener struct{ net.Listener }

func (fakeListener) Close() error { return nil }

// connectUnverified admits a new connection, and returns both of its ends.
func connectUnverified(d *guardedListener) (server *guardedConn, client net.Conn) {
	a, b := net.Pipe()
	return d.admit(a), b
}

func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now()) // never fails for a pipe
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

func TestUnverifiedConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := newRefusals(nil)
		d := newGuardedListener(fakeListener{}, 3, refused)
		rank, rankClient := connectUnverified(d)
		if !rank.trust() {
			t.Fatal("a rank is not trusted")
		}
		var clients []net.Conn
		for range d.maxUnverified + 5 {
			_, c := connectUnverified(d)
			clients = append(clients, c)
		}
		for i, c := range clients {
			if closed(c) != (i < 5) {
				t.Errorf("of %d unverified connections, limit %d, number %d: closed is %v", len(clients), d.maxUnverified, i,
					i >= 5)
			}
		}
		time.Sleep(helloTimeout + time.Second)
		for i, c := range clients {
			if !closed(c) {
				t.Errorf("connection %d without a hello is still open after the timeout", i)
			}
		}
		if refused.count[overflow] != 5 || refused.count[noHello] != d.maxUnverified {
			t.Errorf("counted %v", refused.count)
		}
		_, last := connectUnverified(d)
		if d.Close(); !closed(last) || closed(rankClient) {
			t.Error("closing the listener closes a trusted connection, or leaves an unverified one open")
		}
		if late, _ := connectUnverified(d); late.trust() {
			t.Error("a connection is trusted after the listener was closed")
		}
		_ = rank.Close()
	})
}

func TestReadLimitOfUnverifiedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newGuardedListener(fakeListener{}, 1, newRefusals(nil))
		v, c := connectUnverified(d)
		go func() {
			for err := error(nil); err == nil; {
				_, err = c.Write(make([]byte, 4096))
			}
		}()
		got, more := 0, make(chan struct{})
		go func() {
			defer close(more)
			for buf := make([]byte, 10_000); got < 10*unverifiedBytes; {
				n, err := v.Read(buf)
				if got += n; err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if got != unverifiedBytes {
			t.Errorf("%d bytes were read", got)
		}
		v.trust()
		if <-more; got < 10*unverifiedBytes {
			t.Errorf("%d bytes were read from a trusted connection", got)
		}
		_ = v.Close()
		_ = d.Close()
	})
}

// The log does not grow with the number of refusals.
func TestRefusalLogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		r := newRefusals(func(line string) { lines = append(lines, line) })
		for range 3000 {
			r.add(wrongToken, "rank 1", "does not have the token of the job")
			time.Sleep(10 * time.Millisecond)
		}
		r.summarize()
		if len(lines) < 3 || len(lines) > 5 || !strings.Contains(lines[1], "(and 999 more without the token of the job)") ||
			lines[len(lines)-1] != "refused in all: 3000 without the token of the job" {
			t.Fatalf("%q", lines)
		}
	})
}

// pages records the messages that a coordinator sends.
type pages struct {
	rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator]
	sent []*proto.FromCoordinator
}

func (p *pages) Send(m *proto.FromCoordinator) error {
	p.sent = append(p.sent, m)
	return nil
}

func TestWelcomeComesInPages(t *testing.T) {
	const size = 20_000
	w := &proto.Welcome{Session: 7}
	for r := range size {
		w.Addresses = append(w.Addresses, fmt.Sprintf("atoll-%d.a-service-with-a-long-name.namespace.svc:7000", r))
	}
	var sent pages
	if err := sendPaged(&sent, &proto.FromCoordinator{Kind: &proto.FromCoordinator_Welcome{Welcome: w}}); err != nil {
		t.Fatal(err)
	}
	l := &controlClient{c: &comm{cfg: Config{Size: size}}, welcome: make(chan *proto.Welcome, 1)}
	for _, m := range sent.sent {
		if n := pb.Size(m); n > maxFrameBytes {
			t.Fatalf("a page of %d bytes, want at most %d", n, maxFrameBytes)
		}
		if err := l.addPage(m.GetWelcome()); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-l.welcome; len(sent.sent) < 2 || !pb.Equal(got, w) {
		t.Fatalf("%d pages make a welcome of %d ranks", len(sent.sent), len(got.Addresses))
	}
	if l.addPage(sent.sent[0].GetWelcome()) == nil {
		t.Error("the same page is accepted twice")
	}
}
