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

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
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
	h := &proto.Hello{Protocol: Protocol, Rank: uint32(rank), Size: uint32(s.size),
		Address: fmt.Sprintf("unix:/r%d", rank), BuildId: "b1", CaseHash: "c1", Epoch: 3, Token: "lagoon"}
	if edit != nil {
		edit(h)
	}
	m, err := s.join(s.caller(), h)
	if err != nil {
		fmt.Fprintf(&s.log, "reply: %v\n", err)
		return nil
	}
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
			case *proto.FromCoordinator_Beat:
				fmt.Fprintf(&s.log, "rank %d: a question, if %v\n", state.rank, k.Beat.Ask)
			case *proto.FromCoordinator_Farewell:
				fmt.Fprintf(&s.log, "rank %d: farewell\n", state.rank)
			case *proto.FromCoordinator_Verdict:
				fmt.Fprintf(&s.log, "rank %d: %v\n", state.rank, verdictError(k.Verdict))
			}
		}
		if b := s.beat(state); len(b.Left) > 0 {
			fmt.Fprintf(&s.log, "rank %d: ranks %v left after %v frames\n", state.rank, b.Left, b.Sent)
		}
	}
}

// leaves lets a rank leave that has sent so many frames to a rank.
func (s *script) leaves(state *rankState, to uint32, sent uint64) {
	s.handle(state, &proto.FromRank{Kind: &proto.FromRank_Leave{Leave: &proto.Leave{To: []uint32{to},
		Sent: []uint64{sent}}}})
}

// beats lets a rank that has received the welcome send a heartbeat.
func (s *script) beats(state *rankState, entered uint64) {
	s.handle(state, &proto.FromRank{Kind: &proto.FromRank_Beat{Beat: &proto.Beat{Ready: true, Entered: entered}}})
}

// givesUp lets a rank give up the collective that is the n-th that it has entered.
func (s *script) givesUp(state *rankState, n uint64) {
	s.handle(state, &proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{Text: "Barrier: too late",
		Entered: n}}})
}

// plaintextError is the error for an address beyond this machine without TLS.
const plaintextError = `dist/grpc: address "10.0.0.1:1" is neither a unix socket nor on loopback: beyond this ` +
	`machine ranks need mutual TLS: give each its certificate (atoll certs makes them; --certs), or --insecure if ` +
	`everybody on the network may read and change the run`

func TestCoordinatorTranscripts(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *script)
		want string
	}{
		{"a run without failures", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.record(m...)
			s.leaves(m[0], 1, 7)
			s.record(m...)
			s.record(m...) // is told nothing twice
			s.leaves(m[1], 0, 5)
			s.record(m...)
			s.streamEnded(m[1])
			s.record(m...)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1]
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: ranks [0] left after [7] frames
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
refused: rank 1 speaks version 1 of the protocol, the coordinator speaks 4: start the same program everywhere; ` +
			`the run continues
reply: speaks version 1 of the protocol, the coordinator speaks 4: start the same program everywhere
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
			m := []*rankState{s.hello(0, nil), s.hello(1, nil), s.hello(2, nil)}
			s.beats(m[1], 0)
			s.beats(m[2], 0) // both heartbeats are older than the collective, which rank 1 has entered
			s.record(m...)
			s.givesUp(m[0], 1)
			s.record(m...)
			s.beats(m[1], 1)
			s.beats(m[2], 0)
			s.record(m[1])
			fmt.Fprintf(&s.log, "waiting for rank %d\n", s.verdict.WaitingFor)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 1: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 2: welcome to [unix:/r0 unix:/r1 unix:/r2]
rank 1: a question, if true
rank 2: a question, if true
rank 1: rank 0: gave up: Barrier: too late
waiting for rank 2
`},
		{"a collective that is given up, without an answer", func(s *script) {
			m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
			s.record(m...)
			s.givesUp(m[0], 1)
			s.record(m...)
			time.Sleep(answerTimeout)
			s.record(m[1])
			fmt.Fprintf(&s.log, "waiting for rank %d\n", s.verdict.WaitingFor)
		}, `
rank 0: welcome to [unix:/r0 unix:/r1]
rank 1: welcome to [unix:/r0 unix:/r1]
rank 1: a question, if true
rank 1: rank 0: gave up: Barrier: too late
waiting for rank 1
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
		s.host = -1 // otherwise ranks watch each other
		m := []*rankState{s.hello(0, nil), s.hello(1, nil)}
		s.beats(m[0], 0)
		s.beats(m[1], 0)
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

// Ranks report the silence of their neighbours in the tree; that of a rank that has left is none.
func TestSilenceIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(3)
		m := []*rankState{s.hello(0, nil), s.hello(1, nil), s.hello(2, nil)}
		for _, state := range m {
			s.beats(state, 0)
		}
		defer time.Sleep(time.Second)
		report := func(silent uint32) {
			beat := &proto.Beat{Ready: true, Missing: []uint32{silent}}
			s.handle(m[1], &proto.FromRank{Kind: &proto.FromRank_Beat{Beat: beat}})
		}
		s.handle(m[2], &proto.FromRank{Kind: &proto.FromRank_Leave{Leave: new(proto.Leave)}})
		for _, silent := range []uint32{2, 3} {
			if report(silent); s.currentVerdict() != nil {
				t.Fatalf("after a report about rank %d the verdict is %v", silent, s.currentVerdict())
			}
		}
		report(0)
		if v := s.currentVerdict(); v == nil || v.Kind != proto.Verdict_LOST || v.Rank != 0 ||
			v.Text != "no heartbeat for 3s" {
			t.Fatalf("the verdict is %v", v)
		}
	})
}

// A rank that has not received the welcome may be silent for longer: its machine, on which many processes start, is
// slow.
func TestSilenceDuringTheJoinIsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(3)
		s.hello(0, nil)
		stop := make(chan struct{})
		defer close(stop)
		go s.watch(stop)
		defer time.Sleep(time.Second)
		time.Sleep(50 * time.Second)
		s.hello(1, nil)
		if v := s.currentVerdict(); v != nil {
			t.Fatalf("the verdict is %v", v)
		}
		time.Sleep(15 * time.Second)
		if v := s.currentVerdict(); v == nil || v.Kind != proto.Verdict_LOST || v.Rank != 0 {
			t.Fatalf("after more than JoinTimeout the verdict is %v", v)
		}
	})
}

func (s *script) currentVerdict() *proto.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verdict
}
