package problem

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/portable"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// seededCells tells where a body's particles are: in the dual cells that have a corner within the band around its
// surface. A dual cell counts as the cell that is its lowest corner.
//
// In a grid of few cells they are counted, from the places where the surface crosses the lines between centres. A
// larger grid is sampled on a coarse one, each face of which between an inside and an outside cell stands for a piece
// of the surface. A surface of the area A separates E pairs of cells of the whole grid, so that A is the sum over these
// pairs of |n| along their axis, with the normal n; and the dual cells with a corner within a distance b of it have the
// volume 2·b·A + E·V, with the volume V of a cell.
type seededCells struct {
	g      *grid.Grid
	body   shape.Body
	band   float64   // in m
	phi    []float64 // of all cells; nil for a grid that is sampled
	points []seededPoint
}

// seededPoint stands for some dual cells near the surface.
type seededPoint struct {
	cell  [3]int // of the grid, at the place
	cells float64
}

// mostSampled is the number of cells at which a body is sampled. It is a variable for tests.
var mostSampled = 1 << 20

// findSeeded samples a body.
func findSeeded(g *grid.Grid, body shape.Body) *seededCells {
	sampled := *g
	s := &seededCells{g: g, body: body}
	share := portable.Pow(min(1, float64(mostSampled)/float64(g.Cells())), 1/float64(g.Dim))
	for d := range g.Dim {
		sampled.N[d] = int(math.Ceil(float64(g.N[d]) * share))
		s.band = max(s.band, seededBand*g.Spacing(d))
	}
	phi := make([]float64, sampled.Cells())
	for c := range phi {
		x := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
		for d, i := range cellAt(&sampled, c) {
			if d < g.Dim {
				x[d] = sampled.Centre(d, i)
			}
		}
		phi[c] = body.Phi(x[0], x[1], x[2])
	}
	if sampled.N != g.N {
		s.eachCrossing(&sampled, phi, func(x [3]float64, axis int) {
			s.addLayer(x, sampled.CellVolume()/sampled.Spacing(axis), axis)
		})
		return s
	}
	s.phi = phi
	distance := make([]float64, len(phi))
	for c := range distance {
		distance[c] = math.Inf(1)
	}
	s.eachCrossing(g, phi, func(x [3]float64, _ int) { s.lowerDistances(distance, x) })
	s.countDualCells(distance)
	return s
}

// cellAt returns the indices of cell c, x fastest.
func cellAt(g *grid.Grid, c int) [3]int {
	return [3]int{c % g.N[0], c / g.N[0] % g.N[1], c / g.N[0] / g.N[1]}
}

// eachCrossing calls f with each place where the surface crosses a line between the centres of two cells of a grid.
func (s *seededCells) eachCrossing(g *grid.Grid, phi []float64, f func(x [3]float64, axis int)) {
	stride := [3]int{1, g.N[0], g.N[0] * g.N[1]}
	for c := range phi {
		cell := cellAt(g, c)
		for d := range g.Dim {
			next := c + stride[d]
			if cell[d]+1 == g.N[d] || phi[c] < 0 == (phi[next] < 0) {
				continue
			}
			x := [3]float64{g.Lo[0], g.Lo[1], g.Lo[2]}
			for k := range g.Dim {
				x[k] = g.Centre(k, cell[k])
			}
			part := phi[c] / (phi[c] - phi[next])
			if part-part != 0 { // of infinite values
				part = .5
			}
			x[d] += part * g.Spacing(d)
			f(x, d)
		}
	}
}

// lowerDistances lowers the distances of cells near a place of the surface.
func (s *seededCells) lowerDistances(distance []float64, x [3]float64) {
	g := s.g
	var lo, hi [3]int
	for d := range g.Dim {
		at, reach := (x[d]-g.Lo[d])/g.Spacing(d)-.5, s.band/g.Spacing(d)
		lo[d], hi[d] = int(math.Ceil(at-reach)), int(math.Floor(at+reach))
	}
	for k := lo[2]; k <= hi[2]; k++ {
		for j := lo[1]; j <= hi[1]; j++ {
			for i := lo[0]; i <= hi[0]; i++ {
				cell, square := [3]int{i, j, k}, 0.0
				for d := range g.Dim {
					off := (float64(cell[d])+.5)*g.Spacing(d) + g.Lo[d] - x[d]
					square += off * off
				}
				if s.has(cell) {
					n := i + g.N[0]*(j+g.N[1]*k)
					distance[n] = min(distance[n], math.Sqrt(square))
				}
			}
		}
	}
}

// has reports whether a cell belongs to the grid. A body is not repeated across periodic sides.
func (s *seededCells) has(cell [3]int) bool {
	for d, n := range s.g.N {
		if cell[d] < 0 || cell[d] >= n {
			return false
		}
	}
	return true
}

// countDualCells adds a point for each dual cell with a corner in the band. Beside walls are some whose lowest corner
// is a ghost, which has the value of the nearest cell.
func (s *seededCells) countDualCells(distance []float64) {
	g := s.g
	near := func(cell [3]int) bool {
		for d, n := range g.N {
			if g.Periodic[d] {
				cell[d] = (cell[d]%n + n) % n
			}
			cell[d] = max(0, min(cell[d], n-1))
		}
		return distance[cell[0]+g.N[0]*(cell[1]+g.N[1]*cell[2])] < s.band
	}
	var lo [3]int
	for d := range g.Dim {
		if !g.Periodic[d] {
			lo[d] = -1
		}
	}
	for k := lo[2]; k < g.N[2]; k++ {
		for j := lo[1]; j < g.N[1]; j++ {
			for i := lo[0]; i < g.N[0]; i++ {
				for corner := range 1 << g.Dim {
					if near([3]int{i + corner&1, j + corner>>1&1, k + corner>>2}) {
						s.points = append(s.points, seededPoint{[3]int{max(0, i), max(0, j), max(0, k)}, 1})
						break
					}
				}
			}
		}
	}
}

// addLayer adds the layer around a place of the surface, which stands for a face of the sampled grid normal to an axis.
func (s *seededCells) addLayer(x [3]float64, face float64, axis int) {
	const across = 7 // points, about as many as the layer has cells
	g, n := s.g, s.normal(x)
	cells := (2*s.band*face*math.Abs(n[axis]) + face*g.Spacing(axis)) / g.CellVolume()
	for k := range across {
		distance := (2*(float64(k)+.5)/across - 1) * s.band * (seededBand + .5) / seededBand
		var cell [3]int
		for d := range g.Dim {
			cell[d] = int(math.Floor((x[d] + distance*n[d] - g.Lo[d]) / g.Spacing(d)))
		}
		if s.has(cell) {
			s.points = append(s.points, seededPoint{cell, cells / across})
		}
	}
}

// normal returns the unit normal of the surface at a place; where the level set has no gradient, one between all axes.
func (s *seededCells) normal(x [3]float64) (n [3]float64) {
	size := 0.0
	for d := range s.g.Dim {
		lo, hi := x, x
		lo[d], hi[d] = x[d]-s.g.Spacing(d)/2, x[d]+s.g.Spacing(d)/2
		n[d] = (s.body.Phi(hi[0], hi[1], hi[2]) - s.body.Phi(lo[0], lo[1], lo[2])) / s.g.Spacing(d)
		size += n[d] * n[d]
	}
	for d := range s.g.Dim {
		if n[d] /= math.Sqrt(size); n[d]-n[d] != 0 {
			n[d] = 1 / math.Sqrt(float64(s.g.Dim))
		}
	}
	return n
}

// costs returns the costs that blocks share: as set-up counts them unless the grid is sampled.
func (s *seededCells) costs(n domain.InterfaceCosts, ranks int) *partition.Bins {
	bins := partition.NewBins(s.g.N, ranks)
	if s.phi != nil {
		inside := func(cell [3]int) bool { return s.phi[cell[0]+s.g.N[0]*(cell[1]+s.g.N[1]*cell[2])] < 0 }
		for position := range s.g.N[s.g.Dim-1] {
			n.AddSlab(bins, s.g, s.g.Dim-1, position, inside)
		}
	} else {
		sums := make([]float64, len(bins.Cost))
		for _, p := range s.points {
			sums[bins.Index(p.cell)] += p.cells * float64(n.Cost)
		}
		for i, v := range sums {
			bins.Cost[i] = int64(v)
		}
	}
	bins.AddCells(n.Cell)
	return bins
}

// in returns the number of seeded cells in each of some blocks, which cover the grid.
func (s *seededCells) in(blocks []*domain.Block) []int {
	counts := make([]float64, len(blocks))
	last := 0 // the block of the point before
	for _, p := range s.points {
		for !blocks[last].Has(p.cell) {
			last = (last + 1) % len(blocks)
		}
		counts[last] += p.cells
	}
	cells := make([]int, len(blocks))
	for k, n := range counts {
		cells[k] = int(math.Ceil(n))
	}
	return cells
}

// seededShares returns the blocks of ranks, and the number of seeded cells of each.
func seededShares(c *config.Case, ranks int) (blocks []*domain.Block, cells []int, err error) {
	w := c.Sections.(*Sections)
	cfg := w.Method.Config()
	var seeded *seededCells
	blocks, err = domain.Blocks(&w.Grid, cfg.Ghosts(), ranks, func(g *grid.Grid) (*partition.Bins, error) {
		if cfg.Particles == 0 {
			return nil, nil
		}
		body, failed, err := shape.Parse(w.Shape, g.Dim, c.Path)
		if err == nil {
			seeded = findSeeded(g, body)
			err = failed()
		}
		if err != nil {
			return nil, fmt.Errorf("[initial] shape: %w", err)
		}
		if w.Method.Balance != "particles" {
			return nil, nil
		}
		return seeded.costs(costsOf(cfg, g.Dim), ranks), nil
	})
	if err != nil || seeded == nil {
		return blocks, make([]int, ranks), err
	}
	return blocks, seeded.in(blocks), nil
}

// countSeeded returns the number of seeded cells of a block, given the initial level set in its own cells, x fastest.
func countSeeded(b *grid.Block, start []float64) (cells int) {
	band := 0.0
	for d := range b.Grid.Dim {
		band = max(band, seededBand*b.Grid.Spacing(d))
	}
	nx, ny := b.N[0], b.N[1]
	near := func(i, j, k int) bool {
		return math.Abs(start[min(i, nx-1)+nx*(min(j, ny-1)+ny*min(k, b.N[2]-1))]) < band
	}
	for n := range b.Cells() {
		i, j, k := n%nx, n/nx%ny, n/nx/ny
		for corner := range 1 << b.Grid.Dim {
			if near(i+corner&1, j+corner>>1&1, k+corner>>2) {
				cells++
				break
			}
		}
	}
	return cells
}
