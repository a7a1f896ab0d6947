package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// pooledGPU is a GPU that Close returns to a pool, since opening one takes long.
type pooledGPU struct {
	*cuda.Device
	pool chan *cuda.Device
}

func (l pooledGPU) Close() { l.pool <- l.Device }

// gpuSettings returns a function that makes settings on up to `most` ranks that share a GPU. It skips the test
// without a GPU.
func gpuSettings(t *testing.T, most int) func(ranks int) setting {
	t.Helper()
	free := make(chan *cuda.Device, most)
	for range most {
		dev, err := cuda.Open(cuda.Options{})
		if err != nil {
			t.Skipf("NOT TESTED: no GPU to smooth on: %v", err)
		}
		t.Cleanup(dev.Close)
		free <- dev
	}
	return func(ranks int) setting {
		s := defaultSetting()
		s.ranks, s.cut, s.layout.Deep = ranks, partition.RandomCut, true
		s.device = func() backend.Device { return pooledGPU{<-free, free} }
		return s
	}
}

// TestBarrierOnGPU proves that the meshes of TestBarrierDoesNoHarm have the host's bits on a GPU, on one rank and on
// five.
func TestBarrierOnGPU(t *testing.T) {
	gpu := gpuSettings(t, 5)
	for n := range meshCount(t) {
		m, metric, s := testCase(t, n)
		cfg := Config{Smoother: "barrier", Guard: "none", Rescale: true}
		run := func(s setting) outcome {
			_, after := runBarrier(t, s, func(f func(dist.Comm, *Solver) error) error {
				return s.onEachRank(t, m, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
					return f(c,
						solver)
				})
			})
			return after
		}
		want := outcome{}
		for k, ranks := range []int{1, 5} {
			on := gpu(ranks)
			on.precision, on.layout.Colouring = s.precision, s.layout.Colouring
			if k == 0 {
				want = run(s)
			}
			if got := run(on); got != want {
				t.Errorf("mesh %d: %+v on %d ranks on a GPU, on the host %+v", n, got, ranks, want)
			}
		}
	}
}

// TestBarrierSolidOnGPU is the same for tetrahedra.
func TestBarrierSolidOnGPU(t *testing.T) {
	gpu := gpuSettings(t, 5)
	for n := range meshCount(t) {
		m, metric, s := testSolidCase(t, n)
		_, want := s.runBarrierSolid(t, m, metric)
		for _, ranks := range []int{1, 5} {
			on := gpu(ranks)
			on.precision, on.layout.Colouring = s.precision, s.layout.Colouring
			if _, got := on.runBarrierSolid(t, m, metric); got != want {
				t.Errorf("mesh %d: %+v on %d ranks on a GPU, on the host %+v", n, got, ranks, want)
			}
		}
	}
}

// TestCurvedOnGPU proves that curved boundaries have the host's bits on a GPU.
func TestCurvedOnGPU(t *testing.T) {
	gpu := gpuSettings(t, 3)
	for _, ranks := range []int{1, 3} {
		s, host := gpu(ranks), defaultSetting()
		s.layout.Ridge, host.layout.Ridge = 45, 45
		m, b := smoothtest.Disc(t, 300, 3), ball(t)
		if got, want := s.smoothToEnd(t, m, nil), host.smoothToEnd(t, m, nil); got.outcome != want.outcome {
			t.Errorf("disc: %+v on a GPU, on the host %+v", got.outcome, want.outcome)
		}
		if got, want := s.smoothToEnd(t, nil, b), host.smoothToEnd(t, nil, b); got.outcome != want.outcome {
			t.Errorf("ball: %+v on a GPU, on the host %+v", got.outcome, want.outcome)
		}
	}
}
