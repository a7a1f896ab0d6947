package domain

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// Evaluate fills fields at the centroid of every cell of a part, in the order of the list, in which each field comes
// after those that its expression uses.
func Evaluate(c *config.Case, fields []config.Field, part *mesh.Part) (map[string][]float64, error) {
	values := map[string][]float64{}
	sources := make([]func(cell int, x, y float64) (float64, error), len(fields))
	extra := make([]float64, 0, len(fields))
	for i := range fields {
		var err error
		if sources[i], err = source(c, &fields[i], part, &extra); err != nil {
			return nil, fmt.Errorf("%s: %w", fields[i].Name, err)
		}
		values[fields[i].Name] = make([]float64, len(part.Cells))
	}
	for cell := range part.Cells {
		x, y := part.Centroid(cell)
		extra = extra[:0]
		for i, value := range sources {
			v, err := value(cell, x, y)
			if err != nil {
				return nil, fmt.Errorf("%s at cell %d: %w", fields[i].Name, part.Global[cell], err)
			}
			values[fields[i].Name][cell] = v
			extra = append(extra, v)
		}
	}
	return values, nil
}

// source returns a function that gives the value of a field at a cell. extra holds the values of the fields before it.
func source(c *config.Case, f *config.Field, part *mesh.Part,
	extra *[]float64) (func(int, float64, float64) (float64, error), error) {
	switch {
	case f.Raster != "":
		grid, err := raster.Read(c.Path(f.Raster))
		if err != nil {
			return nil, err
		}
		sign := f.Sign()
		return func(_ int, x, y float64) (float64, error) {
			v, err := grid.At(x, y)
			return sign * v, err
		}, nil
	case f.Mesh != "":
		data, err := part.Sample(f.Mesh)
		if err != nil {
			return nil, err
		}
		sign := f.Sign()
		return func(cell int, _, _ float64) (float64, error) {
			v := data[cell]
			if v-v != 0 {
				return 0, fmt.Errorf("the mesh's field %q is %v", f.Mesh, v)
			}
			return sign * v, nil
		}, nil
	}
	return func(_ int, x, y float64) (float64, error) { return f.Program.Eval(x, y, 0, 0, (*extra)...) }, nil
}
