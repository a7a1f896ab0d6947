package health

import (
	"net"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	protocol "google.golang.org/grpc/health/grpc_health_v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestProbes: a process is alive, and ready between SetReady(true) and SetReady(false). Idle connections of other
// clients do not keep the server from answering.
func TestProbes(t *testing.T) {
	s, err := Open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range maxConnections {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	probe := func(service string) protocol.HealthCheckResponse_ServingStatus {
		t.Helper()
		r, err := protocol.NewHealthClient(conn).Check(t.Context(), &protocol.HealthCheckRequest{Service: service},
			grpc.WaitForReady(true))
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	for _, ready := range []bool{false, true, false} {
		want := protocol.HealthCheckResponse_NOT_SERVING
		if ready {
			want = protocol.HealthCheckResponse_SERVING
		}
		s.SetReady(ready)
		if got := probe(Ready); got != want {
			t.Errorf("after SetReady(%v): got %v, want %v", ready, got, want)
		}
		if got := probe(Alive); got != protocol.HealthCheckResponse_SERVING {
			t.Errorf("alive: got %v, want SERVING", got)
		}
	}
}

// TestIdleConnectionsKeepNoProbeOut: a probe is answered while more connections are open than the server accepts.
func TestIdleConnectionsKeepNoProbeOut(t *testing.T) {
	s, err := Open(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 3 * maxConnections {
		idle, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
	}
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := protocol.NewHealthClient(conn).Check(t.Context(), &protocol.HealthCheckRequest{},
		grpc.WaitForReady(true)); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesAddressWithoutPort(t *testing.T) {
	if _, err := Open("7712"); err == nil {
		t.Error("got no error")
	}
}
