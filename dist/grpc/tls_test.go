package grpc_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
)

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func authority(t *testing.T, ranks int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if _, err := certs.Make(dir, ranks, time.Hour); err != nil {
		t.Fatal(err)
	}
	return dir
}

func store(t *testing.T, dir string, rank int) *certs.Store {
	t.Helper()
	s, err := certs.Open(dir, rank, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Ranks listen on all networks, and are reached by a host name. Certificates are renewed while they run.
func TestMutualTLS(t *testing.T) {
	dir, address := authority(t, 3), freePort(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	comms, errs := grpctest.Join(t, 3, grpc.Config{Coordinator: "localhost:" + port}, func(cfg *grpc.Config) {
		cfg.Certificates, cfg.Listen, cfg.Announce = store(t, dir, cfg.Rank), "0.0.0.0:0", "localhost:0"
		if cfg.Rank == 0 { // one listener for both
			cfg.Listen, cfg.Announce = "0.0.0.0:"+port, "localhost:"+port
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.Make(dir, 3, time.Hour); err != nil { // neighbours have not connected to each other yet
		t.Fatal(err)
	}
	for _, k := range disttest.Cases()[:8] {
		disttest.Each(t, comms, k.Run)
	}
	disttest.Close(t, comms)
}

func TestExternalCoordinatorWithCertificate(t *testing.T) {
	dir, address := authority(t, 2), freePort(t)
	served := make(chan error, 1)
	go func() {
		served <- grpc.ServeCoordinator(t.Context(), grpc.Config{Size: 2, Coordinator: address,
			Certificates: store(t, dir, certs.Coordinator)})
	}()
	comms, errs := grpctest.Join(t, 2, grpc.Config{Coordinator: address, External: true}, func(cfg *grpc.Config) {
		cfg.Certificates = store(t, dir, cfg.Rank)
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error { return c.Barrier(ctx) })
	disttest.Close(t, comms)
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

// A rank without a certificate of the job, or with that of another rank, is refused.
func TestWrongCertificates(t *testing.T) {
	dir, address := authority(t, 3), freePort(t)
	lines := make(chan string, 100)
	base := grpc.Config{Size: 2, Coordinator: address, Notify: func(line string) {
		select {
		case lines <- line:
		default:
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	joined := make(chan dist.Comm, 2)
	join := func(rank int) {
		cfg := base
		cfg.Rank, cfg.Certificates = rank, store(t, dir, rank)
		c, err := grpc.Join(ctx, cfg)
		if err != nil {
			t.Error(err)
		}
		joined <- c
	}
	go join(0)
	wrong := base
	wrong.Rank, wrong.Notify = 1, nil
	for name, c := range map[string]struct {
		store *certs.Store
		want  string
	}{
		"of another rank": {store(t, filepath.Join(dir, "rank-2"), 2), "has the certificate of rank-2"},
		"of another job":  {store(t, authority(t, 2), 1), "signed by another authority"},
		"none":            {nil, "does it need certificates"},
	} {
		wrong.Certificates = c.store
		for limit := 300 * time.Millisecond; ; limit *= 2 { // a machine under load may take long for a handshake
			shortCtx, stop := context.WithTimeout(ctx, limit)
			_, err := grpc.Join(shortCtx, wrong)
			stop()
			if contains(err, c.want) {
				break
			}
			if limit > time.Minute {
				t.Fatalf("a certificate %s: %v", name, err)
			}
		}
	}
	go join(1)
	comms := make([]dist.Comm, 2)
	for range comms {
		if c := <-joined; c != nil {
			comms[c.Rank()] = c
		}
	}
	if !t.Failed() {
		disttest.Close(t, comms)
	}
	if len(lines) == 0 {
		t.Error("no refusal was logged")
	}
}

// TestFailedHandshakesAreExplained: when certificates do not match, or only one side has any, the message of both sides
// says so, that of rank 0 also after it has waited in vain.
func TestFailedHandshakesAreExplained(t *testing.T) {
	dir, other := authority(t, 2), authority(t, 2)
	for name, c := range map[string]struct {
		ours, theirs       string // folders of certificates, "" for none
		wantOurs, wantHere string
	}{
		"authorities":    {dir, other, "has refused this certificate", "signed by another authority"},
		"plaintext here": {"", dir, "it speaks TLS", "it does not speak TLS"},
		"TLS here":       {dir, "", "it does not speak TLS", "does it need certificates"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, lines := freePort(t), [2]chan string{make(chan string, 1), make(chan string, 1)}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var errs [2]error
			var ranks sync.WaitGroup
			for rank, folder := range []string{c.ours, c.theirs} {
				cfg := grpc.Config{Rank: rank, Size: 2, Coordinator: address, Notify: func(line string) {
					select {
					case lines[rank] <- line:
					default:
					}
				}}
				if folder != "" {
					cfg.Certificates = store(t, folder, rank)
				}
				ranks.Go(func() { _, errs[rank] = grpc.Join(ctx, cfg) })
			}
			line, waits := <-lines[0], <-lines[1]
			cancel()
			ranks.Wait()
			if !strings.Contains(line, c.wantOurs) || !contains(errs[0], c.wantOurs) {
				t.Errorf("rank 0 says %q, and at the end %v: want %q", line, errs[0], c.wantOurs)
			}
			if !strings.Contains(waits, c.wantHere) || !contains(errs[1], c.wantHere) {
				t.Errorf("rank 1 says %q, and at the end %v: want %q", waits, errs[1], c.wantHere)
			}
		})
	}
}
