package grpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/credentials"
	rpcpeer "google.golang.org/grpc/peer"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/proto"
)

// script drives a coordinator without a network and records the messages to each rank.
type script struct {
	*coordinator
	name rankName // in the certificate of the rank that sends a hello
	log  strings.Builder
}

func newScript(size int) *script {
	s := &script{}
	cfg := Config{Size: size, Coordinator: "unix:/c", BuildID: "b1", CaseHash: "c1", Epoch: 3, Token: "lagoon"}
	if err := cfg.prepare(); err != nil {
		panic(err)
	}
	s.coordinator = newCoordinator(cfg, 0, newRefusals(func(line string) { fmt.Fprintln(&s.log, line) }))
	s.session = 1
	return s
}

func (s *script) hello(rank int, edit func(h *proto.Hello)) *rankState {
	h := &proto.Hello{Protocol: protocol, Rank: uint32(rank), Size: uint32(s.size),
		Address: fmt.Sprintf("unix:/r%d", rank), BuildId: "b1", CaseHash: "c1", Epoch: 3, Token: "lagoon"}
	if edit != nil {
		edit(h)
	}
	m, err := s.join(s.caller(), h)
	if err != nil {
		fmt.Fprintf(&s.log, "reply: %v\n", err)
		return nil
	}
	m.reply = func(result []byte) { fmt.Fprintf(&s.log, "rank %d: answer %x\n", m.rank, result) }
	return m
}

// caller returns the context of a stream that was opened with the certificate of s.name.
func (s *script) caller() context.Context {
	p := &rpcpeer.Peer{}
	if s.name.given {
		c := &x509.Certificate{DNSNames: []string{certs.Name(s.name.rank)}}
		p.AuthInfo = credentials.TLSInfo{State: tls.ConnectionState{PeerCertificates: []*x509.Certificate{c},
			VerifiedChains: [][]*x509.Certificate{{c}}}}
	}
	return rpcpeer.NewContext(context.Background(), p)
}

// record writes the pending messages to the ranks into the log.
func (s *script) record(states ...*rankState) {
	synctest.Wait()
	for _, state := range states {
		for len(state.out) > 0 {
			switch k := (<-state.out).Kind.(type) {
			case *proto.FromCoordinator_Welcome:
				fmt.Fprintf(&s.log, "rank %d: welcome to %v\n", state.rank, k.Welcome.Addresses)
			case *proto.FromCoordinator_Left:
				fmt.Fprintf(&s.log, "rank %d: rank %d left after %d frames\n", state.rank, k.Left.Rank, k.Left.Sent)
			case *proto.FromCoordinator_Farewell:
				fmt.Fprintf(&s.log, "rank %d: farewell\n", state.rank)
			case *proto.FromCoordinator_Verdict:
				fmt.Fprintf(&s.log, "rank %d: %v\n", state.rank, verdictError(k.Verdict))
			}
		}
	}
}

func (s *script) leaves(state *rankState, sent ...uint64) {
	s.handle(state, &proto.FromRank{Kind: &proto.FromRank_Leave{Leave: &proto.Leave{Sent: sent}}})
}

func (s *script) calls(state *rankState, call collect.Call, data string) {
	if collective, err := s.enter(state, call, []byte(data)); err == nil && collective != nil {
		s.coordinator.sendResult(call, collective)
	}
}

// plaintextError is the error for an address beyond this machine without TLS.
const plaintextError = `dist/grpc: address "10.0.0.1:1" is neither a unix socket nor on loopback: beyond this ` +
	`machine ranks need mutual TLS: give each its certificate (atoll certs makes them; --certs), or --insecure if ` +
	`everybody on the network may read and change the run`

func TestCoordinatorTranscripts(t *testing.T) {
	gather := collect.Call{Kind: collect.Gather, Root: 1}
	for _, c := range []struct {
		name string
		play func(s *script)
		want string
	}{
		{"a run without failures", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.record(m...)
			s.calls(m[1], gather, "b")
			s.calls(m[0], gather, "aa")
			s.leaves(m[0], 0, 7)
			s.record(m...)
			s.leaves(m[1], 5, 0)
			s.record(m...)
			s.streamEnded(m[1])
			s.record(m...)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1]
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: answer 02000000000000000100000000000000616162
rank 0: answer 
rank 1: rank 0 left after 7 frames
rank 1: farewell
rank 0: farewell
`},
		{"ranks that do not match are refused, and the run continues", func(s *script) {
			a := s.hello(0, nil)
			for _, edit := range []func(h *proto.Hello){
				func(h *proto.Hello) { h.Token = "lagon" }, func(h *proto.Hello) { h.Token, h.Epoch = "", 2 },
				func(h *proto.Hello) { h.Epoch = 2 }, func(h *proto.Hello) { h.Protocol = 1 },
				func(h *proto.Hello) { h.BuildId = "b2" }, func(h *proto.Hello) { h.CaseHash = "c2" },
				func(h *proto.Hello) { h.Size = 9 }, func(h *proto.Hello) { h.Rank = 0 },
				func(h *proto.Hello) { h.Rank = 1 << 31 }, func(h *proto.Hello) { h.Address = "10.0.0.1:1" },
			} {
				s.hello(1, edit)
				// Otherwise only the first refusal of each kind would be logged.
				s.refused.notified, s.refused.count = map[reason]notification{}, map[reason]int{}
			}
			s.name = rankName{given: true, rank: 0}
			s.hello(1, nil)
			s.name.rank = 1
			s.record(a, s.hello(1, nil))
		}, `
refused: rank 1 does not have the token of the job; the run continues
reply: does not have the token of the job
refused: rank 1 does not have the token of the job; the run continues
reply: does not have the token of the job
refused: rank 1 belongs to epoch 2 of the run, which is in epoch 3; the run continues
reply: belongs to epoch 2 of the run, which is in epoch 3
refused: rank 1 speaks version 1 of the protocol, the coordinator speaks 2: start the same program everywhere; ` +
			`the run continues
reply: speaks version 1 of the protocol, the coordinator speaks 2: start the same program everywhere
refused: rank 1 runs build "b2", rank 0 runs "b1": start the same program everywhere; the run continues
reply: runs build "b2", rank 0 runs "b1": start the same program everywhere
refused: rank 1 has case "c2", rank 0 has "c1": give the same case file and options everywhere; the run continues
reply: has case "c2", rank 0 has "c1": give the same case file and options everywhere
refused: rank 1 was started for 9 ranks, the coordinator for 2; the run continues
reply: was started for 9 ranks, the coordinator for 2
refused: rank 0 was started twice: at "unix:/r0" and at "unix:/r1"; the run continues
reply: was started twice: at "unix:/r0" and at "unix:/r1"
refused: rank 2147483648 does not exist among 2 ranks; the run continues
reply: does not exist among 2 ranks
refused: rank 1 cannot be reached: ` + plaintextError + `; the run continues
reply: cannot be reached: ` + plaintextError + `
refused: rank 1 has the certificate of rank-0.atoll.internal; the run continues
reply: has the certificate of rank-0.atoll.internal
rank 0: welcome to [unix:/r0 unix:/r1]
rank 1: welcome to [unix:/r0 unix:/r1]
`},
		{"the first death is the cause", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil), s.hello(2, nil)}
			s.streamEnded(m[2])
			s.streamEnded(m[1])
			s.record(m...)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 0: rank 2: lost (the process died or stopped answering): its connection broke
rank 1: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 1: rank 2: lost (the process died or stopped answering): its connection broke
rank 2: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 2: rank 2: lost (the process died or stopped answering): its connection broke
`},
		{"the host receives the end last", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.record(m...)
			s.handle(m[0], &proto.FromRank{Kind: &proto.FromRank_Abort{Abort: &proto.Abort{Code: 3, Cause: "no water"}}})
			s.record(m...)
			s.log.WriteString("rank 1 has closed its stream\n")
			s.streamEnded(m[1])
			s.record(m...)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1]
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: rank 0 aborted the run: no water
rank 1 has closed its stream
rank 0: rank 0 aborted the run: no water
`},
		{"a collective that is given up", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.calls(m[0], collect.Call{Kind: collect.Barrier}, "")
			s.handle(m[0], &proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: "Barrier: too late"}}})
			s.record(m[1])
			fmt.Fprintf(&s.log, "waiting for rank %d\n", s.verdict.WaitingFor)
		}, `
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: rank 0: gave up: Barrier: too late
waiting for rank 1
`},
		{"a collective without a rank that has left", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.leaves(m[1], 0, 0)
			s.calls(m[0], collect.Call{Kind: collect.ReduceFloat64, Op: dist.Min, Len: 8}, "12345678")
			s.record(m[1])
		}, `
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: rank 1: has left the run, while rank 0 calls AllreduceFloat64(min, 1 elements)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(2)
				if strings.Contains(c.want, "r2]") {
					s = newScript(3)
				}
				c.play(s)
				time.Sleep(time.Second) // longer than hostDelay
				if got := s.log.String(); got != c.want[1:] {
					t.Errorf("got\n%swant\n%s", got, c.want[1:])
				}
			})
		})
	}
}

// The time is that of package synctest, which advances without waiting.
func TestSilenceIsDetected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(2)
		m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
		stop := make(chan struct{})
		defer close(stop)
		go s.watch(stop)
		defer time.Sleep(time.Second)
		start := time.Now()
		for s.currentVerdict() == nil && time.Since(start) < time.Minute {
			m[0].life.Beat()
			if time.Since(start) < 10*time.Second {
				m[1].life.Beat()
			}
			time.Sleep(time.Second)
		}
		v := s.currentVerdict()
		if v == nil || v.Kind != proto.Verdict_LOST || v.Rank != 1 {
			t.Fatalf("the verdict is %v", v)
		}
		if took := time.Since(start); took < 11*time.Second || took > 13*time.Second {
			t.Fatalf("detected after %v, want 12 s: 3 s after the last heartbeat", took)
		}
	})
}

func (s *script) currentVerdict() *proto.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verdict
}
