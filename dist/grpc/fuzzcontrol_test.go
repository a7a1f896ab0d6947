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

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
	"github.com/atoll-hpc/atoll/proto"
)

// FuzzCoordinator lets the ranks of a run do anything in any order, while none of them reads what it is told. The
// coordinator must neither panic nor wait for one, a run from which hellos were refused must go on, and one whose
// verdict is given must be over soon.
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

// playAll plays a schedule and reports whether it came to its end.
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
	case <-time.After(time.Minute): // of the bubble
		return false
	}
	if v := s.verdictNow(); v != nil {
		select {
		case <-s.over:
		case <-time.After(time.Minute):
			t.Errorf("the run continues after %v", v)
		}
	}
	s.tasks.Wait()
	return true
}

// play does the deed-th thing in the name of a rank.
func (s *script) play(deed, rank int) {
	m := s.members[rank]
	if deed < 20 || m == nil { // hello, of one who fits or not
		before := s.verdictNow()
		edits := []func(h *proto.Hello){nil, func(h *proto.Hello) { h.Token = "" },
			func(h *proto.Hello) { h.Epoch++ }, func(h *proto.Hello) { h.Size = 1 << 31 },
			func(h *proto.Hello) { h.Rank = uint32(deed) << 20 }, func(h *proto.Hello) { h.Address = "\xff" }}
		if m := s.hello(rank, edits[deed/3%len(edits)]); m == nil && s.verdictNow() != before {
			panic("a hello that was refused has ended the run")
		}
		return
	}
	say := func(k *proto.FromRank) { s.handle(m, k) }
	switch deed / 10 {
	case 2:
		say(&proto.FromRank{Kind: &proto.FromRank_Abort{Abort: &proto.Abort{Code: int64(deed), Cause: "\xff"}}})
	case 3:
		say(&proto.FromRank{Kind: &proto.FromRank_GiveUp{GiveUp: &proto.GiveUp{}}})
	case 4, 5:
		sent := make([]uint64, 3)
		if deed%7 == 0 {
			sent = sent[:1]
		}
		say(&proto.FromRank{Kind: &proto.FromRank_Leave{Leave: &proto.Leave{Sent: sent}}})
	case 6, 7, 8, 9, 10, 11:
		if s.joined == s.size { // others do not know the session
			call := collect.Call{Kind: collect.Kind(deed % 8), Op: dist.Op(deed % 5), Root: deed%4 - 1, Len: deed % 16}
			s.calls(m, call, string(make([]byte, deed%16)))
		}
	case 12:
		say(&proto.FromRank{Kind: &proto.FromRank_Fault{Fault: &proto.Fault{Rank: uint32(deed) << (deed % 30)}}})
	case 13:
		select {
		case <-m.gone:
		default:
			s.streamEnded(m)
		}
	default:
		say(&proto.FromRank{})
	}
}

// spoken is a control stream on which a client says what a fuzzer makes of it.
type spoken struct {
	rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator]
	data []byte
	said int // messages to the client
	ctx  context.Context
}

func (s *spoken) Recv() (*proto.FromRank, error) {
	text, n := protowire.ConsumeBytes(s.data)
	if n < 0 {
		return nil, io.EOF
	}
	s.data = s.data[n:]
	msg := new(proto.FromRank)
	return msg, pb.Unmarshal(text, msg)
}

func (s *spoken) Send(m *proto.FromCoordinator) error {
	if s.said++; pb.Size(m) > maxFrameBytes {
		return errors.New("too long")
	}
	_, err := pb.Marshal(m)
	return err
}

func (s *spoken) Context() context.Context { return s.ctx }

// FuzzAttend lets a client say anything to a coordinator that waits for two ranks, one of which has come. It must not
// panic, and end the stream when the client does.
func FuzzAttend(f *testing.F) {
	say := func(msgs ...*proto.FromRank) (data []byte) {
		for _, m := range msgs {
			text, _ := pb.Marshal(m)
			data = protowire.AppendBytes(data, text)
		}
		return data
	}
	hello := &proto.FromRank{Kind: &proto.FromRank_Hello{Hello: &proto.Hello{Protocol: protocol, Rank: 1, Size: 2,
		Address: "unix:/r1", BuildId: "b1", CaseHash: "c1", Epoch: 3, Token: "lagoon"}}}
	f.Add(say(hello, &proto.FromRank{Kind: &proto.FromRank_Leave{Leave: &proto.Leave{Sent: []uint64{1, 2}}}}))
	f.Add(say(hello, &proto.FromRank{Kind: &proto.FromRank_Fault{Fault: &proto.Fault{Rank: 7}}}))
	f.Add(say(&proto.FromRank{Kind: &proto.FromRank_Beat{}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			s := newScript(2)
			s.hello(0, nil)
			stop := make(chan struct{})
			a := &controlService{coordinator: s.coordinator, beatInterval: time.Second, stop: stop}
			stream := &spoken{data: data, ctx: context.Background()}
			ended := make(chan error, 1)
			go func() { ended <- a.Attend(stream) }()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Error("the stream goes on after its client has gone")
			}
			close(stop)
			synctest.Wait() // for what hears the end of the stream, which may tell others
			s.tasks.Wait()
			synctest.Wait()
		})
	})
}
