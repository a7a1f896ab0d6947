package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wet is test 2 of the paper on a small mesh: two layers, a bump, moving everywhere.
const wet = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { scheme = "pvm-ifcp", density_ratio = 0.98 }
initial = { depth = "1 - 1.5*exp(-x*x - y*y)", h1 = "x >= 0 ? 4.0 : 0.5", h2 = "4.5 - h1" }
time = { end = 10, max_steps = 12 }
output = { format = [], conservation_every = 5 }
`

// dry is a wave that runs up an island out of both layers, with an open side, bed friction and friction between the
// layers.
const dry = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { scheme = "pvm-ifcp", density_ratio = 0.9, dry_depth = 1e-3, manning = 0.02, interlayer_friction = true }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z1 = "x < -2 ? 0.6 : 0.1", z2 = "-0.3" }
boundary = { right = "open" }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }
`

// given is water of one layer around an island, with a discharge, a level and radiation given at its sides.
const given = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 2, layers = 1, manning = 0.02 }
initial = { depth = "1 - 2.5*exp(-(x*x + y*y)/2)", z = "x < -2 ? 0.3 : 0" }
boundary = { left = { discharge = 0.5 }, right = { level = -0.05 }, top = { radiation = 0 } }
time = { end = 10, max_steps = 25 }
output = { format = [], conservation_every = 5 }
`

// setting is one way to run a case.
type setting struct {
	ranks, threads           int
	cut, order, scheme, prec string
	open                     func(t testing.TB, n int) []dist.Comm
}

func (s setting) String() string {
	return fmt.Sprintf("%d ranks, %s parts, %s order, %d threads", s.ranks, s.cut, s.order, s.threads)
}

// run runs a case and returns rank 0's summary.
func (s setting) run(t testing.TB, text string) *summary.Summary {
	t.Helper()
	sums, err := s.try(t, text)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return sums
}

func (s setting) try(t testing.TB, text string) (*summary.Summary, error) {
	c, err := solvers.Parse("case.toml", []byte(text), []string{
		"mesh.order=" + s.order, "mesh.partition=" + s.cut, "physics.scheme=" + s.scheme, "physics.precision=" + s.prec,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	comms := s.open(t, s.ranks)
	dir := t.TempDir()
	results := make([]*summary.Summary, s.ranks)
	errs := make([]error, s.ranks)
	var wg sync.WaitGroup
	for rank, comm := range comms {
		wg.Go(func() {
			dev := cpu.New(s.threads)
			defer dev.Close()
			results[rank], errs[rank] = Run(ctx, Options{Case: c, Comm: comm, Device: dev, Dir: dir})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	return results[0], errors.Join(errs...)
}

func openLocal(_ testing.TB, n int) []dist.Comm { return local.New(n) }

// openDelayed reorders and delays messages.
func openDelayed(_ testing.TB, n int) []dist.Comm {
	return local.New(n, local.Delay(uint64(n), 200*time.Microsecond))
}

// openGRPC joins ranks over unix sockets.
func openGRPC(t testing.TB, n int) []dist.Comm {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	dir := t.TempDir()
	comms, errs := make([]dist.Comm, n), make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		wg.Go(func() {
			comms[rank], errs[rank] = grpc.Join(ctx, grpc.Config{
				Rank: rank, Size: n, Coordinator: "unix:" + filepath.Join(dir, "c.sock"), BuildID: "test", CaseHash: "test",
			})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return comms
}

// TestSameBits is contract C1: a case has one answer, however it is run.
func TestSameBits(t *testing.T) {
	cuts, orders := []string{"hilbert", "rcb", "random"}, []string{"natural", "rcm", "gps", "hilbert", "random"}
	second := strings.NewReplacer("physics = { ", "physics = { order = 2, ")
	for name, text := range map[string]string{
		"wet": wet, "dry": dry, "given second": given, "wet second": second.Replace(wet), "dry second": second.Replace(dry),
	} {
		for _, scheme := range []string{"roe", "ir-roe", "pvm-ifcp"} {
			for _, prec := range []string{"float64", "float32"} {
				if strings.HasSuffix(name, "second") && (scheme == "ir-roe") != (prec == "float32") {
					continue // what differs between schemes and between precisions is in the cases of first order
				}
				t.Run(name+"/"+scheme+"/"+prec, func(t *testing.T) {
					t.Parallel()
					plain := setting{1, 1, "hilbert", "natural", scheme, prec, openLocal}
					want := plain.run(t, text)
					same := func(s setting, transport string) {
						t.Helper()
						s.scheme, s.prec = scheme, prec
						got := s.run(t, text)
						if got.StateSHA256 != want.StateSHA256 {
							t.Errorf("%v over %s: state %.12s…, on one rank %.12s…", s, transport, got.StateSHA256, want.StateSHA256)
						}
						for key, v := range want.Metrics {
							if got.Metrics[key] != v {
								t.Errorf("%v over %s: %s = %v, on one rank %v", s, transport, key, got.Metrics[key], v)
							}
						}
					}
					for _, ranks := range []int{1, 2, 3, 4, 7} {
						for i, cut := range cuts {
							for j, order := range orders {
								for _, threads := range []int{1, 2} {
									if (i+j+threads)%3 == 0 || prec == "float64" {
										same(setting{ranks: ranks, threads: threads, cut: cut, order: order, open: openLocal}, "local")
									}
								}
							}
							over := setting{ranks: ranks, threads: 1 + i%2, cut: cut, order: orders[(ranks+i)%len(orders)], open: openGRPC}
							same(over, "grpc")
						}
					}
					same(setting{ranks: 4, threads: 1, cut: "random", order: "rcm", open: openDelayed}, "delayed local")
				})
			}
		}
	}
}

// TestDryCoversTheShore makes sure that the case named dry is worth its name.
func TestDryCoversTheShore(t *testing.T) {
	s := setting{1, 1, "hilbert", "rcm", "pvm-ifcp", "float64", openLocal}.run(t, dry)
	if s.Metrics["h1_min"] != 0 || s.Metrics["h2_min"] != 0 || s.Metrics["limited_fluxes"] == 0 {
		t.Errorf("no shore: metrics %v", s.Metrics)
	}
}
