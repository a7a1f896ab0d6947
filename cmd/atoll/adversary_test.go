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

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/internal/guard/guardtest"
	"github.com/atoll-hpc/atoll/proto"
	"github.com/atoll-hpc/atoll/run/summary"
)

// attackedRun is a run of two ranks, each a process, that other clients may attack over TCP.
type attackedRun struct {
	address   string
	ranks     [2]*command
	hash      string
	peakBytes int64         // peak memory of rank 0
	exitDelay time.Duration // from writing the summary to the end of rank 0
}

// runAttacked runs the case and calls attack after rank 0 has started and before rank 1 starts.
func runAttacked(t *testing.T, attack func(address string), flags ...string) *attackedRun {
	t.Helper()
	dir := caseFile(t, smallCase)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &attackedRun{address: l.Addr().String()}
	l.Close()
	if len(flags) > 0 {
		if code := atoll(t, dir, nil, "certs", "certs", "--ranks", "2").code(t); code != 0 {
			t.Fatal("no certificates")
		}
	}
	for rank := range s.ranks {
		c := atoll(t, dir, []string{"ATOLL_SIZE=2", fmt.Sprintf("ATOLL_RANK=%d", rank), "ATOLL_COORDINATOR=" + s.address,
			"ATOLL_TOKEN=lagoon", "GOGC=100", "GODEBUG="},
			append([]string{"run", "case.toml", "--set", "time.end=2", "--join", "30s"}, flags...)...)
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		s.ranks[rank] = c
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if rank == 0 {
			waitForListener(t, s.address)
			attack(s.address)
		}
	}
	for rank, c := range s.ranks {
		peak, err := c.waitForPeak()
		if err != nil {
			t.Fatalf("rank %d: %v\n%s", rank, err, c.stderr.String())
		}
		if rank == 0 {
			info, err := os.Stat(filepath.Join(dir, "out", "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			s.exitDelay = time.Since(info.ModTime())
			s.peakBytes = peak
		}
	}
	s.hash = readSummary(t, filepath.Join(dir, "out", "summary.json")).StateSHA256
	return s
}

func waitForListener(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal("rank 0 does not listen")
		}
	}
}

// helloTimeout is how long the end of rank 0 would last if it waited for strangers.
const helloTimeout = 10 * time.Second

// Connections that do not belong to the job change only the log: the state hash, the memory and the time to exit
// stay the same.
func TestAttackedRunIsUnchanged(t *testing.T) {
	baseline := runAttacked(t, func(string) {})
	for name, flags := range map[string][]string{"token": nil, "certificates": {"--certs", "certs"}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var attack interface{ Wait() }
			s := runAttacked(t, func(address string) {
				attack = grpctest.Attack(ctx, address, &proto.Hello{Protocol: grpc.Protocol, Rank: 1, Size: 2,
					Address: "127.0.0.1:1", BuildId: summary.BuildID(), Token: members.RankToken("lagoon", 0)})
			}, flags...)
			cancel()
			attack.Wait()
			if s.hash != baseline.hash || s.hash == "" {
				t.Errorf("state %s under attack, want %s", s.hash, baseline.hash)
			}
			if growth := s.peakBytes - baseline.peakBytes; growth > guardtest.MaxBytes {
				t.Errorf("rank 0 used %d MB under attack, %d MB without", s.peakBytes>>20, baseline.peakBytes>>20)
			}
			if s.exitDelay-baseline.exitDelay > helloTimeout {
				t.Errorf("rank 0 ended %v after its summary under attack, %v without", s.exitDelay, baseline.exitDelay)
			}
			log := s.ranks[0].stderr.String()
			want := []string{"refused in all:", "beyond the limit of open connections"}
			if name == "token" {
				want = append(want, "without the token of the job", "of another epoch", "of another build",
					"of an invalid or duplicate rank", "with the address or certificate of another rank")
			} else {
				want = append(want, "without a certificate of the job")
			}
			for _, w := range want {
				if !strings.Contains(log, w) {
					t.Errorf("the log has no line %q:\n%s", w, log)
				}
			}
			t.Logf("%d MB more than without attack, ended %v after its summary; log:\n%s",
				(s.peakBytes-baseline.peakBytes)>>20, s.exitDelay, log)
		})
	}
}
