package grpc

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	pb "google.golang.org/protobuf/proto"

	"github.com/atoll-hpc/atoll/proto"
)

// FuzzCoordinator lets the ranks of a run do random actions in random order, while none of them receives messages.
// The coordinator must not panic or wait for a rank, a run must continue after refused hellos, and it must end soon
// after a verdict.
func FuzzCoordinator(f *testing.F) {
	f.Add([]byte{0, 1, 2, 60, 61, 62, 40, 41, 42})
	f.Add([]byte{0, 3, 6, 9, 1, 2, 10, 50})
	f.Add([]byte{0, 1, 2, 60, 0x5f, 61, 30, 31, 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			if !playAll(t, data) {
				t.Fatal("the coordinator waits for a rank that does not read")
			}
		})
	})
}

// playAll does the actions of a schedule, and reports whether they all returned.
func playAll(t *testing.T, data []byte) bool {
	s := newScript(3)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for _, b := range data {
			s.play(int(b), int(b)%3)
		}
	}()
	select {
	case <-over:
	case <-time.After(time.Minute): // simulated time
		return false
	}
	if v := s.currentVerdict(); v != nil {
		select {
		case <-s.over:
		case <-time.After(time.Minute):
			t.Errorf("the run continues after %v", v)
		}
	}
	s.tasks.Wait()
	return true
}

// play does an action as a rank.
func (s *script) play(action, rank int) {
	state := s.ranks[rank]
	if action < 20 || state == nil { // a hello that matches the run or not
		before := s.currentVerdict()
		edits := []func(h *proto.Hello){nil, func(h *proto.Hello) { h.Token = "" },
			func(h *proto.Hello) { h.Epoch++ }, func(h *proto.Hello) { h.Size = 1 << 31 },
			func(h *proto.Hello) { h.Rank = uint32(action) << 20 }, func(h *proto.Hello) { h.Address = "\xff" }}
		if state := s.hello(rank, edits[action/3%len(edits)]); state == nil && s.currentVerdict() != before {
			panic("a refused hello has ended the run")
		}
		return
	}
	handle := func(k *proto.FromRank) { s.handle(state, k) }
	switch action / 10 {
	case 2:
		handle(&proto.FromRank{Kind: &proto.FromRank_Abort{Abort: &proto.Abort{Code: int64(action), Cause: "\xff"}}})
	case 3:
		handle(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{}}})
	case 4, 5:
		leave := &proto.Leave{To: []uint32{uint32(action % 5), 2, 1 << 31}, Sent: make([]uint64, 3)}
		if action%7 == 0 {
			leave.Sent = leave.Sent[:1]
		}
		handle(&proto.FromRank{Kind: &proto.FromRank_Leave{Leave: leave}})
	case 6, 7, 8:
		s.beats(state, uint64(action%10))
	case 9, 10, 11:
		s.givesUp(state, uint64(action%10))
		s.beat(state)
	case 12:
		handle(&proto.FromRank{Kind: &proto.FromRank_Fault{Fault: &proto.Fault{Rank: uint32(action) << (action % 30)}}})
	case 13:
		select {
		case <-state.gone:
		default:
			s.streamEnded(state)
		}
	default:
		handle(&proto.FromRank{})
	}
}

// fuzzedStream is a control stream whose client sends messages made by the fuzzer.
type fuzzedStream struct {
	rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator]
	data []byte
	sent int // number of messages to the client
	ctx  context.Context
}

func (s *fuzzedStream) Recv() (*proto.FromRank, error) {
	text, n := protowire.ConsumeBytes(s.data)
	if n < 0 {
		return nil, io.EOF
	}
	s.data = s.data[n:]
	msg := new(proto.FromRank)
	return msg, pb.Unmarshal(text, msg)
}

func (s *fuzzedStream) Send(m *proto.FromCoordinator) error {
	if s.sent++; pb.Size(m) > maxFrameBytes {
		return errors.New("too long")
	}
	_, err := pb.Marshal(m)
	return err
}

func (s *fuzzedStream) Context() context.Context { return s.ctx }

// FuzzAttend lets a client send arbitrary messages to a coordinator of two ranks, one of which has joined. It must
// not panic, and must end the stream when the client does.
func FuzzAttend(f *testing.F) {
	encodeAll := func(msgs ...*proto.FromRank) (data []byte) {
		for _, m := range msgs {
			text, _ := pb.Marshal(m)
			data = protowire.AppendBytes(data, text)
		}
		return data
	}
	hello := &proto.FromRank{Kind: &proto.FromRank_Hello{Hello: &proto.Hello{Protocol: Protocol, Rank: 1, Size: 2,
		Address: "unix:/r1", BuildId: "b1", CaseHash: "c1", Epoch: 3, Token: "lagoon"}}}
	leave := &proto.Leave{To: []uint32{0}, Sent: []uint64{1}}
	f.Add(encodeAll(hello, &proto.FromRank{Kind: &proto.FromRank_Leave{Leave: leave}}))
	f.Add(encodeAll(hello, &proto.FromRank{Kind: &proto.FromRank_Fault{Fault: &proto.Fault{Rank: 7}}}))
	f.Add(encodeAll(&proto.FromRank{Kind: &proto.FromRank_Beat{}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(2)
			s.hello(0, nil)
			stop := make(chan struct{})
			a := &controlService{coordinator: s.coordinator, beatInterval: time.Second, stop: stop}
			stream := &fuzzedStream{data: data, ctx: context.Background()}
			ended := make(chan error, 1)
			go func() { ended <- a.Attend(stream) }()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Error("the stream continues after its client has ended")
			}
			close(stop)
			synctest.Wait() // for the goroutine that handles the end of the stream, which may notify others
			s.tasks.Wait()
			synctest.Wait()
		})
	})
}
