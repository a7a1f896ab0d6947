package shallow

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// TestBlocks proves for random meshes that the runs of blocks contain every index once, and that each kernel runs
// after those whose results it reads: early runs read no slopes of boundary cells.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		order, block := 1+rng.IntN(2), 1+rng.IntN(40)
		core, edges := randomStrip(rng)
		b := newBlocks(core, edges, block, order)
		if order == 1 && len(b.late) > 0 {
			t.Fatalf("late runs at first order: %v", b.late)
		}
		var begun, fluxes, updated int
		for k, r := range append(b.early, b.late...) {
			next := map[stageKernel]*int{slopesKernel: &begun, fluxKernel: &fluxes, updateKernel: &updated}[r.kernel]
			if r.lo != *next || r.hi <= r.lo {
				t.Fatalf("run %v of kernel %d begins at %d, want %d", r, r.kernel, r.lo, *next)
			}
			*next = r.hi
			for i := r.lo; i < r.hi; i++ {
				if r.kernel == updateKernel && !edgesBefore(core[i], fluxes) {
					t.Fatalf("cell %d is updated before its fluxes %v: %d are known", i, core[i], fluxes)
				}
				if r.kernel != fluxKernel || order == 1 {
					continue
				}
				for _, cell := range []int32{edges[i].Left, edges[i].Right} {
					if boundary := int(cell) >= len(core); boundary && k < len(b.early) || !boundary && int(cell) >= begun {
						t.Fatalf("edge %v has a flux before slopes: %d are known", edges[i], begun)
					}
				}
			}
		}
		if order == 2 && begun != len(core) || fluxes != len(edges) || updated != len(core) {
			t.Fatalf("%d slopes, %d fluxes and %d updates; want %d, %d and %d", begun, fluxes, updated, len(core), len(edges),
				len(core))
		}
	}
}

// randomStrip returns the core cells and the edges of random cells that have neighbours of near numbers, some of them
// boundary cells.
func randomStrip(rng *rand.Rand) (core []kernels.CellEdges, edges []kernels.EdgeCells) {
	n, reach := rng.IntN(200), 1+rng.IntN(60)
	core = make([]kernels.CellEdges, n)
	met := make([]int, n)
	for i := range n {
		for met[i] < 3 {
			e := int32(len(edges))
			core[i].Edge[met[i]] = e
			met[i]++
			right := i + 1 + rng.IntN(reach)
			switch {
			case right < n && met[right] < 3:
				core[right].Edge[met[right]] = ^e
				met[right]++
			case rng.IntN(8) == 0:
				right = n + rng.IntN(10)
			default:
				right = int(kernels.Wall)
			}
			edges = append(edges, kernels.EdgeCells{Left: int32(i), Right: int32(right)})
		}
	}
	return core, edges
}
