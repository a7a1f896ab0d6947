package grpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	rpc "google.golang.org/grpc"
	pb "google.golang.org/protobuf/proto"

	"github.com/atoll-hpc/atoll/proto"
)

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
