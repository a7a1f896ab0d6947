package vof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Fields are the fields that a case can write.
var Fields = []solvers.Field{
	{Name: "f", Doc: "volume fraction of the fluid", Range: &[2]float64{0, 1}},
	{Name: "normal", Doc: "unit normal of the interface, out of the fluid; 0 in cells without an interface",
		Components: []string{"nx", "ny", "nz"}, OnRequest: true},
	{Name: "alpha", Unit: "m", Doc: "the fluid is where n·x ≤ alpha, x from the lowest corner of the cell",
		OnRequest: true},
	{Name: "curvature", Unit: "1/m", Doc: "of the interface: 1/r of a disk, 2/r of a ball", OnRequest: true},
	{Name: "normal_error", Doc: "|normal - exact|, relative to the expected final body; 0 in cells without",
		OnRequest: true},
	{Name: "curvature_error", Unit: "1/m", Doc: "|curvature - exact| likewise", OnRequest: true},
}

// fieldList returns Fields with the values of the block's cells.
func (s *solver[F]) fieldList() []solvers.Field {
	list := slices.Clone(Fields)
	for i := range list {
		f := &list[i]
		f.Space = s.cells
		switch f.Name {
		case "f":
			f.Hashed, f.Saved = true, true
			states := s.fields[:1]
			if s.traversal == byTiles {
				states = s.fields
			}
			*f = engine.ShownOnBlock(s.Engine, *f, s.block, states...)
		case "normal_error", "curvature_error":
			f.Values = func(ctx context.Context) ([]float64, error) { return s.shownErrors(ctx, f.Name == "curvature_error") }
		default:
			names := f.Numbers()
			if f.Name == "normal" {
				names = names[:s.block.Grid.Dim]
				f.Components = names
			}
			f.Values = func(ctx context.Context) ([]float64, error) { return s.values(ctx, names...) }
			f.ValuesAt = func(ctx context.Context, cells []int, values []float64) error {
				return s.probe(ctx, names, cells, values)
			}
		}
	}
	return list
}

// numbers are the names that values and probe accept.
var numbers = []string{"f", "nx", "ny", "nz", "alpha", "curvature"}

func (s *solver[F]) checkNames(names []string) error {
	for _, name := range names {
		if !slices.Contains(numbers, name) {
			return fmt.Errorf("field %q is not known; use one of %s", name, strings.Join(numbers, ", "))
		}
		if name == "curvature" && s.block.Ghost < heightGhosts {
			return fmt.Errorf("the block has %d layers of ghosts, the curvature needs %d: see Config.Curvature", s.block.Ghost,
				heightGhosts)
		}
	}
	return nil
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 1000

// values returns quantities of every cell of the block, cell by cell, x fastest: f, or in mixed cells nx, ny, nz, alpha
// and curvature, 0 in other cells. The fluid is where n·x ≤ alpha, with the unit normal n and x relative to the lowest
// corner of the cell. The curvature is 1/r for a disk of fluid, 2/r for a ball, and NaN where too little of the
// interface is nearby. All ranks call it.
func (s *solver[F]) values(ctx context.Context, names ...string) ([]float64, error) {
	if err := s.checkNames(names); err != nil {
		return nil, err
	}
	field, err := s.hostField(ctx)
	if err != nil {
		return nil, err
	}
	out, n := make([]float64, s.block.Cells()*len(names)), len(names)
	row, rows := s.block.N[0], s.block.N[1]*s.block.N[2]
	parallel.Ranges(rows, parallel.Parts(rows, cellsPerWorker/row+1), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			first := s.block.Index(0, r%s.block.N[1], r/s.block.N[1])
			for i := range row {
				for m, name := range names {
					out[(r*row+i)*n+m] = s.quantity(field, name, first+i)
				}
			}
		}
	})
	return out, nil
}

// probe writes quantities of single cells to out, cell by cell; cells are numbers in the block, x fastest. All ranks
// call it with the same names, each with its own cells.
func (s *solver[F]) probe(ctx context.Context, names []string, cells []int, out []float64) error {
	if err := s.checkNames(names); err != nil {
		return err
	}
	if len(out) != len(names)*len(cells) {
		return fmt.Errorf("out has %d elements for %d fields in %d cells", len(out), len(names), len(cells))
	}
	reach := 0
	if !slices.Equal(names, numbers[:1]) { // on all ranks, with or without cells: the exchange is collective
		if err := s.fillGhosts(ctx); err != nil {
			return err
		}
		reach = s.block.Ghost
	}
	n := s.block.N
	for _, cell := range cells {
		i, j, k := cell%n[0], cell/n[0]%n[1], cell/n[0]/n[1]
		view := s.state().Data
		if s.host != nil {
			view = s.host
			if err := s.download(i, j, k, reach); err != nil {
				return err
			}
		}
		for m, name := range names {
			out[m] = s.quantity(view, name, s.block.Index(i, j, k))
		}
		out = out[len(names):]
	}
	return nil
}

// download copies the cells within a distance of `reach` cells to the host.
func (s *rank[F]) download(i, j, k, reach int) error {
	field := s.state().Data
	reachZ := reach
	if s.block.Grid.Dim == 2 {
		reachZ = 0
	}
	for dk := -reachZ; dk <= reachZ; dk++ {
		for dj := -reach; dj <= reach; dj++ {
			lo, hi := s.block.Index(i-reach, j+dj, k+dk), s.block.Index(i+reach, j+dj, k+dk)+1
			if err := backend.Download(s.Env().Device, s.host[lo:hi], field[lo:hi]); err != nil {
				return err
			}
		}
	}
	return nil
}

// quantity returns a field in the cell at index c of the volume fractions, whose ghosts must be up to date.
func (s *solver[F]) quantity(field []F, name string, c int) float64 {
	v := float64(field[c])
	switch {
	case name == "f":
		return v
	case !s.plic.Mixed(v):
		return 0
	case name == "curvature":
		return s.plic.Curvature(field, c)
	}
	n, alpha, _ := s.plic.Plane(field, c)
	if name == "alpha" {
		return alpha
	}
	return n[name[1]-'x']
}
