package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// kind is a metric of the check "kinds", by the sizes along the axes.
type kind struct {
	name string
	dim  int
	at   func(x, y, z float64) [3]float64
	mmg  []quality // of each mesh, as Mmg leaves it
}

// quality is that of a mesh: the mean and the worst.
type quality struct{ mean, worst float64 }

// kinds takes the smoother barrier to irregular meshes in uniform, graded and anisotropic metrics, in the plane and in
// space, beside the mode of Mmg 5.8.0 that moves vertices only. Its figures are the best of four ways to call it, for
// the mean and for the worst quality each on its own:
//
//	mmg2d_O3 -noinsert -noswap -v 0 -sol sizes.sol in.mesh out.mesh     (mmg3d_O3 in space)
//
// once or ten times in a row, with and without -hgrad -1, with the sizes, as often scaled as Atoll scales them, at the
// vertices of in.mesh. Qualities are those of Atoll for both.
func kinds(ctx context.Context, p *verify.Page) error {
	t := p.Table("barrier beside the moves of Mmg 5.8.0: mean and worst quality", "kind", "mesh", "vertices", "before", "",
		"Mmg", "", "ours", "", "sweeps")
	for _, k := range kindCases {
		meshes := len(k.mmg)
		if p.Options.Quick {
			meshes = 1
		}
		for n := range meshes {
			p.Progress("%s, mesh %d", k.name, n+1)
			before, after, vertices, err := barrier(ctx, p, k, n)
			if err != nil {
				return err
			}
			theirs, above := k.mmg[n], 1.1
			if k.dim == 3 {
				above = 1.5
			}
			bound := verify.VerdictOf(after.QualityMean >= theirs.mean+.005 && after.QualityMin >= above*theirs.worst,
				fmt.Sprintf("≥ %.3f, %.3f", theirs.mean+.005, above*theirs.worst))
			t.Row(both(verify.VerdictOf(after.Inverted == 0, ""), bound), k.name, n+1, vertices, before.QualityMean,
				before.QualityMin, theirs.mean, theirs.worst, after.QualityMean, after.QualityMin, after.Sweeps)
		}
	}
	t.Flush()
	return nil
}

// barrier smooths a mesh of a kind to the end.
func barrier(ctx context.Context, p *verify.Page, k kind, n int) (before, after smooth.Diagnostics, vertices int,
	err error) {
	run := func(s smooth.Solver) error {
		if before, err = s.Diagnose(ctx); err != nil {
			return err
		}
		after, err = toTheEnd(ctx, s)
		return err
	}
	cfg := smooth.Config{Smoother: "barrier", Guard: "none", Rescale: true}
	if k.dim == 2 {
		m, err := kindMesh(n)
		if err != nil {
			return before, after, 0, err
		}
		metric, err := smooth.Discrete(unitSquare, 512, func(x, y float64) (float64, float64, float64) {
			h := k.at(x, y, 0)
			return 1 / (h[0] * h[0]), 0, 1 / (h[1] * h[1])
		})
		if err != nil {
			return before, after, 0, err
		}
		err = smoothing(ctx, p, m, metric, cfg, func(_ *smooth.Part, s smooth.Solver) error { return run(s) })
		return before, after, len(m.X), err
	}
	m, err := kindSolid(n)
	if err != nil {
		return before, after, 0, err
	}
	box := smooth.Box{High: [3]float64{1, 1, 1}}
	metric, err := smooth.SolidDiscrete(box, 64, func(x, y, z float64) smooth.Six {
		h := k.at(x, y, z)
		return smooth.Six{1 / (h[0] * h[0]), 0, 0, 1 / (h[1] * h[1]), 0, 1 / (h[2] * h[2])}
	})
	if err != nil {
		return before, after, 0, err
	}
	err = solidSmoothing(ctx, p, m, metric, cfg, run)
	return before, after, len(m.X), err
}

// solidSmoothing sets a solver of tetrahedra up on one rank and hands it to f.
func solidSmoothing(ctx context.Context, p *verify.Page, m *mesh.Solid, metric *smooth.SolidMetric, cfg smooth.Config,
	f func(s smooth.Solver) error) error {
	layout, err := smooth.NewSolidLayout(m, smooth.LayoutOptions{Boundary: smooth.Slide,
		Colouring: smooth.JonesPlassmann, Order: partition.Hilbert})
	if err != nil {
		return err
	}
	parts, err := layout.Parts(make([]int32, len(m.X)), 1)
	if err != nil {
		return err
	}
	comm := local.New(1)[0]
	dev := cpu.New(p.Options.Threads)
	defer dev.Close()
	s, err := smooth.NewSolid(ctx, "float64", cfg, parts[0], metric, comm, dev)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f(s); err != nil {
		return err
	}
	return comm.Close()
}

// kindMesh is mesh n of the kinds in the plane: the Delaunay mesh of vertices that have gone some way toward a
// neighbour in an even mesh of the unit square, as far as no triangle lost more than nine tenths of its area.
func kindMesh(n int) (*mesh.Mesh, error) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 600+300*n, uint64(n+1))
	if err != nil {
		return nil, err
	}
	rings, err := m.Rings()
	if err != nil {
		return nil, err
	}
	cells := make([][]int, len(m.X))
	for c, cell := range m.Cells {
		for _, v := range cell {
			cells[v] = append(cells[v], c)
		}
	}
	rng := rand.New(rand.NewPCG(uint64(n+1), 7))
	for v := range int32(len(m.X)) {
		if rings.Around[v] != mesh.Inside {
			continue
		}
		to := rings.Of(v)[rng.IntN(len(rings.Of(v)))]
		x, y, share := m.X[v], m.Y[v], .9*rng.Float64()
		astray(cells[v], share, m.Area, func(share float64) {
			m.X[v], m.Y[v] = x+share*(m.X[to]-x), y+share*(m.Y[to]-y)
		})
	}
	_, err = m.FlipToDelaunay()
	return m, err
}

// kindSolid is mesh n of the kinds in space: a cube of tetrahedra whose inner vertices go some way in the same way, and
// in which some pairs of tetrahedra then become three, so that it is no lattice.
func kindSolid(n int) (*mesh.Solid, error) {
	m, err := mesh.Cube(5+n/2, 5+n/3, 6+n%4, .15, uint64(n+1))
	if err != nil {
		return nil, err
	}
	cells := make([][]int, len(m.X))
	for c, cell := range m.Cells {
		for _, v := range cell {
			cells[v] = append(cells[v], c)
		}
	}
	rng := rand.New(rand.NewPCG(uint64(n+1), 8))
	for v := range m.X {
		p := m.At(int32(v))
		if min(p[0], p[1], p[2]) == 0 || max(p[0], p[1], p[2]) == 1 {
			continue
		}
		to := m.At(m.Cells[cells[v][rng.IntN(len(cells[v]))]][rng.IntN(4)])
		share := .9 * rng.Float64()
		astray(cells[v], share, m.Volume, func(share float64) {
			m.X[v], m.Y[v], m.Z[v] = p[0]+share*(to[0]-p[0]), p[1]+share*(to[1]-p[1]), p[2]+share*(to[2]-p[2])
		})
	}
	split(m, rng)
	return m, nil
}

// split replaces some pairs of tetrahedra that share a face by three around the edge that joins their other corners,
// where that goes through the face.
func split(m *mesh.Solid, rng *rand.Rand) {
	type half struct {
		cell int
		apex int32
	}
	sorted := func(f [3]int32) [3]int32 { slices.Sort(f[:]); return f }
	first := map[[3]int32]half{}
	touched := make([]bool, len(m.Cells))
	for c := range len(touched) {
		for k := range 4 {
			face, apex := m.Facing(int32(c), k), m.Cells[c][k]
			one, seen := first[sorted(face)]
			if !seen {
				first[sorted(face)] = half{c, apex}
				continue
			}
			if touched[c] || touched[one.cell] || rng.IntN(3) > 0 {
				continue
			}
			whole, least := m.Volume(c)+m.Volume(one.cell), math.Inf(1)
			was := [2][4]int32{m.Cells[one.cell], m.Cells[c]}
			m.Cells = append(m.Cells, m.Cells[c])
			around := [3]int{one.cell, c, len(m.Cells) - 1}
			for i, at := range around {
				m.Cells[at] = [4]int32{apex, one.apex, face[i], face[(i+1)%3]}
				if m.Volume(at) < 0 {
					m.Cells[at] = [4]int32{one.apex, apex, face[i], face[(i+1)%3]}
				}
				least = min(least, m.Volume(at))
				whole -= m.Volume(at)
			}
			if whole < -1e-9*least || least < 1e-5/float64(len(touched)) {
				m.Cells[one.cell], m.Cells[c], m.Cells = was[0], was[1], m.Cells[:len(m.Cells)-1]
				continue
			}
			touched[c], touched[one.cell] = true, true
		}
	}
}

// astray lets a vertex go a share of its way, or half of that and so on, as far as none of its cells loses more than
// nine tenths of its size.
func astray(cells []int, share float64, size func(cell int) float64, put func(share float64)) {
	was := make([]float64, len(cells))
	for i, c := range cells {
		was[i] = size(c)
	}
	for range 8 {
		put(share)
		sound := true
		for i, c := range cells {
			sound = sound && size(c) >= was[i]/10
		}
		if sound {
			return
		}
		share /= 2
	}
	put(0)
}

// centred is the distance of a place from another.
func centred(x, y, z, cx, cy, cz float64) float64 { return math.Hypot(math.Hypot(x-cx, y-cy), z-cz) }
