package carry

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/transfer"
	"github.com/atoll-hpc/atoll/solvers/shallow/levels"
)

const spacing = 1. / (1 << 40)

// between returns two random meshes of a square, and the heights of a bed at the centroids of both.
func between(t *testing.T, seed uint64, bed func(x, y float64) float64) (m *Meshes, from, to []float64) {
	t.Helper()
	m = &Meshes{Dry: 1e-6, Spacing: spacing}
	for k, of := range []**mesh.Mesh{&m.From, &m.To} {
		var err error
		if *of, err = mesh.Rectangle(-5, -5, 5, 5, 5000-1000*k, seed*2+uint64(k)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if m.Overlap, err = transfer.Intersect(transfer.NewFinder(m.From), m.To); err != nil {
		t.Fatal(err)
	}
	if m.FromNb, err = m.From.Neighbours(); err != nil {
		t.Fatal(err)
	}
	if m.ToNb, err = m.To.Neighbours(); err != nil {
		t.Fatal(err)
	}
	at := func(of *mesh.Mesh) (heights []float64) {
		for i := range of.Cells {
			heights = append(heights, levels.Round(bed(of.Centroid(i)), spacing))
		}
		return heights
	}
	return m, at(m.From), at(m.To)
}

func integral(m *mesh.Mesh, values []float64) float64 {
	var sum dist.Accumulator
	for i, v := range values {
		sum.Add(v * m.Area(i))
	}
	return sum.Float64()
}

func still(n int) Water {
	return Water{H: make([]float64, n), Qx: make([]float64, n), Qy: make([]float64, n)}
}

// island is a bed with an island in the middle, a pond on it, and waves of the ground.
func island(x, y float64) float64 {
	r := x*x + y*y
	return 2.5*math.Exp(-r/4) - 1 - 2.2*math.Exp(-4*r) + .1*math.Sin(3*x)*math.Cos(2*y)
}

// TestLakesStayLevel proves that the sea around an island and a pond on it, at rest at levels of their own, stay level
// to the last bit over beds that are sampled anew, on meshes of any kind; that their volumes are kept to the spacing of
// levels; that the ground between them stays dry; and that there is no flow.
func TestLakesStayLevel(t *testing.T) {
	for seed := range uint64(8) {
		m, oldFloor, floor := between(t, seed, island)
		level := func(x, y float64) float64 {
			if math.Hypot(x, y) < .8 {
				return levels.Round(.6, spacing)
			}
			return levels.Round(.05, spacing)
		}
		old := still(len(oldFloor))
		for i, z := range oldFloor {
			old.H[i] = max(0, level(m.From.Centroid(i))-z)
		}
		now, _ := m.Layer(&old, oldFloor, floor)
		surface := map[bool]float64{}
		for i, h := range now.H {
			x, y := m.To.Centroid(i)
			inner := math.Hypot(x, y) < .9
			if now.Qx[i] != 0 || now.Qy[i] != 0 {
				t.Errorf("seed %d: cell %d flows", seed, i)
			}
			for _, n := range m.ToNb[i] {
				if n >= 0 && h > 0 && now.H[n] == 0 && floor[n] < floor[i]+h {
					t.Errorf("seed %d: cell %d is dry, and lower than the water beside it", seed, n)
				}
			}
			if z := floor[i] + h; h > 0 {
				if known, ok := surface[inner]; ok && known != z {
					t.Errorf("seed %d: the level at (%g, %g) is %v, elsewhere %v", seed, x, y, z, known)
				}
				surface[inner] = z
			}
		}
		if len(surface) != 2 {
			t.Errorf("seed %d: levels %v of sea and pond", seed, surface)
		}
		before, after := integral(m.From, old.H), integral(m.To, now.H)
		if math.Abs(after-before) > 100*spacing {
			t.Errorf("seed %d: the volume changes by %g", seed, after-before)
		}
		if m.MostShift > .02 {
			t.Errorf("seed %d: a level changes by %g", seed, m.MostShift)
		}
	}
}

// TestFlowsConserve proves that volume and momentum of moving water over an uneven bed are kept, without limits, and
// those of a thin film on a slope, which is nowhere deeper than before.
func TestFlowsConserve(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b, c := r.Float64(), r.Float64(), r.Float64()
		m, oldFloor, floor := between(t, seed, func(x, y float64) float64 { return math.Sin(a*x+2*y) - 4 })
		old := still(len(oldFloor))
		for i, z := range oldFloor {
			x, y := m.From.Centroid(i)
			old.H[i] = b*math.Sin(x)*math.Sin(y+c) - z
			old.Qx[i], old.Qy[i] = old.H[i]*(1+a*math.Cos(y)), old.H[i]*math.Sin(x-b)
		}
		now, _ := m.Layer(&old, oldFloor, floor)
		if m.LimitedMomenta > 0 {
			t.Errorf("seed %d: %d momenta were limited", seed, m.LimitedMomenta)
		}
		for name, pair := range map[string][2][]float64{"volume": {old.H, now.H}, "momentum x": {old.Qx, now.Qx},
			"momentum y": {old.Qy, now.Qy}} {
			before, after := integral(m.From, pair[0]), integral(m.To, pair[1])
			if math.Abs(after-before) > 1e-10*integral(m.From, old.H) {
				t.Errorf("seed %d: the %s changes from %g by %g", seed, name, before, after-before)
			}
		}
		m, oldFloor, floor = between(t, seed, func(x, y float64) float64 { return x + b*y })
		old = still(len(oldFloor))
		deepest := 0.
		for i := range old.H {
			old.H[i] = 1e-3 * r.Float64()
			old.Qx[i] = -old.H[i]
			deepest = max(deepest, old.H[i])
		}
		now, level := m.Layer(&old, oldFloor, floor)
		few := 3 // cells at the side of the square, beside which little varies
		for i, h := range now.H {
			if level[i] {
				few--
			}
			if !(h >= 0 && h <= deepest*(1+1e-9)) || few < 0 {
				t.Errorf("seed %d: a film of at most %g m becomes %g m in cell %d, level %t", seed, deepest, h, i, level[i])
			}
		}
		if before, after := integral(m.From, old.H), integral(m.To, now.H); math.Abs(after/before-1) > 1e-12 {
			t.Errorf("seed %d: the volume of a film changes from %g by %g", seed, before, after-before)
		}
	}
}
