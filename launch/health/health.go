// Package health answers liveness and readiness probes, such as those of Kubernetes, by the protocol grpc_health_v1.
// Open starts a Server, which probes can read from but not change. It speaks plaintext, because kubelets do.
package health

import (
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	protocol "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	"github.com/atoll-hpc/atoll/internal/guard"
)

// The services that a probe can name. A process is alive from Open to Close, and ready while its ranks run.
const (
	Alive = ""
	Ready = "ranks"
)

// Bounds on the connections, time and memory that unauthenticated clients can use.
const (
	maxConnections   = 64
	maxMessage       = 1 << 10
	maxHeader        = 8 << 10
	handshakeTimeout = 2 * time.Second
	maxConnectionAge = 30 * time.Second
)

// Server answers probes until it is closed.
type Server struct {
	services *health.Server
	rpc      *grpc.Server
	listener net.Listener
	ended    chan struct{}
}

// Open starts a server at host:port. Without a host it listens on the loopback interface.
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
		// One connection too many closes the oldest, so that idle ones keep no probe out.
		limits := guard.Limits{Connections: maxConnections, Time: maxConnectionAge}
		_ = s.rpc.Serve(&guard.Listener{Listener: l, Limits: limits}) // returns when Close is called
	}()
	return s, nil
}

// Address returns the address at which the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// SetReady sets the status of the service Ready. On a nil server it does nothing.
func (s *Server) SetReady(ready bool) {
	if s == nil {
		return
	}
	status := protocol.HealthCheckResponse_NOT_SERVING
	if ready {
		status = protocol.HealthCheckResponse_SERVING
	}
	s.services.SetServingStatus(Ready, status)
}

// Close stops the server. On a nil server it does nothing.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.services.Shutdown()
	s.rpc.Stop()
	<-s.ended
}
