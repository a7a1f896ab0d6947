package bands

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// TestBands proves for random meshes that the runs of all bands contain every index once, and that each kernel runs
// after those whose results it reads, which are still at their positions, whatever the order of the bands of one list.
func TestBands(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	shared := 0
	for range 500 {
		order := 1 + rng.IntN(2)
		core, edges := randomStrip(rng)
		all := New(core, edges, 1+rng.IntN(6), 1+rng.IntN(40), order)
		for k := range all.Late {
			if order == 1 && len(all.Late[k])+len(all.Fluxes[k]) > 0 {
				t.Fatalf("late runs %v and fluxes %v at first order", all.Late[k], all.Fluxes[k])
			}
		}
		c := bandChecker{t: t, core: core, edges: edges, order: order, at: map[kernelIndex]int{}, all: all,
			slopes: make([]int, len(core)), fluxes: make([]int, len(edges))}
		for _, runs := range [][][]Run{all.Early, all.Late, all.Fluxes, all.Updates} {
			for _, band := range rng.Perm(len(runs)) {
				c.band++
				for _, r := range runs[band] {
					c.check(r)
				}
			}
			c.barrier = c.band
			c.boundary = true // the slopes of boundary cells are known after the first list
		}
		for e, at := range edges {
			if int(max(at.Left, at.Right)) >= len(core) {
				c.has(c.fluxes, all.FluxAt[e], e) // boundary cells are updated at the end
			}
		}
		for e, at := range all.FluxAt {
			if c.fluxes[at] != e {
				shared++
			}
		}
		want := len(edges) + len(core)*order
		if len(c.at) != want {
			t.Fatalf("%d indices of kernels ran; want %d of %d cells and %d edges", len(c.at), want, len(core), len(edges))
		}
	}
	if shared == 0 {
		t.Error("no position was used twice")
	}
}

type kernelIndex struct {
	kernel Kernel
	index  int
}

// bandChecker follows the runs of bands, which are numbered through all lists.
type bandChecker struct {
	t        *testing.T
	core     []kernels.CellEdges
	edges    []kernels.EdgeCells
	order    int
	at       map[kernelIndex]int // the band that ran it
	band     int
	barrier  int // bands up to here have ended
	boundary bool
	all      *Bands

	slopes, fluxes []int // cell and edge whose results are at each position
}

func (c *bandChecker) check(r Run) {
	for i := r.Lo; i < r.Hi; i++ {
		if r.Kernel == Flux && c.order == 2 {
			for _, cell := range []int32{c.edges[i].Left, c.edges[i].Right} {
				if int(cell) < len(c.core) && cell >= 0 {
					c.needs(kernelIndex{Slopes, int(cell)}, r)
					c.has(c.slopes, c.all.SlopesAt[cell], int(cell))
				} else if cell >= 0 && !c.boundary {
					c.t.Fatalf("%v reads slopes of boundary cell %d", r, cell)
				}
			}
		}
		if r.Kernel == Update {
			for _, link := range c.core[i].Edge {
				e, _ := Side(link)
				c.needs(kernelIndex{Flux, int(e)}, r)
				c.has(c.fluxes, c.all.FluxAt[e], int(e))
			}
		}
		switch {
		case r.Kernel == Slopes:
			c.slopes[c.all.SlopesAt[i]] = i
		case r.Kernel == Flux:
			c.fluxes[c.all.FluxAt[i]] = i
		case c.order == 2:
			c.has(c.slopes, c.all.SlopesAt[i], i)
		}
		this := kernelIndex{r.Kernel, i}
		if _, ran := c.at[this]; ran {
			c.t.Fatalf("%v ran twice", this)
		}
		c.at[this] = c.band
	}
}

// has fails unless a position still has the result for an index.
func (c *bandChecker) has(results []int, at int32, index int) {
	if results[at] != index {
		c.t.Fatalf("position %d has the result for %d instead of %d", at, results[at], index)
	}
}

// needs fails unless a kernel ran for an index in this band or before the last barrier.
func (c *bandChecker) needs(k kernelIndex, r Run) {
	if band, ran := c.at[k]; !ran || band != c.band && band > c.barrier {
		c.t.Fatalf("%v in band %d needs %v, which ran: %v, in band %d; the last barrier was after %d",
			r, c.band, k, ran, band, c.barrier)
	}
}

// randomStrip returns the core cells and the edges of random cells that have neighbours of near numbers, some of them
// boundary cells.
func randomStrip(rng *rand.Rand) (core []kernels.CellEdges, edges []kernels.EdgeCells) {
	n, reach := max(rng.IntN(200)-20, 0), 1+rng.IntN(60)
	core = make([]kernels.CellEdges, n)
	met := make([]int, n)
	for i := range n {
		for met[i] < 3 {
			e := int32(len(edges))
			core[i].Edge[met[i]] = e
			met[i]++
			left, right := int32(i), int32(i+1+rng.IntN(reach))
			switch {
			case int(right) < n && met[right] < 3:
				core[right].Edge[met[right]] = ^e
				met[right]++
				if rng.IntN(2) == 0 {
					left, right = right, left
				}
			case rng.IntN(8) == 0:
				right = int32(n + rng.IntN(10))
			default:
				right = kernels.Wall
			}
			edges = append(edges, kernels.EdgeCells{Left: left, Right: right})
		}
	}
	for range rng.IntN(5) { // between boundary cells
		edges = append(edges, kernels.EdgeCells{Left: int32(n + 11), Right: int32(n + 12)})
	}
	return core, edges
}
