// Package grpctest connects ranks over gRPC within a test (Open, Join), and attacks their servers (Attack).
package grpctest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
)

// Open returns n ranks in this process that communicate over a unix socket, as processes of one machine do.
func Open(t testing.TB, n int) []dist.Comm {
	t.Helper()
	comms, errs := Join(t, n, grpc.Config{Coordinator: "unix:" + SocketDir(t) + "/c.sock"}, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return comms
}

// Join starts n ranks with the configuration base, changed by edit unless it is nil. It returns the communicator
// and the error of each.
func Join(t testing.TB, n int, base grpc.Config, edit func(cfg *grpc.Config)) ([]dist.Comm, []error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	comms, errs := make([]dist.Comm, n), make([]error, n)
	var wg sync.WaitGroup
	for r := range n {
		cfg := base
		cfg.Rank, cfg.Size, cfg.BuildID, cfg.CaseHash = r, n, "build", "case"
		if edit != nil {
			edit(&cfg)
		}
		wg.Go(func() { comms[r], errs[r] = grpc.Join(ctx, cfg) })
	}
	wg.Wait()
	return comms, errs
}

// SocketDir returns a temporary folder whose path is short enough for a socket, unlike that of t.TempDir.
func SocketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "atoll")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
