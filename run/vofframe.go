package run

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/partition"
)

// imagePiece is a rank's part of a frame of a grid, format vti, and the boxes of all ranks.
type imagePiece struct {
	*vtk.Image
	boxes []vtk.Box
}

func (p *imagePiece) write(path string) error { return vtk.WriteImage(path, p.Image) }

func (p *imagePiece) join(path string, pieces []string) error {
	if len(pieces) != len(p.boxes) {
		return fmt.Errorf("%s: %d pieces of %d boxes", path, len(pieces), len(p.boxes))
	}
	all := make([]vtk.ImagePiece, len(pieces))
	for r, file := range pieces {
		all[r] = vtk.ImagePiece{Box: p.boxes[r], File: file}
	}
	return vtk.WritePVTI(path, all, p.Image)
}

// image is this rank's piece without fields.
func (d *vofRun) image() *imagePiece {
	b, g := d.block, d.block.Grid
	m := &vtk.Image{Dim: g.Dim, Whole: g.N, Box: vtk.Box{Lo: b.Lo, N: b.N}, Origin: g.Lo}
	for axis := range g.Dim {
		m.Spacing[axis] = g.Spacing(axis)
	}
	p := &imagePiece{Image: m}
	parts := [3]int{}
	ranks := 1
	for axis := range parts {
		parts[axis] = len(d.boxes.Cuts[axis]) - 1
		ranks *= parts[axis]
	}
	for r := range ranks {
		lo, n := partition.Box(g.N, parts, r)
		p.boxes = append(p.boxes, vtk.Box{Lo: lo, N: n})
	}
	m.CellData = vtk.Arrays{d.rankOf(b.Cells())}
	m.FieldData = vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{d.solver.Time()}}}
	return p
}

func (d *vofRun) frame(ctx context.Context, format string) (piece, error) {
	switch format {
	case "vtp":
		return d.surface(ctx)
	case "stl":
		p, err := d.surface(ctx)
		return (*stlPiece)(p), err
	case "plic":
		return d.planes(ctx)
	}
	p := d.image()
	for _, name := range d.c.Output.Fields {
		a, err := d.field(ctx, name)
		if err != nil {
			return nil, err
		}
		p.CellData = append(p.CellData, a)
	}
	return p, nil
}

// field is one of the case's fields at every cell of the block, x fastest.
func (d *vofRun) field(ctx context.Context, name string) (vtk.Array, error) {
	parts := numbersOf(name)
	values := make([]float64, d.block.Cells()*len(parts))
	for k, part := range parts {
		v, err := d.solver.Field(ctx, part)
		if err != nil {
			return vtk.Array{}, err
		}
		for i, x := range v {
			values[i*len(parts)+k] = x
		}
	}
	return vtk.Array{Name: name, Components: len(parts), Data: values}, nil
}
