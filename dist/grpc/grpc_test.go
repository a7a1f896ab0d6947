package grpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
)

func TestMain(m *testing.M) {
	if ranBenchmarkPartner() || ranChildRank() {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestConformance(t *testing.T) {
	disttest.Run(t, func(t *testing.T, n int) []dist.Comm { return grpctest.Open(t, n) })
}

func TestFailures(t *testing.T) {
	disttest.RunFailures(t, func(t *testing.T, n int) []dist.Comm { return grpctest.Open(t, n) }, grpc.Kill)
}

// Of ten ranks some have a parent that is not rank 0.
func TestCollectivesOfADeepTree(t *testing.T) {
	const n = 10
	comms := grpctest.Open(t, n)
	for _, k := range disttest.Cases() {
		t.Run(k.Name, func(t *testing.T) { disttest.Each(t, comms, k.Run) })
	}
	disttest.Close(t, comms)
	for _, k := range disttest.LastCases() {
		t.Run(k.Name, func(t *testing.T) {
			comms := grpctest.Open(t, n)
			disttest.Each(t, comms, k.Run)
			disttest.Close(t, comms)
		})
	}
	for _, dead := range []int{0, 1, 2} { // rank 1 has a child, rank 2
		comms := grpctest.Open(t, n)
		var passed sync.WaitGroup // the first barrier, by all ranks: one that is still in it would fail
		passed.Add(n)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			err := c.Barrier(ctx)
			if passed.Done(); err != nil {
				return err
			}
			if c.Rank() == dead {
				passed.Wait()
				grpc.Kill(c)
				return nil
			}
			err = c.Barrier(ctx)
			var peer *dist.PeerError
			if !errors.Is(err, dist.ErrPeerLost) || !errors.As(err, &peer) || peer.Rank != dead {
				return fmt.Errorf("got %v, want the loss of rank %d", err, dead)
			}
			return nil
		})
		disttest.Close(t, comms)
	}
}

// A collective without a rank that has left ends on all ranks with an error that names it.
func TestCollectiveWithoutARankThatHasLeft(t *testing.T) {
	for _, gone := range []int{1, 2, 9} {
		comms := grpctest.Open(t, 10)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			if c.Rank() == gone {
				return c.Close()
			}
			if err := c.Barrier(ctx); !contains(err, fmt.Sprintf("rank %d: has left the run, while rank", gone)) {
				return fmt.Errorf("got %v, want that rank %d has left", err, gone)
			}
			return c.Close()
		})
	}
}

// gRPC itself allocates for every message; this bounds the allocations of both for two messages and a reduction on
// two ranks.
func TestSteadyStateAllocatesLittle(t *testing.T) { disttest.Allocations(t, grpctest.Open(t, 2), 60) }

func Benchmark(b *testing.B) { disttest.Benchmark(b, grpctest.Open) }

// A rank that does not match the run is refused, and the run continues with the right one.
func TestMismatchedRanksAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(cfg *grpc.Config)
		want string
	}{
		"build": {func(cfg *grpc.Config) { cfg.BuildID = "other" }, "runs build"},
		"case":  {func(cfg *grpc.Config) { cfg.CaseHash = "other" }, "has case"},
		"epoch": {func(cfg *grpc.Config) { cfg.Epoch-- }, "belongs to epoch 6"},
		"token": {func(cfg *grpc.Config) { cfg.Token = "guess" }, "does not have the token"},
		"size":  {func(cfg *grpc.Config) { cfg.Size++ }, "was started for 4 ranks"},
	} {
		t.Run(name, func(t *testing.T) {
			address := "unix:" + grpctest.SocketDir(t) + "/c.sock"
			base := grpc.Config{Size: 3, Coordinator: address, BuildID: "build", CaseHash: "case", Epoch: 7, Token: "secret"}
			lines := make(chan string, 10)
			comms, errs := make([]dist.Comm, 3), make([]error, 3)
			var wg sync.WaitGroup
			join := func(rank int) {
				cfg := base
				cfg.Rank, cfg.Notify = rank, func(line string) { lines <- line }
				wg.Go(func() { comms[rank], errs[rank] = grpc.Join(t.Context(), cfg) })
			}
			join(0)
			wrong := base
			wrong.Rank = 2
			c.edit(&wrong)
			if _, err := grpc.Join(t.Context(), wrong); !errors.Is(err, grpc.ErrRefused) || !contains(err, c.want) {
				t.Errorf("error of the mismatched rank: %v", err)
			}
			if line := <-lines; !strings.Contains(line, c.want) || !strings.Contains(line, "the run continues") {
				t.Errorf("log line %q", line)
			}
			join(1)
			join(2)
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error { return c.Barrier(ctx) })
			disttest.Close(t, comms)
		})
	}
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

func TestJoinNamesMissingRanks(t *testing.T) {
	for limit := 300 * time.Millisecond; ; limit *= 2 { // a machine under load may not reach the coordinator before
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		_, err := grpc.Join(ctx, grpc.Config{Rank: 0, Size: 3, Coordinator: "unix:" + grpctest.SocketDir(t) + "/c.sock"})
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && contains(err, "[1 2]") {
			break
		}
		if limit > time.Minute {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := grpc.Join(ctx, grpc.Config{Rank: 1, Size: 3, Coordinator: "unix:" + grpctest.SocketDir(t) + "/c.sock"})
	if !errors.Is(err, context.DeadlineExceeded) || !contains(err, "no coordinator") {
		t.Fatal(err)
	}
}

func TestPlaintextStaysOnThisMachine(t *testing.T) {
	for _, address := range []string{"10.0.0.1:4000", "0.0.0.0:4000", ":4000", "node7:4000", "[::]:4000"} {
		_, err := grpc.Join(t.Context(), grpc.Config{Size: 1, Coordinator: address})
		if !contains(err, "mutual TLS") {
			t.Errorf("%s: %v", address, err)
		}
		_, err = grpc.Join(t.Context(), grpc.Config{Size: 1, Coordinator: "127.0.0.1:0", Listen: address})
		if !contains(err, "mutual TLS") {
			t.Errorf("listen on %s: %v", address, err)
		}
	}
	for _, address := range []string{"unix:", "unix:/" + strings.Repeat("x", 107), "nonsense"} {
		if _, err := grpc.Join(t.Context(), grpc.Config{Size: 1, Coordinator: address}); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

func TestLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // to find a free port
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	comms, errs := grpctest.Join(t, 3, grpc.Config{Coordinator: l.Addr().String()}, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, k := range disttest.Cases()[:6] {
		disttest.Each(t, comms, k.Run)
	}
	disttest.Close(t, comms)
}

func TestExternalCoordinator(t *testing.T) {
	address := "unix:" + grpctest.SocketDir(t) + "/c.sock"
	served := make(chan error, 1)
	go func() { served <- grpc.ServeCoordinator(t.Context(), grpc.Config{Size: 3, Coordinator: address}) }()
	comms, errs := grpctest.Join(t, 3, grpc.Config{Coordinator: address, External: true}, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, k := range disttest.Cases() {
		disttest.Each(t, comms, k.Run)
	}
	disttest.Close(t, comms)
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

// A neighbour that floods a rank ends the run before its messages take more memory than UnexpectedLimit.
func TestUnexpectedMessagesAreBounded(t *testing.T) {
	base := grpc.Config{Coordinator: "unix:" + grpctest.SocketDir(t) + "/c.sock", UnexpectedLimit: 1 << 20}
	comms, errs := grpctest.Join(t, 2, base, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		if c.Rank() == 1 {
			if err := c.Barrier(ctx); !contains(err, "rank 0: has sent more than 1048576 bytes") {
				return fmt.Errorf("the flooded rank got %v", err)
			}
			return nil
		}
		for range 1000 {
			r, err := c.Isend(ctx, 1, 0, make([]byte, 100_000))
			if err == nil {
				err = c.Wait(ctx, []dist.Request{r})
			}
			if err != nil {
				return nil
			}
		}
		return errors.New("nothing stopped the flood")
	})
	disttest.Close(t, comms)
}

func TestCloseTimeout(t *testing.T) {
	base := grpc.Config{Coordinator: "unix:" + grpctest.SocketDir(t) + "/c.sock", CloseTimeout: 100 * time.Millisecond}
	comms, errs := grpctest.Join(t, 2, base, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		if c.Rank() == 0 {
			if err := c.Close(); !contains(err, "still running") {
				return fmt.Errorf("Close returned %v", err)
			}
			return nil
		}
		r, err := c.Irecv(ctx, 1, 0, nil) // no message comes, as if the rank computed
		if err == nil {
			err = c.Wait(ctx, []dist.Request{r})
		}
		if !contains(err, "rank 0: has left the run") {
			return fmt.Errorf("the rank that still runs got %v", err)
		}
		return c.Close()
	})
}
