package weather

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// TestParity compares the kernels with their translation to CUDA C, bit by bit, on random fields.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		parity[float64](t, r)
		parity[float32](t, r)
	})
}

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

const cells = 300

type data[F num.Float] struct {
	prescribed, ahead []F
	rains             [2][]F
	rain              []F
	bounds            []Bound[F]
	clock             kernels.Clock[F]
	limit, next       atomics.Least[F]
}

func newData[F num.Float]() *data[F] {
	rng := rand.New(rand.NewPCG(5, 6))
	number := func() F { return F(rng.NormFloat64()) }
	d := &data[F]{clock: kernels.Clock[F]{Dt: .25, Limit: .25, Until: 9}, rain: make([]F, cells)}
	d.limit.Take(.25)
	for range 8 {
		d.prescribed, d.ahead = append(d.prescribed, number()), append(d.ahead, number())
		d.bounds = append(d.bounds, Bound[F]{Weight: int32(rng.IntN(9)) - 1, Length: 1 + number()*number()})
	}
	for range cells {
		for k := range d.rains {
			d.rains[k] = append(d.rains[k], number())
		}
	}
	return d
}

func parity[F num.Float](t *testing.T, r cudatest.Runner) {
	one, other := newData[F](), newData[F]()
	weights := Weights{First: 3, Second: 7}
	for _, c := range []struct {
		name  string
		count int
		make  func(d *data[F]) loop
	}{
		{"rain", cells, func(d *data[F]) loop {
			return NewRainLoop(weights, d.prescribed, d.rains[0], d.rains[1], d.rain)
		}},
		{"limit", 8, func(d *data[F]) loop { return NewLimitLoop(d.bounds, d.ahead, &d.clock, &d.limit, &d.next) }},
	} {
		c.make(one).Range(0, c.count)
		r.Run(t, c.make(other), 0, c.count)
		if !slices.Equal(one.rain, other.rain) || one.next.Value() != other.next.Value() {
			t.Errorf("%s: the results differ", c.name)
		}
	}
	kerneltest.Same(t, "rain", []float64{float64(one.rain[0])},
		[]float64{float64(one.prescribed[3]*one.rains[0][0] + one.prescribed[7]*one.rains[1][0])}, nil)
}
