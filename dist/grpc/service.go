package grpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/readahead"
)

// The streams of frames are a service without a protobuf definition: their messages are not protobuf.
const exchangeMethod = "/atoll.v1.Neighbour/Exchange"

var (
	exchangeDesc = rpc.StreamDesc{StreamName: "Exchange", ServerStreams: true, ClientStreams: true,
		Handler: func(srv any, s rpc.ServerStream) error { return srv.(*comm).serveExchange(s) }}

	exchangeService = rpc.ServiceDesc{ServiceName: "atoll.v1.Neighbour", HandlerType: (*any)(nil),
		Streams: []rpc.StreamDesc{exchangeDesc, watchDesc}}
)

const (
	// The flow-control window holds several chunks, so that one can be in flight while another is read.
	windowBytes = 4 << 20

	socketBytes = 128 << 10 // gRPC's buffer for writes to a connection, and for reads where it does not read ahead

	maxFrameBytes = headerBytes + chunkBytes
)

// Limits of one connection. A rank needs one stream, for control or for frames.
const (
	maxStreams     = 4
	maxHeaderBytes = 8 << 10
)

// readBuffer returns the size of gRPC's own read buffer: none where connections read ahead.
func readBuffer() int {
	if readahead.Works {
		return 0
	}
	return socketBytes
}

func newServer(cfg *Config, refused *refusals) *rpc.Server {
	return rpc.NewServer(rpc.Creds(cfg.serverCredentials(refused)), rpc.WaitForHandlers(true),
		rpc.ConnectionTimeout(helloTimeout), rpc.MaxConcurrentStreams(maxStreams), rpc.MaxHeaderListSize(maxHeaderBytes),
		rpc.MaxRecvMsgSize(maxFrameBytes), rpc.MaxSendMsgSize(maxFrameBytes),
		rpc.InitialWindowSize(windowBytes), rpc.InitialConnWindowSize(windowBytes),
		rpc.ReadBufferSize(readBuffer()), rpc.WriteBufferSize(socketBytes))
}

// lastError is the error of the last attempt to connect.
type lastError struct{ last atomic.Pointer[error] }

func (t *lastError) set(err error) {
	if t != nil && err != nil {
		t.last.Store(&err)
	}
}

func (t *lastError) String() string {
	if err := t.last.Load(); err != nil {
		return (*err).Error()
	}
	return "no answer"
}

// dial prepares a connection to a rank or certs.Coordinator. It is made on first use, and retried until the peer
// listens. lastErr, which may be nil, gets the error of each attempt.
func (cfg *Config) dial(address string, rank int, lastErr *lastError) (*rpc.ClientConn, error) {
	if err := cfg.check(address); err != nil {
		return nil, err
	}
	network, netAddress := splitAddress(address)
	connect := func(ctx context.Context, _ string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, netAddress)
		if err != nil {
			lastErr.set(err)
			return nil, err
		}
		ahead, err := readahead.New(c)
		if err != nil || cfg.Certificates != nil {
			return ahead, err
		}
		return &firstRead{Conn: ahead, ended: func(first byte, err error) {
			switch {
			case err != nil:
				lastErr.set(errors.New("it has closed the connection without an answer: does it need certificates (--certs)?"))
			case certs.IsTLS(first):
				lastErr.set(errors.New(certs.SpeaksTLS))
			}
		}}, nil
	}
	return rpc.NewClient(grpcTarget(address), rpc.WithContextDialer(connect),
		rpc.WithTransportCredentials(cfg.clientCredentials(rank, lastErr)), rpc.WithNoProxy(), rpc.WithDisableRetry(),
		rpc.WithIdleTimeout(0),
		rpc.WithConnectParams(rpc.ConnectParams{MinConnectTimeout: time.Second,
			Backoff: backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.5, MaxDelay: 100 * time.Millisecond}}),
		rpc.WithInitialWindowSize(windowBytes), rpc.WithInitialConnWindowSize(windowBytes),
		rpc.WithReadBufferSize(readBuffer()), rpc.WithWriteBufferSize(socketBytes),
		rpc.WithDefaultCallOptions(rpc.MaxCallRecvMsgSize(maxFrameBytes), rpc.MaxCallSendMsgSize(maxFrameBytes),
			rpc.WaitForReady(true)))
}

// stream is either end of a stream of frames. Its context ends with the stream.
type stream interface {
	SendMsg(any) error
	RecvMsg(any) error
	Context() context.Context
}

func checkSequence(h *header, session uint64, next *uint64) error {
	if h.session != session {
		return fmt.Errorf("a frame of session %x in session %x", h.session, session)
	}
	if h.seq != *next {
		return fmt.Errorf("got frame %d, want frame %d", h.seq, *next)
	}
	*next++
	return nil
}
