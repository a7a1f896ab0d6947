// Package health answers the probes of whoever runs containers, by the protocol grpc_health_v1: in plaintext, as
// kubelets ask, and with nothing that could be changed.
package health

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	protocol "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
)

// Services that can be asked for. A process that waits for others, or computes for long, is alive; ready is one whose
// ranks are at work.
const (
	Alive = ""
	Ready = "ranks"
)

// What callers, of whom nothing is known, can take: connections, and of each its time and memory.
const (
	maxConnections   = 64
	maxMessage       = 1 << 10
	maxHeader        = 8 << 10
	handshakeTimeout = 2 * time.Second
	maxConnectionAge = 30 * time.Second
)

// Server answers until it is closed.
type Server struct {
	services *health.Server
	rpc      *grpc.Server
	listener net.Listener
	ended    chan struct{}
}

// Open listens at host:port; without a host, on loopback.
func Open(address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not host:port, as in 0.0.0.0:7712: %w", address, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	s := &Server{services: health.NewServer(), listener: l, ended: make(chan struct{}),
		rpc: grpc.NewServer(grpc.ConnectionTimeout(handshakeTimeout), grpc.MaxRecvMsgSize(maxMessage),
			grpc.MaxHeaderListSize(maxHeader), grpc.MaxConcurrentStreams(4), grpc.KeepaliveParams(
				keepalive.ServerParameters{MaxConnectionIdle: maxConnectionAge, MaxConnectionAge: maxConnectionAge,
					MaxConnectionAgeGrace: time.Second}))}
	protocol.RegisterHealthServer(s.rpc, s.services)
	s.SetReady(false)
	go func() {
		defer close(s.ended)
		_ = s.rpc.Serve(netutil.LimitListener(l, maxConnections)) // says only that it was closed
	}()
	return s, nil
}

// Address is where it listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// SetReady reports whether ranks are at work here. A nil server is told nothing.
func (s *Server) SetReady(yes bool) {
	if s == nil {
		return
	}
	status := protocol.HealthCheckResponse_NOT_SERVING
	if yes {
		status = protocol.HealthCheckResponse_SERVING
	}
	s.services.SetServingStatus(Ready, status)
}

// Close ends it.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.services.Shutdown()
	s.rpc.Stop()
	<-s.ended
}
