package divide

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// defects are changes of a mesh, after most of which the checks of the whole refuse it or have a note.
var defects = map[string]func(m *mesh.Mesh, c int, rng *rand.Rand){
	"a vertex moves out of its ring": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		m.X[m.Cells[c][0]] += 4*rng.Float64() - 2
	},
	"coordinate not finite": func(m *mesh.Mesh, c int, _ *rand.Rand) { m.Y[m.Cells[c][1]] = math.NaN() },
	"cell given twice": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		addCell(m, m.Cells[c], rng)
	},
	"cell given twice, turned": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		v := m.Cells[c]
		addCell(m, [3]int32{v[1], v[0], v[2]}, rng)
	},
	"third cell at an edge": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		m.X, m.Y = append(m.X, 8+rng.Float64()), append(m.Y, 8)
		addCell(m, [3]int32{m.Cells[c][0], m.Cells[c][1], int32(len(m.X) - 1)}, rng)
	},
	"hanging vertex": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		v := m.Cells[c]
		m.X, m.Y = append(m.X, (m.X[v[0]]+m.X[v[1]])/2), append(m.Y, (m.Y[v[0]]+m.Y[v[1]])/2)
		middle := int32(len(m.X) - 1)
		m.Cells[c] = [3]int32{v[0], middle, v[2]}
		addCell(m, [3]int32{middle, v[1], v[2]}, rng)
	},
	"vertices at the same position": func(m *mesh.Mesh, c int, _ *rand.Rand) { double(m, c, 0) },
	"vertices near to each other":   func(m *mesh.Mesh, c int, _ *rand.Rand) { double(m, c, 1e-7) },
	"flat cell": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		v := m.Cells[c]
		m.X[v[0]], m.Y[v[0]] = (m.X[v[1]]+m.X[v[2]])/2, (m.Y[v[1]]+m.Y[v[2]])/2
	},
	"nearly flat cell": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		v := m.Cells[c]
		const share = 1e-6
		x, y := (m.X[v[1]]+m.X[v[2]])/2, (m.Y[v[1]]+m.Y[v[2]])/2
		m.X[v[0]], m.Y[v[0]] = x+share*(m.X[v[0]]-x), y+share*(m.Y[v[0]]-y)
	},
	"cell that repeats a vertex": func(m *mesh.Mesh, c int, _ *rand.Rand) { m.Cells[c][1] = m.Cells[c][0] },
	"cell of an unknown vertex":  func(m *mesh.Mesh, c int, _ *rand.Rand) { m.Cells[c][1] = int32(len(m.X)) },
	"edge of an unknown vertex": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: m.Cells[c][1], B: int32(len(m.X)) + 3, Group: 4})
	},
	"edge that no cell has": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: m.Cells[c][1], B: m.Cells[0][2], Group: 4})
	},
	"inner edge with a condition": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: m.Cells[c][1], B: m.Cells[c][2], Group: 0})
	},
	"two levels": func(m *mesh.Mesh, c int, rng *rand.Rand) {
		m.X = append(m.X, m.X[m.Cells[c][0]], m.X[m.Cells[c][1]]+0.01, m.X[m.Cells[c][2]]) // a cell above
		m.Y = append(m.Y, m.Y[m.Cells[c][0]], m.Y[m.Cells[c][1]], m.Y[m.Cells[c][2]]+0.01)
		n := int32(len(m.X))
		for v := range m.X[n-3:] {
			m.X[int(n)-3+v] += 0.001
		}
		addCell(m, [3]int32{n - 3, n - 2, n - 1}, rng)
		z := make([]float64, len(m.X))
		z[n-1] = 1
		mesh.SetField(&m.VertexData, mesh.Heights, z)
	},
	"third coordinate": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		z := make([]float64, len(m.X))
		z[m.Cells[c][0]] = 1
		mesh.SetField(&m.VertexData, mesh.Heights, z)
	},
	"field of some cells": func(m *mesh.Mesh, c int, _ *rand.Rand) {
		mesh.SetField(&m.CellData, "part", make([]float64, c+1))
	},
	"far away": func(m *mesh.Mesh, c int, _ *rand.Rand) { m.X[m.Cells[c][0]] = 1e200 },
}

// addCell adds a cell at some place.
func addCell(m *mesh.Mesh, v [3]int32, rng *rand.Rand) {
	at := rng.IntN(len(m.Cells) + 1)
	m.Cells, m.CellGroup = slices.Insert(m.Cells, at, v), slices.Insert(m.CellGroup, at, -1)
}

// double gives a cell a vertex of its own at some distance of one that other cells have.
func double(m *mesh.Mesh, c int, distance float64) {
	v := m.Cells[c][0]
	m.X, m.Y = append(m.X, m.X[v]+distance), append(m.Y, m.Y[v])
	m.Cells[c][0] = int32(len(m.X) - 1)
}

// TestDoubts: what the checks of a whole mesh refuse, or note beyond what ranks note together, is a doubt on any number
// of ranks, whichever of them have it; without a doubt the parts are the same.
func TestDoubts(t *testing.T) {
	dir, tally := t.TempDir(), map[string][2]int{}
	for seed := range uint64(4 * len(defects)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := random(t, rng)
		names := slices.Sorted(maps.Keys(defects))
		name := names[int(seed)%len(names)]
		m.VertexData, m.CellData = nil, nil
		defects[name](m, rng.IntN(len(m.Cells)), rng)
		path := filepath.Join(dir, fmt.Sprintf("%d.msh", seed))
		writeBlocks(t, path, m, rng)
		o := decompose.Options{Order: partition.RCM, Method: partition.HilbertCut, Conditions: []string{"left"}}
		layout, err := gmsh.Layout(path, 1<<18)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, ranks := range []int{1, 2, 5, 8} {
			want, failed := whole(t, path, ranks, o)
			got, doubt := divided(t, layout, ranks, o)
			found := tally[name]
			if doubt != "" {
				found[1]++
			} else {
				if failed != nil {
					t.Fatalf("seed %d, %s, %d ranks: no doubt, but of the whole: %v", seed, name, ranks, failed)
				}
				if err := compare(got, want); err != nil {
					t.Fatalf("seed %d, %s, %d ranks: %v", seed, name, ranks, err)
				}
				found[0]++
			}
			tally[name] = found
		}
	}
	for name := range defects {
		// Of these ranks give the notes together, or there are none.
		known := []string{"edge that no cell has", "nearly flat cell", "third coordinate"}
		if tally[name][1] == 0 && !slices.Contains(known, name) {
			t.Errorf("%s: never a doubt", name)
		}
	}
}
