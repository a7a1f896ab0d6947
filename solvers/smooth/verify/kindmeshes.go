package verify

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// geometries are meshes made by Gmsh 4.8.4 from the files in the same folder: gmsh -2 plate.geo (gmsh -3 in three
// dimensions), converted by atoll mesh convert with --drop-dangling.
//
//go:embed geometries/*.meshb
var geometries embed.FS

var geometryNames = [4][]string{2: {"plate", "disc", "wing"}, 3: {"ball", "drilled", "elbow"}}

// generatedMeshes is the number of random meshes in each dimension, besides those of Gmsh.
const generatedMeshes = 8

// testMesh is a mesh to be smoothed, of triangles or of tetrahedra.
type testMesh struct {
	name  string
	plane *mesh.Mesh
	solid *mesh.Solid
}

// newTestMesh returns mesh n of a dimension: a generated one, or, from n = generatedMeshes on, one of Gmsh's.
func newTestMesh(dim, n int) (s testMesh, err error) {
	s.name = fmt.Sprint(n + 1)
	switch {
	case n >= generatedMeshes:
		s.name = geometryNames[dim][n-generatedMeshes]
		err = s.load()
	case dim == 2:
		s.plane, err = generateMesh(n)
	default:
		s.solid, err = generateSolid(n)
	}
	return s, err
}

// load writes the embedded mesh of a geometry to a file, and reads it with package meshio.
func (s *testMesh) load() error {
	data, err := geometries.ReadFile("geometries/" + s.name + ".meshb")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "atoll-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, s.name+".meshb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	s.plane, s.solid, err = meshio.ReadAny(path)
	return err
}

// vertices returns the number of vertices.
func (s *testMesh) vertices() int {
	if s.solid != nil {
		return len(s.solid.X)
	}
	return len(s.plane.X)
}

// generateMesh returns generated mesh n in two dimensions: a uniform mesh of the unit square whose interior
// vertices are moved at random toward a neighbour, unless a triangle would lose more than nine tenths of its area;
// then flipped to Delaunay.
func generateMesh(n int) (*mesh.Mesh, error) {
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
		if rings.Class[v] != mesh.Interior {
			continue
		}
		to := rings.Of(v)[rng.IntN(len(rings.Of(v)))]
		x, y, share := m.X[v], m.Y[v], .9*rng.Float64()
		displace(cells[v], share, m.Area, func(share float64) {
			m.X[v], m.Y[v] = x+share*(m.X[to]-x), y+share*(m.Y[to]-y)
		})
	}
	_, err = m.FlipToDelaunay()
	return m, err
}

// generateSolid returns generated mesh n in three dimensions: a cube of tetrahedra whose interior vertices are
// moved like those of generateMesh, in which some pairs of tetrahedra are then flipped to three for an irregular
// connectivity.
func generateSolid(n int) (*mesh.Solid, error) {
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
		displace(cells[v], share, m.Volume, func(share float64) {
			m.X[v], m.Y[v], m.Z[v] = p[0]+share*(to[0]-p[0]), p[1]+share*(to[1]-p[1]), p[2]+share*(to[2]-p[2])
		})
	}
	flipPairs(m, rng)
	return m, nil
}

// flipPairs makes 2-3 flips: it replaces some pairs of tetrahedra that share a face by three around the edge
// between their opposite corners, if it passes through the face.
func flipPairs(m *mesh.Solid, rng *rand.Rand) {
	type half struct {
		cell int
		apex int32
	}
	sorted := func(f [3]int32) [3]int32 { slices.Sort(f[:]); return f }
	first := map[[3]int32]half{}
	touched := make([]bool, len(m.Cells))
	for c := range len(touched) {
		for k := range 4 {
			face, apex := m.FaceOpposite(int32(c), k), m.Cells[c][k]
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

// displace moves a vertex by a share of its displacement, halved until none of its cells loses more than nine tenths
// of its size.
func displace(cells []int, share float64, size func(cell int) float64, put func(share float64)) {
	sizesBefore := make([]float64, len(cells))
	for i, c := range cells {
		sizesBefore[i] = size(c)
	}
	for range 8 {
		put(share)
		valid := true
		for i, c := range cells {
			valid = valid && size(c) >= sizesBefore[i]/10
		}
		if valid {
			return
		}
		share /= 2
	}
	put(0)
}

// distanceBetween returns the distance of (x, y, z) from (cx, cy, cz).
func distanceBetween(x, y, z, cx, cy, cz float64) float64 {
	return math.Hypot(math.Hypot(x-cx, y-cy), z-cz)
}
