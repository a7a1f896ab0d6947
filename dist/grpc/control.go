package grpc

import (
	"errors"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/atoll-hpc/atoll/proto"
)

// controlService serves the control streams of a coordinator.
type controlService struct {
	proto.UnimplementedCoordinatorServer
	*coordinator
	beatInterval time.Duration // between heartbeats
	stop         <-chan struct{}
}

// Attend serves the control stream of one rank. It sends messages; a goroutine receives.
func (a *controlService) Attend(s rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator]) error {
	msg, err := s.Recv()
	if err != nil {
		return err
	}
	if msg.GetHello() == nil {
		a.refused.add(badProtocol, "a connection", "whose first message was not a hello")
		return status.Error(codes.InvalidArgument, "the first message must be a hello")
	}
	state, err := a.join(s.Context(), msg.GetHello())
	var refused *refusal
	if errors.As(err, &refused) {
		return s.Send(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Refusal{
			Refusal: &proto.Refusal{Text: refused.text}}})
	}
	if err != nil {
		return err
	}
	a.tasks.Go(func() { // ends with the stream, after this call
		for {
			msg, err := s.Recv()
			if err != nil {
				a.streamEnded(state)
				return
			}
			a.handle(state, msg)
		}
	})
	if err := a.sendBeat(s, state); err != nil { // confirms that the rank is admitted
		return err
	}
	tick := time.NewTicker(a.beatInterval)
	defer tick.Stop()
	allReady := a.allReady
	for {
		select {
		case msg := <-state.out:
			if err := sendPaged(s, msg); err != nil {
				return err
			}
			if msg.GetVerdict() != nil || msg.GetFarewell() != nil {
				a.awaitClosed(state)
				return nil
			}
		case <-tick.C:
			if err := a.sendNews(s, state); err != nil {
				return err
			}
		case <-allReady: // for which Join of the rank waits
			allReady = nil
			if err := a.sendBeat(s, state); err != nil {
				return err
			}
		case <-state.gone:
			return nil
		case <-a.stop:
			return status.Error(codes.Unavailable, "the coordinator stops")
		}
	}
}

func (a *controlService) sendBeat(s rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator],
	state *rankState) error {
	return s.Send(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Beat{Beat: a.beat(state)}})
}

// sendNews sends a heartbeat that is due, unless there is nothing to tell.
func (a *controlService) sendNews(s rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator],
	state *rankState) error {
	if a.quiet(state) {
		return nil
	}
	return a.sendBeat(s, state)
}

// pageBytes is the size of addresses in a page of a welcome, well below the limit of a message.
const pageBytes = maxFrameBytes / 2

// sendPaged sends a message; a welcome in as many pages as needed.
func sendPaged(s rpc.BidiStreamingServer[proto.FromRank, proto.FromCoordinator], msg *proto.FromCoordinator) error {
	w := msg.GetWelcome()
	if w == nil {
		return s.Send(msg)
	}
	for first := 0; first < len(w.Addresses); {
		end, bytes := first, 0
		for ; end < len(w.Addresses) && bytes < pageBytes; end++ {
			bytes += len(w.Addresses[end]) + 8 // more than the overhead of its encoding
		}
		page := &proto.Welcome{Session: w.Session, Addresses: w.Addresses[first:end], First: uint32(first)}
		if err := s.Send(&proto.FromCoordinator{Kind: &proto.FromCoordinator_Welcome{Welcome: page}}); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// awaitClosed waits until the rank has closed its side, which confirms that it has received the last message.
func (a *controlService) awaitClosed(state *rankState) {
	select {
	case <-state.gone:
	case <-a.stop:
	case <-time.After(hostDelay):
	}
}

// recordFault ends the run because a rank broke the protocol.
func (c *coordinator) recordFault(rank int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decide(faultVerdict(uint32(rank), err.Error()))
}
