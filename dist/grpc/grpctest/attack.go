package grpctest

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	"github.com/atoll-hpc/atoll/proto"
)

// Attack attacks the server at a TCP address with many connections of each kind: garbage, huge frames, streams that
// flood data, idle and slow connections, and hellos that do not match the run. It returns when all attacks have
// started; connections that the server keeps open stay open until ctx ends. valid is a hello that the server would
// accept. ended waits for all goroutines.
func Attack(ctx context.Context, address string, valid *proto.Hello) (ended *sync.WaitGroup) {
	a := &attack{ctx: ctx, address: address}
	var started sync.WaitGroup
	for _, start := range []func(){
		func() { a.many(150, a.flood) },
		func() { a.many(3000, a.idle) },
		func() { a.many(100, a.sendSlowly) },
		func() { a.many(100, a.garbage) },
		func() { a.hellos(valid) },
	} {
		started.Go(start)
	}
	started.Wait()
	return &a.ended
}

type attack struct {
	ctx     context.Context
	address string
	ended   sync.WaitGroup
}

// many calls start n times, from 8 goroutines.
func (a *attack) many(n int, start func()) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range n / 8 {
				start()
			}
		})
	}
	wg.Wait()
}

func (a *attack) dial() net.Conn {
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(a.ctx, "tcp", a.address)
	if err != nil {
		return nil // the server refuses connections, which it may
	}
	a.ended.Go(func() {
		<-a.ctx.Done()
		_ = c.Close()
	})
	return c
}

func (a *attack) idle() { a.dial() }

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// sendSlowly sends the HTTP/2 preface byte by byte.
func (a *attack) sendSlowly() {
	c := a.dial()
	if c == nil {
		return
	}
	a.ended.Go(func() {
		for i := range preface {
			if _, err := c.Write([]byte{preface[i]}); err != nil {
				return
			}
			select {
			case <-a.ctx.Done():
				return
			case <-time.After(300 * time.Millisecond):
			}
		}
	})
}

// garbage sends random bytes, or an HTTP/2 frame with a length of 16 MB followed by random bytes.
func (a *attack) garbage() {
	c := a.dial()
	if c == nil {
		return
	}
	b := make([]byte, 4096)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rand.Uint64())
	}
	if rand.IntN(2) == 0 {
		b = append([]byte(preface+"\x00\x00\x00\x04\x00\x00\x00\x00\x00\xff\xff\xff\x00\x00\x00\x00\x00\x01"), b...)
	}
	a.ended.Go(func() {
		for range 1000 {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	})
}

// raw is a codec for bytes.
type raw struct{}

func (raw) Name() string { return "halo" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(d mem.BufferSlice, v any) error { *v.(*[]byte) = d.Materialize(); return nil }

var _ encoding.CodecV2 = raw{}

func (a *attack) client() *rpc.ClientConn {
	c, err := rpc.NewClient("passthrough:///"+a.address, rpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil
	}
	a.ended.Go(func() {
		<-a.ctx.Done()
		_ = c.Close()
	})
	return c
}

// flood opens a stream of frames as a neighbour does, and sends as much as the server reads.
func (a *attack) flood() {
	c := a.client()
	ctx := metadata.AppendToOutgoingContext(a.ctx, "atoll-rank", "1", "atoll-session", "0")
	s, err := c.NewStream(ctx, &rpc.StreamDesc{ClientStreams: true, ServerStreams: true},
		"/atoll.v1.Neighbour/Exchange", rpc.ForceCodecV2(raw{}))
	if err != nil {
		return
	}
	a.ended.Go(func() {
		for b := make([]byte, 256<<10); s.SendMsg(b) == nil; {
		}
	})
}

// hellos sends hellos that do not match the run, and a much too long one.
func (a *attack) hellos(valid *proto.Hello) {
	for _, edit := range []func(h *proto.Hello){
		func(h *proto.Hello) { h.Token = "guess" },
		func(h *proto.Hello) { h.Epoch += 7 },
		func(h *proto.Hello) { h.Protocol++ },
		func(h *proto.Hello) { h.Rank = 1 << 31 },
		func(h *proto.Hello) { h.Size++ },
		func(h *proto.Hello) { h.BuildId = "another\nbuild" },
		func(h *proto.Hello) { h.CaseHash = "another" },
		func(h *proto.Hello) { h.Address = "198.51.100.7:1" },
		func(h *proto.Hello) { h.Token = string(make([]byte, 1<<20)) },
	} {
		h := &proto.Hello{Protocol: valid.Protocol, Rank: valid.Rank, Size: valid.Size, Address: valid.Address,
			BuildId: valid.BuildId, CaseHash: valid.CaseHash, Epoch: valid.Epoch, Token: valid.Token}
		edit(h)
		const tries = 20 // connections are closed while too many others are open
		for try := 0; try < tries && !a.refused(h); try++ {
		}
	}
}

// refused sends a hello and reports whether the server answered with a refusal.
func (a *attack) refused(h *proto.Hello) bool {
	s, err := proto.NewCoordinatorClient(a.client()).Attend(a.ctx)
	if err != nil {
		return a.ctx.Err() != nil
	}
	_ = s.Send(&proto.FromRank{Kind: &proto.FromRank_Hello{Hello: h}})
	answer, err := s.Recv()
	return a.ctx.Err() != nil || err == nil && answer.GetRefusal() != nil
}
