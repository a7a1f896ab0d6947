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

// Attack does at a TCP address what those can who have no business there, as hard as they can: garbage, huge frames,
// streams that pour data, idle and slow connections, and hellos that do not fit. It returns when all of that is under
// way; what of it the other side lets stay, stays until ctx ends. fits is a hello that would be let in.
func Attack(ctx context.Context, address string, fits *proto.Hello) (ended *sync.WaitGroup) {
	a := &attack{ctx: ctx, address: address}
	var mounted sync.WaitGroup
	for _, mount := range []func(){
		func() { a.many(150, a.pours) },
		func() { a.many(3000, a.idles) },
		func() { a.many(100, a.dribbles) },
		func() { a.many(100, a.garbage) },
		func() { a.hellos(fits) },
	} {
		mounted.Go(mount)
	}
	mounted.Wait()
	return &a.ended
}

type attack struct {
	ctx     context.Context
	address string
	ended   sync.WaitGroup
}

// many mounts something many times, some at once.
func (a *attack) many(n int, mount func()) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range n / 8 {
				mount()
			}
		})
	}
	wg.Wait()
}

func (a *attack) dial() net.Conn {
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(a.ctx, "tcp", a.address)
	if err != nil {
		return nil // the other side has had enough, which is its right
	}
	a.ended.Go(func() {
		<-a.ctx.Done()
		_ = c.Close()
	})
	return c
}

func (a *attack) idles() { a.dial() }

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// dribbles sends the beginning of HTTP/2 byte by byte.
func (a *attack) dribbles() {
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

// garbage sends random bytes, or a frame of HTTP/2 that claims to be 16 MB long, and pours bytes into it.
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

// pours opens a stream of frames as a neighbour does, and sends as much as the other side takes.
func (a *attack) pours() {
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

// hellos says hello as ranks that do not fit do, and once as one that says much too much.
func (a *attack) hellos(fits *proto.Hello) {
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
		h := &proto.Hello{Protocol: fits.Protocol, Rank: fits.Rank, Size: fits.Size, Address: fits.Address,
			BuildId: fits.BuildId, CaseHash: fits.CaseHash, Epoch: fits.Epoch, Token: fits.Token}
		edit(h)
		const most = 20 // others put it before the door, or nobody may come in
		for try := 0; try < most && !a.refused(h); try++ {
		}
	}
}

// refused says a hello and reports whether it was answered.
func (a *attack) refused(h *proto.Hello) bool {
	s, err := proto.NewCoordinatorClient(a.client()).Attend(a.ctx)
	if err != nil {
		return a.ctx.Err() != nil
	}
	_ = s.Send(&proto.FromRank{Kind: &proto.FromRank_Hello{Hello: h}})
	answer, err := s.Recv()
	return a.ctx.Err() != nil || err == nil && answer.GetRefusal() != nil
}
