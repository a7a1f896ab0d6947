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
func stranger(d *door) (inside *visitor, outside net.Conn) {
	a, b := net.Pipe()
	return d.let(a), b
}

func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now()) // of a pipe: never fails
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

func TestStrangersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := newRefusals(nil)
		d := newDoor(crowd{}, 3, refused)
		rank, known := stranger(d)
		if !rank.known() {
			t.Fatal("a rank is not let in")
		}
		var outside []net.Conn
		for range d.most + 5 {
			_, c := stranger(d)
			outside = append(outside, c)
		}
		for i, c := range outside {
			if closed(c) != (i < 5) {
				t.Errorf("of %d strangers, where %d may wait, number %d: closed is %v", len(outside), d.most, i, i >= 5)
			}
		}
		time.Sleep(introduction + time.Second)
		for i, c := range outside {
			if !closed(c) {
				t.Errorf("stranger %d has not said who it is in time, and is still there", i)
			}
		}
		if refused.count[tooMany] != 5 || refused.count[saidNothing] != d.most {
			t.Errorf("counted %v", refused.count)
		}
		_, last := stranger(d)
		if d.Close(); !closed(last) || closed(known) {
			t.Error("the end of the door closes who is known, or leaves a stranger")
		}
		if late, _ := stranger(d); late.known() {
			t.Error("a stranger is let in after the end")
		}
		_ = rank.Close()
	})
}

func TestLittleIsReadOfAStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(crowd{}, 1, newRefusals(nil))
		v, c := stranger(d)
		go func() {
			for err := error(nil); err == nil; {
				_, err = c.Write(make([]byte, 4096))
			}
		}()
		got, more := 0, make(chan struct{})
		go func() {
			defer close(more)
			for buf := make([]byte, 10_000); got < 10*strangerBytes; {
				n, err := v.Read(buf)
				if got += n; err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if got != strangerBytes {
			t.Errorf("%d bytes were read", got)
		}
		v.known()
		if <-more; got < 10*strangerBytes {
			t.Errorf("of a rank %d bytes were read", got)
		}
		_ = v.Close()
		_ = d.Close()
	})
}

// A log does not grow with the number of those that are turned away.
func TestRefusalsAreToldSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		r := newRefusals(func(line string) { lines = append(lines, line) })
		for range 3000 {
			r.add(wrongToken, "rank 1", "does not have the token of the job")
			time.Sleep(10 * time.Millisecond)
		}
		r.sum()
		if len(lines) < 3 || len(lines) > 5 || !strings.Contains(lines[1], "(and 999 more without the token of the job)") ||
			lines[len(lines)-1] != "turned away in all: 3000 without the token of the job" {
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
	l := &link{c: &comm{cfg: Config{Size: size}}, welcome: make(chan *proto.Welcome, 1)}
	for _, m := range sent.sent {
		if n := pb.Size(m); n > mostBytes {
			t.Fatalf("a page of %d bytes, where a message has %d at most", n, mostBytes)
		}
		if err := l.welcomed(m.GetWelcome()); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-l.welcome; len(sent.sent) < 2 || !pb.Equal(got, w) {
		t.Fatalf("%d pages make a welcome of %d ranks", len(sent.sent), len(got.Addresses))
	}
	if l.welcomed(sent.sent[0].GetWelcome()) == nil {
		t.Error("a page came twice")
	}
}
