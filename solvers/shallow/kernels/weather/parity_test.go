package weather

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
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
	courses           []Course[F]
	raised            []Raised
	vectors           [3][]air.Vector[F]
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
	for k, second := range []float64{.1, .25, .3, 0} { // before, at and after the end of the step, which is at .25
		d.courses = append(d.courses, Course[F]{First: -1, Second: second, Third: second + .2, Longest: 2, At: int32(2 * k)})
	}
	d.courses[3].Third = 0 // the last one of a field
	for k := range 60 {
		d.raised = append(d.raised, Raised{Level: int32(rng.IntN(8)), To: int32(8 + k)})
		d.prescribed, d.ahead = append(d.prescribed, 0), append(d.ahead, 0)
		for n := range d.vectors {
			d.vectors[n] = append(d.vectors[n], air.Vector[F]{X: number(), Y: number()})
		}
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
		{"share", 4, func(d *data[F]) loop {
			return NewShareLoop(d.courses, &d.clock, &d.limit, d.prescribed, &d.next)
		}},
		{"raise", len(one.raised), func(d *data[F]) loop {
			return NewRaiseLoop(d.raised, 2, d.vectors[0], d.vectors[1], d.vectors[2], d.prescribed, d.ahead)
		}},
	} {
		c.make(one).Range(0, c.count)
		r.Run(t, c.make(other), 0, c.count)
		if !slices.Equal(one.rain, other.rain) || !slices.Equal(one.prescribed, other.prescribed) ||
			!slices.Equal(one.ahead, other.ahead) ||
			one.next.Value() != other.next.Value() {
			t.Errorf("%s: the results differ", c.name)
		}
	}
	start := newData[F]()
	kerneltest.Same(t, "rain", []float64{float64(one.rain[0])},
		[]float64{float64(start.prescribed[3]*start.rains[0][0] + start.prescribed[7]*start.rains[1][0])}, nil)
}

// TestShares: the share of a change is the mean over the step of its part at each time.
func TestShares(t *testing.T) {
	const pieces = 1000
	for _, c := range []struct{ begin, end, low, high float64 }{{0, 1, 2, 3}, {0, 1, 0, 4}, {0, 1, .5, .75}, {0, 1, -1, 0},
		{0, 1, -1, .5}, {0, 1, .5, 2}, {1, 1, 0, 4}, {0, 1, 1, 1}} {
		want := 0.0
		for k := range pieces {
			at := c.begin + (float64(k)+.5)/pieces*(c.end-c.begin)
			if c.high > c.low {
				want += max(0, min(1, (at-c.low)/(c.high-c.low))) / pieces
			}
		}
		if got := rise(c.begin, c.end, c.low, c.high); math.Abs(got-want) > 1e-6 {
			t.Errorf("%+v: %g, want %g", c, got, want)
		}
	}
}
