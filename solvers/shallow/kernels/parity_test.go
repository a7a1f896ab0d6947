package kernels_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/local"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/wet"
)

type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// TestParity compares the kernels with their translation to CUDA C bit by bit on random edges and cells: wet and dry,
// boundaries, friction.
func TestParity(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { parity[float32](t, r, 3e-4) })
		t.Run("float64", func(t *testing.T) { parity[float64](t, r, 1e-8) })
	})
}

// localSteps are steps of three lengths for n cells, or none.
func localSteps[F num.Float](n int, some bool) (s local.Steps[F]) {
	if some {
		s.Of, s.Longest = make([]F, n), make([]F, n)
		for i := range s.Of {
			s.Of[i] = F([]float64{1, .25, .5}[i%3])
		}
	}
	return s
}

// allSchemes are all schemes by name.
var allSchemes = map[string]Scheme{"PVM": PVM, "IRRoe": IRRoe, "Roe": Roe, "OneLayer": OneLayer}

func parity[F num.Float](t *testing.T, l cudatest.Runner, tol F) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 10000
	m := &Mesh[F]{Owned: int32(n - 100), Boundary: boundaryOf[F]()}
	m.FluxAt, m.SlopesAt = permutation(rng, n), permutation(rng, n)
	w := make([]State[F], n)
	manning := make([]F, n)
	some := func() F {
		switch rng.IntN(12) {
		case 0:
			return 0
		case 1:
			return F(1e-7 * rng.Float64())
		case 2:
			return F(1e-5 * rng.Float64())
		}
		return F(5 * rng.Float64())
	}
	for i := range n {
		m.Beds = append(m.Beds, Bed[F]{Depth: F(6 * rng.Float64()), Area: F(.01 + rng.Float64())})
		m.CellEdges = append(m.CellEdges, CellEdges{[3]int32{int32(rng.IntN(n)), ^int32(rng.IntN(n)), int32(i)}})
		w[i] = State[F]{some(), F(rng.NormFloat64()), F(rng.NormFloat64()), some(), F(rng.NormFloat64()),
			F(rng.NormFloat64())}
		right := int32(rng.IntN(n))
		if rng.IntN(10) == 0 {
			right = Wall
			if rng.IntN(5) > 0 {
				right = FirstOutlet - int32(len(m.Boundary.ConditionOf))
				m.Boundary.ConditionOf = append(m.Boundary.ConditionOf, int32(rng.IntN(len(m.Boundary.Conditions))))
				m.Boundary.Outlets = append(m.Boundary.Outlets, Outlet[F]{Slope: F(.1 * rng.NormFloat64()),
					Fall: F(.1 * rng.NormFloat64()), Rise: F(rng.NormFloat64()), Manning: F(.01 + .05*rng.Float64()),
					Position: int32(rng.IntN(len(m.Boundary.Conveyances))), Shallows: shallows[F](rng)})
			}
		}
		c := rng.Float64()
		m.EdgeCells = append(m.EdgeCells, EdgeCells{int32(i), right})
		m.Normals = append(m.Normals, Normal[F]{X: F(c), Y: F(1 - c), Length: F(rng.Float64())})
		manning[i] = F(.05 * rng.Float64())
	}
	p := &Params[F]{Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-6, Tolerance: tol,
		Hyperbolic: true, Friction: true, Forced: true, Rotation: 1e-4}
	m.Boundary.Passed = make([]Passed, len(m.Boundary.ConditionOf))
	other := *m // with its own volumes passed through outlets, for the translation
	other.Boundary.Passed = make([]Passed, len(m.Boundary.ConditionOf))
	meshes := [2]*Mesh[F]{m, &other}
	forces := forcings(rng, n, m.Boundary.Prescribed)
	clock := &Clock[F]{Dt: 1e-2}
	flux := [2][2][]Flux[F]{ofBothLayers[F](n), ofBothLayers[F](n)}
	var counters [2]Counters
	for name, scheme := range allSchemes {
		for k := range meshes {
			meshes[k].Local = localSteps[F](n, scheme == IRRoe || scheme == OneLayer)
		}
		run := func(k int) loop {
			return NewEdgeFluxLoop(scheme, p, meshes[k], clock, w, flux[k][0], flux[k][1], &counters[k])
		}
		run(0).Range(0, n)
		l.Run(t, run(1), 0, n)
		kerneltest.Same(t, name, flux[0][0], flux[1][0], nil)
		kerneltest.Same(t, name+", upper layer", flux[0][1], flux[1][1], nil)
		kerneltest.Same(t, name+" outlets", m.Boundary.Passed, other.Boundary.Passed, nil)
		kerneltest.Same(t, name+" counters", counters[:1], counters[1:], nil)
		for _, clock.Dt = range []F{0, 1e-2} {
			// With 0 no state becomes invalid, so that the minimum over the cells is not NaN.
			out := [2][]State[F]{make([]State[F], n), make([]State[F], n)}
			var least [2]atomics.Least[F]
			up := func(k int) loop {
				return NewUpdateCellLoop(scheme == OneLayer, p, meshes[k], clock, w, flux[k][0], flux[k][1], manning, forces[k],
					out[k], &least[k])
			}
			up(0).Range(0, n)
			l.Run(t, up(1), 0, n)
			kerneltest.Same(t, name+" update", out[0], out[1], nil)
			kerneltest.Same(t, name+" losses", forces[0].Lost, forces[1].Lost, nil)
			kerneltest.Same(t, name+" limits of cells", m.Local.Longest, other.Local.Longest, nil)
			if least[0] != least[1] {
				t.Errorf("%s: the longest step is %v in Go, %v translated", name, least[0].Value(), least[1].Value())
			}
			if dt := least[0].Value(); clock.Dt == 0 && !(dt > 0) {
				t.Errorf("%s: the longest step is %v", name, dt)
			}
		}
		clock.Dt = 1e-2
	}
	makeStencils(rng, m, n)
	for _, oneLayer := range []bool{false, true} {
		// The stages that run by tiles add losses only to forces[0]: make both copies equal again.
		copy(forces[1].Lost, forces[0].Lost)
		m.Local = localSteps[F](n, oneLayer)
		if oneLayer {
			moving(rng, n, forces[0])
			forces[1].Air = forces[0].Air
		}
		parityOfSlopes(t, l, rng, oneLayer, p, m, w, manning, forces)
	}
	parityOfSeries[F](t, l)
	parityOfConveyances(t, l, rng, m, w)
	parityOfLosses(t, l, rng, p, m, w, manning)
	parityOfUplift(t, l, rng, m)
	parityOfSurvey(t, l, p, m.Beds, w)
	tiles := tiled(rng, m)
	type parts struct {
		clock, next    [1]Clock[F]
		limit, cleared atomics.Least[F] // limit of the step; minimum that the step clears for a later one
		out            []State[F]
		least          atomics.Least[F]
	}
	for name, scheme := range allSchemes {
		keep := false
		peaks := [2]Peaks{peaksOf(n, false), peaksOf(n, false)}
		run := func(k int, x *parts) loop {
			return NewTileStepLoop(scheme, keep, p, tiles, &x.clock[0], &x.next[0], &x.limit, &x.cleared, w, manning, forces[0],
				&peaks[k], x.out, &counters[k], &x.least)
		}
		for _, c := range []Clock[F]{{}, {Dt: 1e-2}, {Dt: 1e-2, Stop: true},
			{Limit: 1e-2, Dt: 1e-2, LastDt: 2e-2, Until: 1, Pending: true}} {
			p.Lag, keep = !p.Lag, !keep
			var x [2]parts
			for k := range x {
				x[k].clock[0], x[k].out = c, make([]State[F], n)
				x[k].limit.Take(2e-3)
				x[k].cleared.Take(1)
			}
			run(0, &x[0]).Range(0, len(tiles.Tiles)-1)
			l.Run(t, run(1, &x[1]), 0, len(tiles.Tiles)-1)
			kerneltest.Same(t, name, x[0].out, x[1].out, nil)
			kerneltest.Same(t, name+" counters", counters[:1], counters[1:], nil)
			kerneltest.Same(t, name+" clock", x[0].next[:], x[1].next[:], nil)
			samePeaks(t, name, peaks)
			if x[0].least != x[1].least || x[0].cleared != x[1].cleared {
				t.Errorf("%s: the longest step is %v in Go, %v translated", name, x[0].least.Value(), x[1].least.Value())
			}
			if empty := x[0].out[0] == (State[F]{}); empty != c.Stop || x[0].next[0].Pending == c.Stop {
				t.Errorf("%s: stopped is %v, the state of cell 0 %+v, the clock %+v", name, c.Stop, x[0].out[0], x[0].next[0])
			}
		}
	}
}

// forcings returns two copies of the forcing of n cells, with all coefficients that it has of them.
func forcings[F num.Float](rng *rand.Rand, n int, now []F) (all [2]*Forcing[F]) {
	f := Forcing[F]{Prescribed: now, Ahead: now, Rain: 1, Evaporation: 2, Limit: 1, LongestOnDry: 2,
		Lost: make([]Lost, n)}
	f.Air = air.Air[F]{WindX: 3, WindY: 4, Drag: air.Drag[F]{Still: .05, PerSpeed: .1, Least: .1, Most: .15}, Factor: 1}
	vector := func() air.Vector[F] { return air.Vector[F]{X: F(rng.NormFloat64()), Y: F(rng.NormFloat64())} }
	for _, field := range reflect.ValueOf(&f).Elem().Fields() {
		if list, ok := field.Addr().Interface().(*[]F); ok && *list == nil {
			for range n {
				*list = append(*list, F(rng.Float64()))
			}
		}
	}
	for i := range n {
		f.Air.Gradient, f.Shallows = append(f.Air.Gradient, vector()), append(f.Shallows, shallows[F](rng))
		f.Infiltration[i], f.Coriolis[i] = 10*f.Infiltration[i], F(rng.NormFloat64())
	}
	other := f
	other.Lost = make([]Lost, n)
	return [2]*Forcing[F]{&f, &other}
}

// moving makes the wind, and the pressure of the air, of a forcing fields over time.
func moving[F num.Float](rng *rand.Rand, n int, f *Forcing[F]) {
	course := func(at int32) air.Course[F] {
		var lists [3][]air.Vector[F]
		for k := range lists {
			for range n {
				lists[k] = append(lists[k], air.Vector[F]{X: F(rng.NormFloat64()), Y: F(rng.NormFloat64())})
			}
		}
		return air.Course[F]{First: lists[0], Change: lists[1], Next: lists[2], At: at}
	}
	f.Air.Moving, f.Air.Pressure, f.Air.Gradient = course(0), course(1), nil
}

// parityOfUplift compares the kernel that moves the bed: before, during and after the motion.
func parityOfUplift[F num.Float](t *testing.T, l cudatest.Runner, rng *rand.Rand, m *Mesh[F]) {
	up := Uplift[F]{From: 1, To: 2, Rises: make([]Rise[F], len(m.Beds))}
	for i := range up.Rises {
		up.Rises[i] = Rise[F]{Depth: m.Beds[i].Depth, Height: F(rng.NormFloat64()),
			SlopeChange: Vec2[F]{X: 1, Y: F(rng.Float64())}}
	}
	for after, share := range map[float64]F{.5: 0, 1.25: .25, 3: 1} {
		clock, limit := Clock[F]{Time: after - .25, Until: after, Limit: 1, Dt: .25}, atomics.Least[F]{}
		var beds [2][]Bed[F]
		var stencils [2][]Stencil[F]
		run := func(k int) loop {
			beds[k], stencils[k] = make([]Bed[F], len(m.Beds)), make([]Stencil[F], len(m.Stencils))
			return NewMoveBedLoop(&up, &clock, &limit, beds[k], stencils[k])
		}
		run(0).Range(0, len(m.Beds))
		l.Run(t, run(1), 0, len(m.Beds))
		kerneltest.Same(t, "beds", beds[0], beds[1], nil)
		kerneltest.Same(t, "slopes of beds", stencils[0], stencils[1], nil)
		if r := up.Rises[7]; beds[0][7].Depth != r.Depth-share*r.Height || stencils[0][7].Bed.X != share {
			t.Errorf("at %g s: bed at %g with slope %g, want a share of %g", after, beds[0][7].Depth,
				stencils[0][7].Bed.X, share)
		}
	}
}

// parityOfTables compares the table of slopes computed here with the table filled from an array of slopes, as if
// received from another rank. It returns the latter.
func parityOfTables[F num.Float](t *testing.T, l cudatest.Runner, oneLayer bool, p *Params[F], m *Mesh[F],
	w []State[F], slopes []Slopes[F]) *SlopeTable[F] {
	var found, received [2]*SlopeTable[F]
	for k := range found {
		found[k] = &SlopeTable[F]{make([]Vec2[F], SlopePairs*len(w)), len(w)}
		received[k] = &SlopeTable[F]{make([]Vec2[F], SlopePairs*len(w)), len(w)}
	}
	n := int(m.Owned)
	half := &wet.Tiles{First: make([]int32, 3), Of: make([]int32, n)}
	for i := n / 2; i < n; i++ {
		half.Of[i] = 1
	}
	marks := &wet.Stage{From: []int32{0, 0}, Start: []int32{0, 0}, To: []int32{0, 1}}
	drier := slices.Clone(w)
	clear(drier[:3])
	NewTableSlopesLoop(oneLayer, true, p, m, half, marks, drier, found[0]).Range(0, n)
	l.Run(t, NewTableSlopesLoop(oneLayer, true, p, m, half, marks, drier, found[1]), 0, n)
	kerneltest.Same(t, "slopes of tiles", found[0].Pairs, found[1].Pairs, nil)
	if found[0].Pairs[1] != (Vec2[F]{}) || found[0].Pairs[3] == (Vec2[F]{}) || found[0].Pairs[n-1] == (Vec2[F]{}) {
		t.Errorf("slopes of a settled tile are computed, or those of another are not")
	}
	NewTableSlopesLoop(oneLayer, false, p, m, half, marks, w, found[0]).Range(0, n)
	l.Run(t, NewTableSlopesLoop(oneLayer, false, p, m, half, marks, w, found[1]), 0, n)
	ordered := make([]Slopes[F], len(slopes)) // as on ranks that send slopes
	for i, at := range m.SlopesAt {
		ordered[i] = slopes[at]
	}
	NewTableReceivedLoop(oneLayer, ordered, received[0]).Range(0, n)
	l.Run(t, NewTableReceivedLoop(oneLayer, ordered, received[1]), 0, n)
	kerneltest.Same(t, "table of slopes", found[0].Pairs, found[1].Pairs, nil)
	kerneltest.Same(t, "table of received slopes", received[0].Pairs, received[1].Pairs, nil)
	kerneltest.Same(t, "table of slopes found and received", found[0].Pairs, received[0].Pairs, nil)
	return received[0]
}

// tiled cuts a mesh of random edges into tiles of random sizes, whose cells use random edges of their tile.
func tiled[F num.Float](rng *rand.Rand, m *Mesh[F]) *TiledMesh[F] {
	t := &TiledMesh[F]{Beds: m.Beds, EdgeCells: m.EdgeCells, Normals: m.Normals, Arms: m.Arms, Boundary: m.Boundary,
		Tiles: []Tile{{}}}
	for cell, edge := 0, 0; edge < len(m.EdgeCells); {
		last := &t.Tiles[len(t.Tiles)-1]
		edges := min(1+rng.IntN(TileEdges), len(m.EdgeCells)-edge)
		last.Own = int32(rng.IntN(edges + 1))
		for range rng.IntN(TileCells + 1) {
			c := TileCell{Cell: int32(cell)}
			for k := range 3 {
				c.Slots |= int32(rng.IntN(2*edges)) << (10 * k)
			}
			t.Cells = append(t.Cells, c)
			cell++
		}
		edge += edges
		t.Tiles = append(t.Tiles, Tile{Cell: int32(cell), Edge: int32(edge)})
	}
	n := int32(len(t.Tiles) - 1)
	t.Wet.First = []int32{0}
	for k := range n {
		t.Wet.Beside = append(t.Wet.Beside, max(k-1, 0), min(k+1, n-1))
		t.Wet.First = append(t.Wet.First, int32(len(t.Wet.Beside)))
		t.Wet.Awake = append(t.Wet.Awake, max(0, k%5-3))
	}
	return t
}

// marksOf marks some tiles as wet, so that one in six may be idle.
func marksOf[F num.Float](t *TiledMesh[F]) (m wet.Stage) {
	for k := range len(t.Tiles) - 1 {
		m.From = append(m.From, []int32{1, 0, 0, 0, 0, 0}[k%6])
		m.Start = append(m.Start, []int32{0, 0, 0, 1, 0, 0}[k%6])
		m.To = append(m.To, []int32{0, 0, 0, 0, 7, 0}[k%6])
	}
	return m
}
