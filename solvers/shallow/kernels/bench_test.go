package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// strip returns a row of cells in a smooth flow, which is typical of a mesh.
func strip[F num.Float](n int) (Mesh[F], []State[F]) {
	m := Mesh[F]{Owned: int32(n)}
	w := make([]State[F], n)
	for i := range n {
		x := 2 * math.Pi * float64(i) / float64(n)
		m.Beds = append(m.Beds, Bed[F]{Depth: 6, Area: .01})
		m.CellEdges = append(m.CellEdges, CellEdges{[3]int32{int32(max(0, i-1)), int32(i), ^int32(i)}})
		w[i] = State[F]{
			H1: F(4 + math.Sin(x)/2), Q1x: F(math.Sin(x + 1)), Q1y: F(math.Cos(x)),
			H2: F(2 - math.Sin(x)/2), Q2x: F(-math.Sin(x) / 2), Q2y: F(math.Cos(x + 2)),
		}
		m.EdgeCells = append(m.EdgeCells, EdgeCells{int32(i), int32((i + 1) % n)})
		m.Normals = append(m.Normals, Normal[F]{X: .6, Y: .8, Length: .1})
		m.FluxAt, m.SlopesAt = append(m.FluxAt, int32(i)), append(m.SlopesAt, int32(i))
	}
	return m, w
}

func benchFlux[F num.Float](b *testing.B, run func(m *Mesh[F], p *Params[F], clock *Clock[F], w []State[F],
	lower, upper []Flux[F], n *Counters)) {
	m, w := strip[F](20000)
	lower, upper := make([]Flux[F], len(m.EdgeCells)), make([]Flux[F], len(m.EdgeCells))
	p := &Params[F]{Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-6, Tolerance: 1e-8}
	if F(1)/3 == F(float32(1)/3) {
		p.Tolerance = F(3e-4)
	}
	clock, n := &Clock[F]{Dt: 1e-4}, &Counters{}
	b.ResetTimer()
	for b.Loop() {
		run(&m, p, clock, w, lower, upper, n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.EdgeCells)), "ns/edge")
}

func BenchmarkFluxPVM(b *testing.B) {
	benchFlux(b, func(m *Mesh[float64], p *Params[float64], clock *Clock[float64], w []State[float64],
		lower, upper []Flux[float64], n *Counters) {
		for e := range m.EdgeCells {
			EdgeFlux(e, PVM, p, m, clock, w, lower, upper, n)
		}
	})
}

func BenchmarkFluxIRRoe(b *testing.B) {
	benchFlux(b, func(m *Mesh[float64], p *Params[float64], clock *Clock[float64], w []State[float64],
		lower, upper []Flux[float64], n *Counters) {
		for e := range m.EdgeCells {
			EdgeFlux(e, IRRoe, p, m, clock, w, lower, upper, n)
		}
	})
}

func BenchmarkFluxRoe(b *testing.B) {
	benchFlux(b, func(m *Mesh[float64], p *Params[float64], clock *Clock[float64], w []State[float64],
		lower, upper []Flux[float64], n *Counters) {
		for e := range m.EdgeCells {
			EdgeFlux(e, Roe, p, m, clock, w, lower, upper, n)
		}
	})
}

func BenchmarkFluxPVM32(b *testing.B) {
	benchFlux(b, func(m *Mesh[float32], p *Params[float32], clock *Clock[float32], w []State[float32],
		lower, upper []Flux[float32], n *Counters) {
		for e := range m.EdgeCells {
			EdgeFlux(e, PVM, p, m, clock, w, lower, upper, n)
		}
	})
}

func BenchmarkUpdateCell(b *testing.B) {
	m, w := strip[float64](20000)
	out, lower, upper := make([]State[float64], len(w)), make([]Flux[float64], len(m.EdgeCells)),
		make([]Flux[float64], len(m.EdgeCells))
	p := &Params[float64]{Gravity: 9.81, DensityRatio: .5, CFL: .9, DryDepth: 1e-6}
	clock := &Clock[float64]{Dt: 1e-4}
	for b.Loop() {
		for i := range w {
			UpdateCell(i, false, p, &m, clock, w, lower, upper, nil, &Forcing[float64]{}, out)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(w)), "ns/cell")
}

func BenchmarkFluxPVMStaged(b *testing.B) {
	benchFlux(b, func(m *Mesh[float64], p *Params[float64], clock *Clock[float64], w []State[float64],
		lower, upper []Flux[float64], n *Counters) {
		var faces [32]Face[float64]
		for lo := 0; lo < len(m.EdgeCells); lo += len(faces) {
			hi := min(lo+len(faces), len(m.EdgeCells))
			for e := lo; e < hi; e++ {
				faces[e-lo].LoadSides(PVM, m.EdgeCells[e], &m.Normals[e], p, m.Beds, w)
			}
			for e := lo; e < hi; e++ {
				faces[e-lo].Waves(PVM, p)
			}
			for e := lo; e < hi; e++ {
				faces[e-lo].Viscosity(PVM, p)
			}
			for e := lo; e < hi; e++ {
				faces[e-lo].WriteFluxes(PVM, m.EdgeCells[e], &m.Normals[e], p, &m.Boundary, clock.Dt, true, int32(e), lower,
					upper, n)
			}
		}
	})
}

// sloped adds the data for second order to a strip: three neighbours around each cell.
func sloped[F num.Float](m *Mesh[F]) {
	n := int32(len(m.Beds))
	for i := range n {
		near := [3]int32{(i + n - 1) % n, (i + 1) % n, (i + 2) % n}
		arms := [3]Vec2[F]{{X: -.05}, {X: .02, Y: .05}, {X: .03, Y: -.05}}
		m.Stencils = append(m.Stencils, Stencil[F]{Neighbours: near, Arm: [2]Vec2[F]{arms[0], arms[1]},
			Weight: [3]Vec2[F]{{X: -13}, {X: 5, Y: 10}, {X: 8, Y: -10}}})
		m.Arms = append(m.Arms, Arms[F]{Left: arms[1], Right: arms[0]})
	}
}

func BenchmarkCellSlopes(b *testing.B) {
	for layers := 1; layers <= 2; layers++ {
		b.Run(fmt.Sprint(layers), func(b *testing.B) {
			m, w := strip[float64](20000)
			sloped(&m)
			if layers == 1 {
				for i := range w {
					w[i].H1, w[i].Q1x, w[i].Q1y = 0, 0, 0
				}
			}
			p := &Params[float64]{Gravity: 9.81, DensityRatio: .5, CFL: .9, DryDepth: 1e-6}
			out := make([]Slopes[float64], len(w))
			for b.Loop() {
				NewCellSlopesLoop(false, p, &m, w, out).Range(0, len(w))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(w)), "ns/cell")
		})
	}
}

func BenchmarkSlopedFluxPVM(b *testing.B) {
	for layers := 1; layers <= 2; layers++ {
		b.Run(fmt.Sprint(layers), func(b *testing.B) {
			m, w := strip[float64](20000)
			sloped(&m)
			if layers == 1 {
				for i := range w {
					w[i].H1, w[i].Q1x, w[i].Q1y = 0, 0, 0
				}
			}
			p := &Params[float64]{Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-6, Tolerance: 1e-8}
			slopes, edges := make([]Slopes[float64], len(w)), len(m.EdgeCells)
			lower, upper := make([]Flux[float64], edges), make([]Flux[float64], edges)
			clock, n := &Clock[float64]{Dt: 1e-4}, &Counters{}
			NewCellSlopesLoop(false, p, &m, w, slopes).Range(0, len(w))
			for b.Loop() {
				NewSlopedFluxLoop(PVM, p, &m, clock, slopes, lower, upper, n).Range(0, len(m.EdgeCells))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.EdgeCells)), "ns/edge")
		})
	}
}
