package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/soil"
)

// at returns the value of a series at a time.
func at(rows []Row, t float64) float64 {
	value := rows[0].Value
	for k, r := range rows {
		if r.T <= t {
			value = r.Value
		} else if k > 0 {
			return value + (r.Value-value)*(t-rows[k-1].T)/(r.T-rows[k-1].T)
		}
	}
	return value
}

// meanOf returns the mean of a series over a time, to 1e-4, and the largest of its values until another time.
func meanOf(rows []Row, from, to, until float64) (mean, largest float64) {
	const pieces = 100000
	for k := range pieces {
		mean += at(rows, from+(to-from)*(float64(k)+.5)/pieces) / pieces
	}
	largest = max(at(rows, from), at(rows, min(until, 1e9)))
	for _, r := range rows {
		if r.T > from && r.T <= until {
			largest = max(largest, r.Value)
		}
	}
	return mean, largest
}

// parityOfSeries compares the kernel that evaluates series, for every initial row, and its values, means and largest
// values with those of the rows: between rows, at jumps, over several rows, and beyond the last one.
func parityOfSeries[F num.Float](t *testing.T, l cudatest.Runner) {
	all := [][]Row{{{0, 1}, {.5, 3}, {2, -1}}, {{0, 7}, {1, 7}, {1, 2}, {4, 9}}, {{0, 0}, {1.25, 0}, {1.26, 5}, {1.27, 0}}}
	var rows []Row
	var list []Series
	for _, r := range all {
		for _, mean := range []bool{false, true} {
			list = append(list, Series{Slot: int32(len(list)), First: int32(len(rows)), Count: int32(len(r)), Mean: mean})
		}
		rows = append(rows, r...)
	}
	rain, limit := 3, len(list) // the series and the element for the longest step that it allows
	list[rain].Limit, list[rain].Longest = int32(limit), 2
	for _, c := range []struct{ from, dt float64 }{{0, 0}, {.25, .5}, {1, .125}, {1.125, .25}, {0, 8}, {9, 1}, {.5, .5}} {
		for _, later := range []bool{false, true} {
			clock := Clock[F]{Time: c.from, Dt: F(c.dt), Limit: F(c.dt), Until: 99}
			var steps atomics.Least[F]
			for first := range int32(3) {
				var now, ahead [2][]F
				var lists [2][]Series
				run := func(k int) loop {
					now[k], ahead[k], lists[k] = make([]F, limit), make([]F, limit+1), append([]Series(nil), list...)
					for n := range lists[k] {
						lists[k][n].At = first
					}
					return NewEvaluateSeriesLoop(later, &clock, &steps, rows, lists[k], now[k], ahead[k])
				}
				run(0).Range(0, len(list))
				l.Run(t, run(1), 0, len(list))
				kerneltest.Same(t, "series", now[0], now[1], nil)
				kerneltest.Same(t, "series ahead", ahead[0], ahead[1], nil)
				kerneltest.Same(t, "series' rows", lists[0], lists[1], nil)
				for n, s := range list {
					until := c.from + 7*c.dt
					if c.dt == 0 {
						until = math.Inf(1)
					}
					want, largest := meanOf(all[n/2], c.from, c.from+c.dt, until)
					if !s.Mean && later {
						want = at(all[n/2], c.from+c.dt)
					} else if !s.Mean || c.dt == 0 {
						want = at(all[n/2], c.from)
					}
					total := 0.0
					if !later {
						total = c.dt * want
					}
					off := max(math.Abs(float64(now[0][n])-want), math.Abs(lists[0][n].Total-total)/max(c.dt, 1))
					if off > 1e-3 || math.Abs(float64(ahead[0][n])-largest) > 1e-6 {
						t.Errorf("series %d, %+v, later %v: %g, total %g, ahead %g, want %g and %g", n, c, later, now[0][n],
							lists[0][n].Total, ahead[0][n], want, largest)
					}
					if longest := LongestInRain(2, ahead[0][rain]); n == rain && ahead[0][limit] != longest {
						t.Errorf("%+v: the longest step in a rain of %g is %g, want %g", c, ahead[0][rain], ahead[0][limit], longest)
					}
				}
			}
		}
	}
}

// parityOfLosses compares the models of infiltration on random cells, with and without earlier losses.
func parityOfLosses[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, p *Params[F], m *Mesh[F],
	w []State[F], manning []F) {
	n := len(w)
	for _, model := range []soil.Model{soil.GreenAmpt, soil.InitialContinuing, soil.CurveNumber, soil.Horton} {
		var out [2][]State[F]
		var forces [2]*Forcing[F]
		var least [2]atomics.Least[F]
		for k := range forces {
			out[k] = make([]State[F], n)
			now := []F{0, .5, .1}
			forces[k] = &Forcing[F]{Prescribed: now, Ahead: now, Limit: 1, LongestOnDry: 2, Rain: 1, Evaporation: 2,
				Model: model, Lost: make([]Lost, n)}
		}
		for i := range n {
			ground := soil.Soil[F]{Rate: F(rng.Float64()), Depth: F(.1 * rng.Float64()), Deficit: F(rng.Float64()),
				Scale: F(rng.Float64())}
			lost := Lost{Infiltrated: rng.Float64(), Fallen: .1 * rng.Float64()}
			if rng.IntN(3) == 0 {
				ground.Rate = 0
			}
			if rng.IntN(3) == 0 {
				lost = Lost{}
			}
			for _, f := range forces {
				f.Soil, f.Lost[i] = append(f.Soil, ground), lost
			}
		}
		if model == soil.CurveNumber {
			moving(rng, n, forces[0])
			forces[1].Air = forces[0].Air
		}
		clock, lower := &Clock[F]{Dt: .05}, make([]Flux[F], n)
		run := func(k int) loop {
			return NewUpdateCellLoop(true, p, m, clock, w, lower, nil, manning, forces[k], out[k], &least[k])
		}
		run(0).Range(0, n)
		l.Run(t, run(1), 0, n)
		kerneltest.Same(t, "state after losses", out[0], out[1], nil)
		kerneltest.Same(t, "losses of soil", forces[0].Lost, forces[1].Lost, nil)
	}
}

// shallows returns a roughness of shallow water, or in one of three cases none.
func shallows[F num.Float](rng *rand.Rand) (s rough.Shallows[F]) {
	if rng.IntN(3) > 0 {
		s.N, s.Below = F(.01+.2*rng.Float64()), F(.1*rng.Float64())
		s.Deep = s.Below + F(rng.IntN(2))*F(rng.Float64())
	}
	return s
}

// boundaryOf returns a boundary with a condition of each kind, without outlets.
func boundaryOf[F num.Float]() Boundary[F] {
	return Boundary[F]{Prescribed: []F{0, 1, 2, .5, .1}, Ahead: []F{0, 2, 2, .5, 1}, Conditions: []Condition{
		{Kind: Level, Value: 1}, {Kind: Discharge, Value: 2}, {Kind: Radiation, Value: 3}, {},
		{Kind: Radiation, Value: 3, Wave: 4}, {Kind: NormalDepth, Value: 4}, {Kind: Critical}, {Kind: Rating, Count: 3},
		{Kind: TotalDischarge, Value: 1, First: 3, Count: 2}, {Kind: Torrent, Value: 1, Wave: 4},
		{Kind: TotalTorrent, Value: 1, Wave: 3, First: 3, Count: 2},
	}, Curves: []Row{{-1, 0}, {0, 2}, {3, 30}, {0, -2}, {1, .5}}, Conveyances: []F{1, 2, 0, 4},
		Sums: []F{0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 7}}
}

// parityOfConveyances compares the kernels that distribute discharges.
func parityOfConveyances[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, m *Mesh[F], w []State[F]) {
	var shares []Share[F]
	var b [2]Boundary[F]
	list := []Distribution{{7, 0, 40}, {8, 40, 1}, {10, 41, 0}}
	for k := range b {
		b[k] = boundaryOf[F]()
		b[k].Conveyances = make([]F, 100)
	}
	for k := range 100 {
		for n := range b {
			b[n].ConditionOf = append(b[n].ConditionOf, []int32{7, 8, 10}[k%3])
			b[n].Outlets = append(b[n].Outlets, Outlet[F]{Position: int32(k)})
		}
		shares = append(shares, Share[F]{Outlet: int32(k), Cell: int32(rng.IntN(len(w))), Bed: F(rng.NormFloat64()),
			Width: F(rng.Float64()), Shallows: shallows[F](rng)})
	}
	run := func(k int) loop { return NewConveyLoop(shares, &b[k], w) }
	run(0).Range(0, 100)
	l.Run(t, run(1), 0, 100)
	kerneltest.Same(t, "conveyances", b[0].Conveyances, b[1].Conveyances, nil)
	sum := func(k int) loop { return NewSumConveyancesLoop(list, &b[k]) }
	sum(0).Range(0, len(list))
	l.Run(t, sum(1), 0, len(list))
	kerneltest.Same(t, "sums of conveyances", b[0].Sums, b[1].Sums, nil)
	if b[0].Sums[8] != b[0].Conveyances[40] || b[0].Sums[7] <= b[0].Conveyances[0] || b[0].Sums[10] != 0 {
		t.Errorf("sums %v", b[0].Sums)
	}
}
