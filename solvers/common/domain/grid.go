package domain

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
)

// Block is a rank's block of a grid, with the blocks of all ranks and the halo plan.
type Block struct {
	*grid.Block
	Boxes halo.Boxes // boxes of all ranks
	Plan  *halo.BoxPlan
	Rule  division.Rule // how NewDividedBlock divides the grid; nil for other blocks
}

// Cut returns a rank's block of a grid with ghost layers of ghosts.
func Cut(s *config.Grid, ghost, rank, ranks int) (*Block, error) {
	g, err := gridOf(s)
	if err != nil {
		return nil, err
	}
	return cut(g, s, ghost, rank, ranks, Division{})
}

func gridOf(s *config.Grid) (*grid.Grid, error) {
	g, err := grid.New(s.Dim, s.Cells, s.Lo, s.Hi, s.Periodic)
	if err != nil {
		return nil, fmt.Errorf("[grid] %w", err)
	}
	return g, nil
}

// Division is how a grid is divided into blocks, if not into equal ones.
type Division struct {
	Costs *partition.Bins // that blocks share equally; nil if all cells cost the same
	// Align, unless it is 0, is the number of cells along each axis that are not divided, from the first cell on: those
	// of a cell of the coarsest level that is divided into blocks too. Without Costs.
	Align [3]int
}

// boxes returns the blocks of all ranks. Those of equal cost are at least as thick as layers of ghosts, so that ghosts
// beyond a wall are beside a block; without room for them, straight cuts divide the grid.
func (d *Division) boxes(g *grid.Grid, ranks int, fixed [3]int, ghost int) (b halo.Boxes, err error) {
	n := g.N
	if d.Costs != nil && fixed == [3]int{} && ranks > 1 {
		if b, err := EqualBoxes(g, d.Costs, ranks, ghost); err == nil {
			return b, nil
		}
	}
	if d.Align != [3]int{} {
		n = partition.Groups(n, d.Align)
	}
	parts, err := partition.Blocks(n, g.Dim, ranks, fixed)
	if err != nil {
		if n != g.N {
			err = fmt.Errorf("%w; blocks are made of groups of %v cells, which coarse grids do not divide", err,
				d.Align[:g.Dim])
		}
		return b, fmt.Errorf("[grid] blocks: %w", err)
	}
	b = halo.Boxes{Dim: g.Dim, Cuts: partition.BoxCuts(g.N, parts), Periodic: g.Periodic}
	if n != g.N {
		b.Cuts = partition.AlignedCuts(g.N, parts, d.Align)
	}
	if d.Costs != nil {
		b.Cuts = partition.WeightedCuts(d.Costs.Slabs(), parts, ghost)
	}
	return b, nil
}

// EqualBoxes divides a grid into boxes of about equal cost, which are at least as thick as layers of ghosts.
func EqualBoxes(g *grid.Grid, costs *partition.Bins, ranks, ghost int) (b halo.Boxes, err error) {
	shares, err := partition.Bisect(costs, ranks, ghost)
	if err != nil {
		return b, err
	}
	b = halo.Boxes{Dim: g.Dim, Cuts: [3][]int{{0, g.N[0]}, {0, g.N[1]}, {0, g.N[2]}}, Periodic: g.Periodic}
	for _, s := range shares {
		b.Parts = append(b.Parts, halo.Box(s))
	}
	return b, nil
}

// cut is Cut with a division.
func cut(g *grid.Grid, s *config.Grid, ghost, rank, ranks int, d Division) (*Block, error) {
	boxes, err := d.boxes(g, ranks, s.Blocks, ghost)
	if err != nil {
		return nil, err
	}
	return BlockOf(g, boxes, ghost, rank)
}

// BlockOf returns the block of a rank, with ghost layers of ghosts, of a grid that is divided into boxes.
func BlockOf(g *grid.Grid, boxes halo.Boxes, ghost, rank int) (b *Block, err error) {
	b = &Block{Boxes: boxes}
	lo, n := b.Boxes.Box(rank)
	if b.Block, err = g.Block(lo, n, ghost); err != nil {
		return nil, fmt.Errorf("[grid] %w", err)
	}
	if b.Plan, err = halo.NewBoxPlan(b.Boxes, rank, ghost, [3]int{ghost, ghost, ghost}, halo.AxisByAxis); err != nil {
		return nil, fmt.Errorf("[grid] %w; use fewer ranks or a finer grid", err)
	}
	return b, nil
}

// NewBlock makes a rank's block of the grid of a case, with ghost layers of ghosts. All ranks call it, and all return
// an error if one of them cannot make its block, its check (which may be nil) refuses it, or its device has too little
// memory.
func NewBlock(ctx context.Context, env *solvers.Env, c *config.Case, s *config.Grid, ghost int,
	check func(*Block) error) (*Block, error) {
	return NewBalancedBlock(ctx, env, c, s, ghost, nil, check)
}

// NewBalancedBlock is NewBlock with blocks of about equal cost, or with those of straight cuts if the case prescribes
// how many. All ranks call costs, which must return the same on all of them; a nil costs, or nil bins, mean that all
// cells cost the same.
func NewBalancedBlock(ctx context.Context, env *solvers.Env, c *config.Case, s *config.Grid, ghost int,
	costs func(*grid.Grid) (*partition.Bins, error), check func(*Block) error) (*Block, error) {
	return NewDividedBlock(ctx, env, c, s, ghost, func(g *grid.Grid) (d Division, err error) {
		if costs != nil {
			d.Costs, err = costs(g)
		}
		return d, err
	}, check)
}

// NewDividedBlock is NewBlock with a division, which must be the same on all ranks.
func NewDividedBlock(ctx context.Context, env *solvers.Env, c *config.Case, s *config.Grid, ghost int,
	divide func(*grid.Grid) (Division, error), check func(*Block) error) (*Block, error) {
	g, err := gridOf(s)
	if err != nil {
		return nil, err
	}
	d, err := divide(g)
	if err != nil {
		return nil, err
	}
	b, err := cut(g, s, ghost, env.Comm.Rank(), env.Comm.Size(), d)
	if err == nil && check != nil {
		err = check(b)
	}
	if err := solvers.Agree(ctx, env.Comm, err); err != nil {
		return nil, err
	}
	b.Rule = func(_ context.Context, ranks int) (*division.Division, error) {
		boxes, err := d.boxes(g, ranks, s.Blocks, ghost)
		return &division.Division{Boxes: &boxes, Costs: d.Costs}, err
	}
	division.Tell(env.Comm, b.Rule)
	return b, env.CheckMemory(ctx, c, b.Counts())
}

// Blocks returns the blocks of all ranks, without plans and without allocating arrays. costs is as in NewBalancedBlock.
func Blocks(s *config.Grid, ghost, ranks int, costs func(*grid.Grid) (*partition.Bins, error)) ([]*Block, error) {
	g, err := gridOf(s)
	if err != nil {
		return nil, err
	}
	var d Division
	if d.Costs, err = costs(g); err != nil {
		return nil, err
	}
	boxes, err := d.boxes(g, ranks, s.Blocks, ghost)
	if err != nil {
		return nil, err
	}
	blocks := make([]*Block, ranks)
	for rank := range blocks {
		b := &Block{Boxes: boxes}
		lo, n := boxes.Box(rank)
		if b.Block, err = g.Block(lo, n, ghost); err != nil {
			return nil, fmt.Errorf("[grid] %w", err)
		}
		blocks[rank] = b
	}
	return blocks, nil
}

// Counts returns the sizes from which memory is estimated.
func (b *Block) Counts() solvers.Counts {
	return solvers.Counts{Dim: b.Grid.Dim, Owned: b.Cells(), Held: b.Len(), Block: b.Block}
}

// Box returns the index range of the block's own cells in the grid.
func (b *Block) Box() abi.Box {
	return abi.Box{Lo: b.Lo, Hi: [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]}}
}

// Evaluate returns an array of the block with the values of an expression at the centres of its own cells.
func (b *Block) Evaluate(ctx context.Context, f *config.Field) ([]float64, error) {
	values, row := make([]float64, b.Len()), b.N[0]
	return values, parallel.Each(ctx, f.Name, b.N[1]*b.N[2], cellsPerWorker/row+1, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			j, k := r%b.N[1], r/b.N[1]
			first := b.Index(0, j, k)
			for i := range row {
				x, y, z := b.Centre(i, j, k)
				var err error
				if values[first+i], err = f.Program.Eval(x, y, z, 0); err != nil {
					return fmt.Errorf("%s at cell %d: %w", f.Name, b.Number(r*row+i), err)
				}
			}
		}
		return nil
	})
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 1000

// Size returns the size of a case on the grid given the bytes of its arrays on this rank.
func (b *Block) Size(c *config.Case, bytes int64, precision, halo string) solvers.Size {
	return solvers.Size{Unit: "cell", Dim: b.Grid.Dim, Entities: int64(b.Grid.Cells()), Bytes: bytes,
		Precision: precision, Halo: halo, End: c.Time.End, MaxSteps: c.Time.MaxSteps}
}

// Space returns the space of the block's own cells, numbered with x fastest. Keys are cell numbers in the whole grid,
// x fastest.
func (b *Block) Space() *solvers.Space {
	image, boxes := b.image()
	return &solvers.Space{
		Name: "cell", Owned: b.Cells(), Key: b.Number, Position: b.centre, Size: b.size, Locate: b.locateAll, Format: "vti",
		Geometry: func(context.Context) (solvers.Geometry, error) {
			return solvers.Geometry{Block: image, Boxes: boxes}, nil
		},
	}
}

func (b *Block) centre(i int) []float64 {
	x, y, z := b.Centre(i%b.N[0], i/b.N[0]%b.N[1], i/b.N[0]/b.N[1])
	return []float64{x, y, z}[:b.Grid.Dim]
}

func (b *Block) size(int) float64 { return b.Grid.CellVolume() }

func (b *Block) locateAll(points [][]float64) []int {
	cells := make([]int, len(points))
	for k, at := range points {
		cells[k] = b.locate(at)
	}
	return cells
}

// locate returns the block's cell that contains a point, -1 for none; on a face between two cells, the lower cell.
func (b *Block) locate(at []float64) (cell int) {
	g := b.Grid
	var own [3]int
	for axis, x := range at {
		n := g.N[axis]
		if !(x >= g.Face(axis, 0) && x <= g.Face(axis, n)) {
			return -1
		}
		i := min(n-1, int(math.Ceil((x-g.Lo[axis])/g.Spacing(axis))))
		for i > 0 && x <= g.Face(axis, i) {
			i--
		}
		if own[axis] = i - b.Lo[axis]; own[axis] < 0 || own[axis] >= b.N[axis] {
			return -1
		}
	}
	for axis := 2; axis >= 0; axis-- {
		cell = cell*b.N[axis] + own[axis]
	}
	return cell
}

// image describes the block for VTK files, and the boxes of all ranks.
func (b *Block) image() (*vtk.Image, []vtk.Box) {
	g := b.Grid
	m := &vtk.Image{Dim: g.Dim, Whole: g.N, Box: vtk.Box{Lo: b.Lo, N: b.N}, Origin: g.Lo}
	for axis := range m.Spacing {
		m.Spacing[axis] = g.Spacing(axis)
	}
	var boxes []vtk.Box
	for r := range b.Boxes.Ranks() {
		lo, n := b.Boxes.Box(r)
		boxes = append(boxes, vtk.Box{Lo: lo, N: n})
	}
	return m, boxes
}
