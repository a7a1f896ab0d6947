package grpc

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// The streams of frames are services without a protobuf definition: their messages are not protobuf.
const (
	exchangeMethod = "/atoll.v1.Neighbour/Exchange"
	collectMethod  = "/atoll.v1.Collector/Collect"
)

var (
	exchangeDesc = rpc.StreamDesc{StreamName: "Exchange", ServerStreams: true, ClientStreams: true,
		Handler: func(srv any, s rpc.ServerStream) error { return srv.(*comm).serveExchange(s) }}
	collectDesc = rpc.StreamDesc{StreamName: "Collect", ServerStreams: true, ClientStreams: true,
		Handler: func(srv any, s rpc.ServerStream) error { return srv.(*collector).serveCollect(s) }}

	exchangeService = rpc.ServiceDesc{ServiceName: "atoll.v1.Neighbour", HandlerType: (*any)(nil),
		Streams: []rpc.StreamDesc{exchangeDesc}}
	collectService = rpc.ServiceDesc{ServiceName: "atoll.v1.Collector", HandlerType: (*any)(nil),
		Streams: []rpc.StreamDesc{collectDesc}}
)

const (
	// Windows wide enough for a chunk on its way while another is read, and a write buffer to match.
	windowBytes = 4 << 20
	socketBytes = 128 << 10

	mostBytes = headerBytes + chunkBytes
)

func newServer() *rpc.Server {
	return rpc.NewServer(rpc.WaitForHandlers(true), rpc.MaxRecvMsgSize(mostBytes), rpc.MaxSendMsgSize(mostBytes),
		rpc.InitialWindowSize(windowBytes), rpc.InitialConnWindowSize(windowBytes),
		rpc.ReadBufferSize(readBufferBytes), rpc.WriteBufferSize(socketBytes))
}

// dial prepares a connection, which is made when it is first used, again and again until somebody listens.
func dial(address string) (*rpc.ClientConn, error) {
	if err := checkPlain(address); err != nil {
		return nil, err
	}
	network, where := split(address)
	connect := func(ctx context.Context, _ string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, where)
		if err != nil {
			return nil, err
		}
		return readAhead(c)
	}
	return rpc.NewClient(target(address), rpc.WithContextDialer(connect),
		rpc.WithTransportCredentials(insecure.NewCredentials()), rpc.WithNoProxy(), rpc.WithDisableRetry(),
		rpc.WithIdleTimeout(0),
		rpc.WithConnectParams(rpc.ConnectParams{MinConnectTimeout: time.Second,
			Backoff: backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.5, MaxDelay: 100 * time.Millisecond}}),
		rpc.WithInitialWindowSize(windowBytes), rpc.WithInitialConnWindowSize(windowBytes),
		rpc.WithReadBufferSize(readBufferBytes), rpc.WithWriteBufferSize(socketBytes),
		rpc.WithDefaultCallOptions(rpc.MaxCallRecvMsgSize(mostBytes), rpc.MaxCallSendMsgSize(mostBytes),
			rpc.WaitForReady(true)))
}

// The opener of a stream of frames says who it is, and in which run.
const (
	rankKey  = "atoll-rank"
	epochKey = "atoll-epoch"
)

func withIdentity(ctx context.Context, rank int, epoch uint64) context.Context {
	return metadata.AppendToOutgoingContext(ctx, rankKey, strconv.Itoa(rank), epochKey, strconv.FormatUint(epoch, 16))
}

// identity reads what withIdentity has written, and refuses ranks that do not exist and other runs.
func identity(ctx context.Context, size int, epoch uint64) (rank int, err error) {
	md, _ := metadata.FromIncomingContext(ctx)
	rank, err = strconv.Atoi(one(md, rankKey))
	if err != nil || rank < 0 || rank >= size {
		return 0, status.Errorf(codes.InvalidArgument, "rank %q does not exist among %d", one(md, rankKey), size)
	}
	if got := one(md, epochKey); got != strconv.FormatUint(epoch, 16) {
		return 0, status.Errorf(codes.FailedPrecondition, "rank %d belongs to another run", rank)
	}
	return rank, nil
}

func one(md metadata.MD, key string) string {
	if v := md.Get(key); len(v) == 1 {
		return v[0]
	}
	return ""
}

// stream is either end of a stream of frames. Its context ends with it.
type stream interface {
	SendMsg(any) error
	RecvMsg(any) error
	Context() context.Context
}

func sequence(h *header, epoch uint64, next *uint64) error {
	if h.epoch != epoch {
		return fmt.Errorf("a frame of epoch %x in epoch %x", h.epoch, epoch)
	}
	if h.seq != *next {
		return fmt.Errorf("frame %d came where %d is expected", h.seq, *next)
	}
	*next++
	return nil
}

// letWrite lets gRPC write what it was given before the caller, or a goroutine that it wakes, computes on: a processor
// that is busy with that would send nothing for milliseconds. It takes two turns, since gRPC's writer lets others go
// first once, to gather more.
func letWrite() {
	runtime.Gosched()
	runtime.Gosched()
}
