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

// crowd is a listener at which connections come from a test.
type crowd struct{ net.Listener }

func (crowd) Close() error { return nil }

// stranger comes to a door, and returns both ends.
func stranger(d *guardedListener) (inside *guardedConn, outside net.Conn) {
	a, b := net.Pipe()
	return d.admit(a), b
}

func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now()) // of a pipe: never fails
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

func TestStrangersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := newRefusals(nil)
		d := newGuardedListener(crowd{}, 3, refused)
		rank, known := stranger(d)
		if !rank.trust() {
			t.Fatal("a rank is not let in")
		}
		var outside []net.Conn
		for range d.maxUnverified + 5 {
			_, c := stranger(d)
			outside = append(outside, c)
		}
		for i, c := range outside {
			if closed(c) != (i < 5) {
				t.Errorf("of %d strangers, where %d may wait, number %d: closed is %v", len(outside), d.maxUnverified, i, i >= 5)
			}
		}
		time.Sleep(helloTimeout + time.Second)
		for i, c := range outside {
			if !closed(c) {
				t.Errorf("stranger %d has not said who it is in time, and is still there", i)
			}
		}
		if refused.count[overflow] != 5 || refused.count[noHello] != d.maxUnverified {
			t.Errorf("counted %v", refused.count)
		}
		_, last := stranger(d)
		if d.Close(); !closed(last) || closed(known) {
			t.Error("the end of the door closes who is known, or leaves a stranger")
		}
		if late, _ := stranger(d); late.trust() {
			t.Error("a stranger is let in after the end")
		}
		_ = rank.Close()
	})
}

func TestLittleIsReadOfAStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newGuardedListener(crowd{}, 1, newRefusals(nil))
		v, c := stranger(d)
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
			t.Errorf("of a rank %d bytes were read", got)
		}
		_ = v.Close()
		_ = d.Close()
	})
}

// A log does not grow with the number of those that are refused.
func TestRefusalsAreToldSparingly(t *testing.T) {
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

// pages keeps what a coordinator sends.
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
			t.Fatalf("a page of %d bytes, where a message has %d at most", n, maxFrameBytes)
		}
		if err := l.addPage(m.GetWelcome()); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-l.welcome; len(sent.sent) < 2 || !pb.Equal(got, w) {
		t.Fatalf("%d pages make a welcome of %d ranks", len(sent.sent), len(got.Addresses))
	}
	if l.addPage(sent.sent[0].GetWelcome()) == nil {
		t.Error("a page came twice")
	}
}
