package vof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Fields are the names that Field and Probe accept.
var Fields = []string{"f", "nx", "ny", "nz", "alpha", "curvature"}

func (s *solver[F]) checkField(name string) error {
	if !slices.Contains(Fields, name) {
		return fmt.Errorf("field %q is not known; use one of %s", name, strings.Join(Fields, ", "))
	}
	if name == "curvature" && s.block.Ghost < heightGhosts {
		return fmt.Errorf("the block has %d layers of ghosts, the curvature needs %d: see Config.Curvature", s.block.Ghost,
			heightGhosts)
	}
	return nil
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 1000

func (s *solver[F]) Field(ctx context.Context, name string) ([]float64, error) {
	if err := s.checkField(name); err != nil {
		return nil, err
	}
	field, err := s.hostField(ctx, true)
	if err != nil {
		return nil, err
	}
	out := make([]float64, s.block.Cells())
	row, rows := s.block.N[0], s.block.N[1]*s.block.N[2]
	parallel.Ranges(rows, parallel.Parts(rows, cellsPerWorker/row+1), func(_, lo, hi int) {
		for n := lo; n < hi; n++ {
			first := s.block.Index(0, n%s.block.N[1], n/s.block.N[1])
			for i := range row {
				out[n*row+i] = s.quantity(field, name, first+i)
			}
		}
	})
	return out, nil
}

func (s *solver[F]) Probe(ctx context.Context, names []string, cells []int, out []float64) error {
	planes := false
	for _, name := range names {
		if err := s.checkField(name); err != nil {
			return err
		}
		planes = planes || name != "f"
	}
	if len(out) != len(names)*len(cells) {
		return fmt.Errorf("out has %d elements for %d fields in %d cells", len(out), len(names), len(cells))
	}
	field := s.fields[s.currentField()]
	reach := 0
	if planes { // on all ranks, with or without cells: the exchange is collective
		if err := s.fillGhosts(ctx); err != nil {
			return err
		}
		reach = s.block.Ghost
	}
	n := s.block.N
	for _, cell := range cells {
		i, j, k := cell%n[0], cell/n[0]%n[1], cell/n[0]/n[1]
		view := field
		if s.separate {
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
func (s *solver[F]) download(i, j, k, reach int) error {
	field := s.fields[s.currentField()]
	reachZ := reach
	if s.block.Grid.Dim == 2 {
		reachZ = 0
	}
	for dk := -reachZ; dk <= reachZ; dk++ {
		for dj := -reach; dj <= reach; dj++ {
			lo, hi := s.block.Index(i-reach, j+dj, k+dk), s.block.Index(i+reach, j+dj, k+dk)+1
			if err := backend.Download(s.dev, s.host[lo:hi], field[lo:hi]); err != nil {
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
	case !s.mixed(v):
		return 0
	case name == "curvature":
		return s.curvature(field, c)
	}
	n, alpha, _ := s.plane(field, c)
	if name == "alpha" {
		return alpha
	}
	return n[name[1]-'x']
}
