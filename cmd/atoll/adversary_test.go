//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/proto"
	"github.com/atoll-hpc/atoll/run/summary"
)

// siege is a run of two ranks over TCP, each a process, at which strangers may knock.
type siege struct {
	address string
	ranks   [2]*command
	hash    string
	most    int64         // bytes that rank 0 had at once
	left    time.Duration // from its summary to its end
}

// withstand runs the case; between the start of rank 0 and that of rank 1, attack is called.
func withstand(t *testing.T, attack func(address string), flags ...string) *siege {
	t.Helper()
	dir := caseFile(t, smallCase)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &siege{address: l.Addr().String()}
	l.Close()
	if len(flags) > 0 {
		if code := atoll(t, dir, nil, "certs", "certs", "--ranks", "2").code(t); code != 0 {
			t.Fatal("no certificates")
		}
	}
	for rank := range s.ranks {
		c := atoll(t, dir, []string{"ATOLL_SIZE=2", fmt.Sprintf("ATOLL_RANK=%d", rank), "ATOLL_COORDINATOR=" + s.address,
			"ATOLL_TOKEN=lagoon"}, append([]string{"run", "case.toml", "--set", "time.end=2", "--join", "30s"}, flags...)...)
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		s.ranks[rank] = c
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if rank == 0 {
			opens(t, s.address)
			attack(s.address)
		}
	}
	for rank, c := range s.ranks {
		most, err := c.peak()
		if err != nil {
			t.Fatalf("rank %d: %v\n%s", rank, err, c.stderr.String())
		}
		if rank == 0 {
			info, err := os.Stat(filepath.Join(dir, "out", "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			s.left = time.Since(info.ModTime())
			s.most = most
		}
	}
	s.hash = readSummary(t, filepath.Join(dir, "out", "summary.json")).StateSHA256
	return s
}

func opens(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal("rank 0 does not listen")
		}
	}
}

// Strangers change nothing but the log: not the bits, nor what a run needs, nor when it ends.
func TestAdversary(t *testing.T) {
	quiet := withstand(t, func(string) {})
	for name, flags := range map[string][]string{"token": nil, "certificates": {"--certs", "certs"}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var ended interface{ Wait() }
			s := withstand(t, func(address string) {
				ended = grpctest.Attack(ctx, address, &proto.Hello{Protocol: 2, Rank: 1, Size: 2, Address: "127.0.0.1:1",
					BuildId: summary.BuildID(), Token: "lagoon"})
			}, flags...)
			cancel()
			ended.Wait()
			if s.hash != quiet.hash || s.hash == "" {
				t.Errorf("the state is %s, and %s without strangers", s.hash, quiet.hash)
			}
			if grown := s.most - quiet.most; grown > 64<<20 {
				t.Errorf("rank 0 takes %d MB, and %d MB without strangers", s.most>>20, quiet.most>>20)
			}
			if s.left-quiet.left > 2*time.Second {
				t.Errorf("rank 0 ends %v after its summary, and %v without strangers", s.left, quiet.left)
			}
			said := s.ranks[0].stderr.String()
			want := []string{"refused in all:", "of more than may wait at once"}
			if name == "token" {
				want = append(want, "without the token of the job", "of another epoch", "of another build",
					"of a rank that has no place", "with the address or certificate of another rank")
			} else {
				want = append(want, "without a certificate of the job")
			}
			for _, w := range want {
				if !strings.Contains(said, w) {
					t.Errorf("the log does not tell of those %s:\n%s", w, said)
				}
			}
			t.Logf("%d MB more, ends %v after its summary; the log:\n%s", (s.most-quiet.most)>>20, s.left, said)
		})
	}
}
