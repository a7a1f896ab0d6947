package twophase

import (
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/ghosts"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	"github.com/atoll-hpc/atoll/solvers/twophase/solid"
)

// solids are the arrays about solids; nil without them.
type solids[F num.Float] struct {
	geometry *solid.Geometry
	closed   [3]ghosts.Arrays[F] // sets closed faces to 0
	cells    ghosts.Arrays[F]    // sets solid cells to 0
	count    int                 // own cells that are solid
	solid    []bool              // by index
	rim      []int               // own cells of fluid with a closed face

	wall   [3]wallArrays[F]
	filled fillArrays[F]
}

type wallArrays[F num.Float] struct {
	faces *engine.Array[int32]
	near  *engine.Array[F]
	list  solid.WallList
}

// fillArrays are the cells in solids near the surface and the cells of fluid that they take their fraction from.
type fillArrays[F num.Float] struct {
	to, from *engine.Array[int32]
	weights  *engine.Array[F]
}

func declareSolids[F num.Float](t *engine.Table, c *Config, b *grid.Block) *solids[F] {
	if c.Solid == nil {
		return nil
	}
	g := solid.Classify(b, c.Solid)
	s := &solids[F]{geometry: g}
	for d := range b.Grid.Dim {
		s.closed[d] = ghosts.Declare[F](t, zeros(g.Shut[d]))
		list := g.Walls(d)
		s.wall[d] = wallArrays[F]{list: list,
			faces: engine.Input(t, "solids", len(list.Faces), func() []int32 { return list.Faces }),
			near:  engine.Input(t, "solids", len(list.Near), func() []F { return ghosts.InPrecision[F](list.Near) })}
	}
	inside := make([]bool, b.Len())
	for c := range inside {
		i, j, k := b.Cell(c)
		inside[c] = g.IsSolid([3]int{i, j, k})
	}
	s.solid = inside
	for c := range b.OwnedIndices() {
		rim := false
		for d := range b.Grid.Dim {
			rim = rim || g.Shut[d][c] || g.Shut[d][c+stride(b, d)]
		}
		if inside[c] {
			s.count++
		} else if rim {
			s.rim = append(s.rim, c)
		}
	}
	s.cells = ghosts.Declare[F](t, zeros(inside))
	to, from, weights := g.Fill(inside)
	s.filled = fillArrays[F]{engine.Input(t, "solids", len(to), func() []int32 { return to }),
		engine.Input(t, "solids", len(from), func() []int32 { return from }),
		engine.Input(t, "solids", len(weights), func() []F { return ghosts.InPrecision[F](weights) })}
	return s
}

// zeros lists elements that are set to 0.
func zeros(which []bool) (l ghosts.List) {
	for c, yes := range which {
		if yes {
			l.From, l.To, l.A, l.B = append(l.From, int32(c)), append(l.To, int32(c)), append(l.A, 0), append(l.B, 0)
		}
	}
	return l
}

// drag measures the force on solids.
type drag[F num.Float] struct{ *solver[F] }

// forces adds the force of the fluids on the solids to sums: that of the pressure on closed faces, and that of the
// stress that viscosity exerts on open faces from closed ones.
func (s drag[F]) forces(p, f []F, u *[3][]F, sums []dist.Accumulator) {
	g, dim := s.solids.geometry, s.block.Grid.Dim
	length, area := 1.0, float64(s.spacing)
	if dim == 3 {
		length, area = area, area*area
	}
	first := 0
	if s.cfg.Rings { // across the axis forces cancel
		first = 1
		length = s.cfg.unit(s.block.Grid) / float64(s.spacing)
		area = length
	}
	for _, c := range s.solids.rim {
		i, _, _ := s.block.Cell(c)
		area := area * s.cfg.weight(s.block, i)
		for d := first; d < dim; d++ {
			weight := s.cfg.densityOf(float64(f[c])) * s.cfg.Gravity[d] * float64(s.spacing) / 2 // of the half cell at the face
			if g.Shut[d][c] {
				sums[d].Add((weight - float64(p[c])) * area)
			}
			if g.Shut[d][c+stride(s.block, d)] {
				sums[d].Add((weight + float64(p[c])) * area)
			}
		}
	}
	for d := first; d < dim; d++ {
		w := &s.solids.wall[d].list
		for n, face := range w.Faces {
			sums[d].Add(s.onWall(g, w, d, n, int(face), f, u) * length)
		}
	}
}

// onWall is the force per length on the solid of face n of a list of walls, in units of the spacing.
func (s drag[F]) onWall(g *solid.Geometry, w *solid.WallList, d, n, c int, f []F, u *[3][]F) (sum float64) {
	dim, own := s.block.Grid.Dim, stride(s.block, d)
	v := float64(u[d][c])
	i, _, _ := s.block.Cell(c)
	radius := s.cfg.weight(s.block, i)
	for turn := range dim {
		along := (d + turn) % dim
		step := stride(s.block, along)
		for side := range 2 {
			if !g.Shut[d][c+(2*side-1)*step] {
				continue
			}
			excess := w.Near[2*n*dim+2*turn+side]
			if turn == 0 {
				sum += 2 * s.viscosityOf(f, c+(side-1)*own) * v * (1 + excess) * radius
				continue
			}
			at := c + side*step
			slope := float64(u[along][at]) - float64(u[along][at-own])
			mu := s.viscosityOf(f, at, at-own, at-step, at-step-own)
			if s.cfg.Rings {
				mu *= radius - .5 + float64(side)
			}
			sum += mu * (v*(1+excess) - float64(2*side-1)*slope)
		}
	}
	return sum
}

// viscosityOf is the viscosity of the mean of those cells that are not solid.
func (s drag[F]) viscosityOf(f []F, cells ...int) float64 {
	sum, count := 0.0, 0.0
	for _, c := range cells {
		if !s.solids.solid[c] {
			sum, count = sum+float64(f[c]), count+1
		}
	}
	return s.cfg.Viscosity[1] + (s.cfg.Viscosity[0]-s.cfg.Viscosity[1])*sum/max(count, 1)
}

// zeroClosedFaces sets closed faces of component d to 0.
func (s *solver[F]) zeroClosedFaces(p *engine.Program, d int, v *engine.Array[F]) {
	if s.solids != nil {
		p.Run(s.solids.closed[d].Fill(v))
	}
}

// extendFractions continues a volume fraction into solids and beyond sides with contact angles, for planes, curvatures
// and viscosity.
func (s *solver[F]) extendFractions(p *engine.Program, f *engine.Array[F]) {
	if s.solids != nil {
		q := &s.solids.filled
		p.Run(engine.Whole(kernels.NewFillSolidsLoop(1<<s.block.Grid.Dim, q.to.Data, q.from.Data, q.weights.Data, f.Data),
			len(q.to.Data)))
		s.refreshFractions(p, f)
	}
	wetting[F]{s}.extend(p, f)
}

// emptySolids sets solid cells to 0.
func (s *solver[F]) emptySolids(p *engine.Program, a *engine.Array[F]) {
	if s.solids != nil {
		p.Run(s.solids.cells.Fill(a))
	}
}

// walls are the walls of component d for kernels.
func (s *solids[F]) walls(d int) *kernels.Walls[F] {
	w := &s.wall[d]
	return &kernels.Walls[F]{Faces: w.faces.Data, Near: w.near.Data}
}
