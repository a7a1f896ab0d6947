package shallow

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// initialWater returns the initial state of water at rest at a position: depth of the bed, thicknesses.
type initialWater func(x, y float64) (depth, h1, h2 float64)

func initialOf(p *mesh.Part, f initialWater) Initial {
	zero := func() []float64 { return make([]float64, len(p.Cells)) }
	in := Initial{Depth: zero(), H1: zero(), U1: zero(), V1: zero(), H2: zero(), U2: zero(), V2: zero()}
	manning := zero()
	in.Coefficients = coefficients.Values{coefficients.Manning: manning}
	for i := range p.Cells {
		x, y := p.Centroid(i)
		in.Depth[i], in.H1[i], in.H2[i] = f(x, y)
		manning[i] = .02
	}
	return in
}

func config(scheme string) Config {
	return Config{Scheme: scheme, Gravity: 9.81, DensityRatio: .9, CFL: .9, EntropyFix: .05, DryDepth: 1e-3,
		Boundary: make([]bool, 4)}
}

// configs returns the configurations of all schemes at both orders.
func configs() (all []Config) {
	for _, order := range []int{1, 2} {
		for _, scheme := range schemeNames {
			c := config(scheme)
			c.Order = order
			all = append(all, c)
		}
	}
	return all
}

// onRanks sets up a solver on every rank over a square of side 10 and calls f with it.
func onRanks(t testing.TB, ranks, cells int, precision string, cfg Config, water initialWater,
	f func(c dist.Comm, p *mesh.Part, s *Solver) error) error {
	t.Helper()
	return onDevices(t, func(dist.Comm) backend.Device { return cpu.New(1) }, "", ranks, cells, precision, cfg, water, f)
}

func onDevices(t testing.TB, device func(dist.Comm) backend.Device, exchanger string, ranks, cells int,
	precision string, cfg Config, water initialWater, f func(c dist.Comm, p *mesh.Part, s *Solver) error) error {
	t.Helper()
	m, err := mesh.Rectangle(-5, -5, 5, 5, cells, 7)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: ranks, Order: "rcm", Method: "hilbert"})
	if err != nil {
		t.Fatal(err)
	}
	comms := local.New(ranks)
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	err = d.Each(func(r int, p *mesh.Part, plan *halo.Plan) error {
		wg.Go(func() {
			dev := device(comms[r])
			defer dev.Close()
			s, err := New(context.Background(), solvers.Env{Comm: comms[r], Device: dev, Halo: exchanger}, precision, cfg,
				Setting{Part: p, Plan: plan, Initial: initialOf(p, water)})
			if err == nil {
				err = f(comms[r], p, s)
				s.Close()
			}
			errs[r] = errors.Join(err, comms[r].Close())
		})
		return nil
	})
	wg.Wait()
	return errors.Join(append(errs, err)...)
}

// dam is a dam break over a bump that falls dry beyond the end of the upper layer.
func dam(x, y float64) (depth, h1, h2 float64) {
	depth = 1 - 1.2*math.Exp(-x*x-y*y)
	if x < 0 {
		return depth, 1, math.Max(0, depth+.5)
	}
	return depth, 0, math.Max(0, depth-.5)
}
