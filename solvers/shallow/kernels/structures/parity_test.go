package structures

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

// TestParity compares the kernels with their translation to CUDA C, bit by bit, on random structures.
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

// data are structures between random cells.
type data[F num.Float] struct {
	list              []Structure
	rules             []Rule
	rows              []kernels.Row
	places            []Place
	spots             []Spot
	probes            []Probe
	beds              []kernels.Bed[F]
	w                 []kernels.State[F]
	readings          []float64
	prescribed, ahead []F
	clock             kernels.Clock[F]
	limit, next       atomics.Least[F]
	operations        []Operation
	on                []float64
	moved             []Moved
}

const cells, count = 200, 300

func newData[F num.Float]() *data[F] {
	rng := rand.New(rand.NewPCG(3, 4))
	d := &data[F]{readings: make([]float64, 8*count), clock: kernels.Clock[F]{Dt: .25, Limit: .25, Until: 9},
		operations: make([]Operation, count)}
	d.limit.Take(.25)
	for k := range 20 {
		d.rows = append(d.rows, kernels.Row{T: float64(k) * .2, Value: float64(k) * rng.Float64()})
	}
	for range cells {
		d.beds = append(d.beds, kernels.Bed[F]{Depth: F(rng.NormFloat64()), Area: F(1 + rng.Float64())})
		d.w = append(d.w, kernels.State[F]{H2: F(max(0, rng.NormFloat64())), Q2x: F(rng.NormFloat64()),
			Q2y: F(rng.NormFloat64())})
		d.prescribed = append(d.prescribed, F(rng.NormFloat64()))
		d.ahead = append(d.ahead, F(rng.NormFloat64()))
	}
	for k := range count {
		area := func() float64 { return 1 + rng.Float64() }
		s := Structure{Kind: int32(rng.IntN(5)), Value: int32(rng.IntN(cells)), Length: int32(rng.IntN(cells)),
			From: End{First: int32(4 * k), Count: int32(rng.IntN(2)), Users: 3, Lowest: -3, Area: area()},
			To:   End{First: int32(4*k + 2), Count: 1, Users: 2, Lowest: -3, Area: area()}, InvertFrom: -1, InvertTo: -1.5,
			Loss: .05, Height: 1, Deck: rng.NormFloat64(),
			Crest: rng.NormFloat64(), Barrels: 2, OneWay: rng.IntN(2) == 0, Start: .1, Ruled: rng.IntN(2) == 0,
			Rule: int32(len(d.rules)), Rules: int32(rng.IntN(3)), Travel: float64(rng.IntN(2)), Jet: 4, Span: .9,
			Contraction: .6, FromMotion: int32(4 * (count + k)), ToMotion: int32(4*(count+k) + 2), X: .6, Y: -.8}
		for _, t := range []*Table{&s.Inlet, &s.Critical, &s.Flow, &s.Friction, &s.Bottom, &s.Width} {
			*t = Table{First: int32(rng.IntN(10)), Count: 10}
		}
		d.list = append(d.list, s)
		for range s.Rules {
			r := Rule{Watched: s.To, Flow: rng.IntN(4) == 0, Start: rng.NormFloat64(), Stop: rng.NormFloat64()}
			if rng.IntN(2) == 0 {
				r.Against = s.From
			}
			if rng.IntN(3) == 0 {
				r.Table = s.Inlet
			}
			d.rules, d.on = append(d.rules, r), append(d.on, float64(rng.IntN(2)))
		}
		for end := range 2 {
			p := Place{Cell: int32(rng.IntN(cells)), Structure: int32(k), Reading: int32(4*k + 2*end), To: end == 1}
			d.places = append(d.places, p)
			d.probes = append(d.probes, Probe{Cell: p.Cell, Reading: p.Reading, Lowest: -3, X: float64(rng.IntN(2))},
				Probe{Cell: p.Cell, Reading: 4*count + p.Reading, X: .6, Y: -.8, Motion: true})
		}
	}
	slices.SortStableFunc(d.places, func(a, b Place) int { return int(a.Cell - b.Cell) })
	for n, p := range d.places {
		if last := len(d.spots) - 1; last >= 0 && d.spots[last].Cell == p.Cell {
			d.spots[last].Count++
			continue
		}
		d.spots = append(d.spots, Spot{Cell: p.Cell, First: int32(n), Count: 1, Way: rng.Float64()})
	}
	d.moved = make([]Moved, len(d.places))
	return d
}

func parity[F num.Float](t *testing.T, r cudatest.Runner) {
	one, other := newData[F](), newData[F]()
	for _, c := range []struct {
		name  string
		count int
		make  func(d *data[F]) loop
	}{
		{"read", 4 * count, func(d *data[F]) loop { return NewReadLoop(d.probes, d.beds, d.w, d.readings) }},
		{"operate", count, func(d *data[F]) loop {
			return NewOperateLoop(d.list, d.rules, d.rows, d.readings, d.prescribed, d.ahead, &d.clock, &d.limit, d.operations,
				d.on)
		}},
		{"transfer", len(one.spots), func(d *data[F]) loop {
			return NewTransferLoop(d.spots, d.places, d.list, d.operations, d.readings, 9.81, d.beds, &d.clock, &d.limit,
				&d.next, d.w, d.moved)
		}},
	} {
		c.make(one).Range(0, c.count)
		r.Run(t, c.make(other), 0, c.count)
		kerneltest.Same(t, c.name, one.numbers(), other.numbers(), nil)
		if !slices.Equal(one.w, other.w) || one.next.Value() != other.next.Value() {
			t.Errorf("%s: the states or the limits of the next step differ", c.name)
		}
	}
	moved := 0
	for _, m := range one.moved {
		if m.Volume != 0 {
			moved++
		}
	}
	if moved < count/4 {
		t.Errorf("water moved in only %d places", moved)
	}
}

func (d *data[F]) numbers() (all []float64) {
	all = append(slices.Clone(d.readings), d.on...)
	for _, o := range d.operations {
		all = append(all, o.Discharge, o.Ahead, o.Total, o.On, o.Since, o.Share, o.Setting, o.Speed)
	}
	for _, m := range d.moved {
		all = append(all, m.Volume, m.Pending)
	}
	return all
}
