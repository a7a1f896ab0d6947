package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/raster"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	shallowproblem "github.com/atoll-hpc/atoll/solvers/shallow/problem"
)

// evaluate fills fields at the centroid of every cell of a part, in the order of the list, in which each field comes
// after those that its expression uses.
func evaluate(c *config.Case, fields []config.Field, part *mesh.Part) (map[string][]float64, error) {
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

// isZero tells whether a field is the number 0.
func isZero(f *config.Field) bool { return f.Expr == "0" }

// boundaryKinds gives for each group of the mesh whether its edges are open. A group that the case names and the mesh
// does not have is refused.
func boundaryKinds(b shallowproblem.Boundary, groups []mesh.Group) ([]bool, error) {
	open := make([]bool, len(groups))
	var names []string
	for i, g := range groups {
		kind, ok := b.Groups[g.Name]
		if !ok {
			kind = b.Default
		}
		open[i] = kind == "open"
		if g.Dim == 1 {
			names = append(names, g.Name)
		}
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(b.Groups)), slices.Sorted(maps.Keys(b.Given))) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("[boundary] %q: the mesh has no edges of that group; its groups are %q", name, names)
		}
	}
	return open, nil
}

// givens finds what is given at each group of the mesh, nil for nothing.
func givens(b shallowproblem.Boundary, groups []mesh.Group) []*shallow.Given {
	all := make([]*shallow.Given, len(groups))
	for i, g := range groups {
		if given, ok := b.Given[g.Name]; ok && g.Dim == 1 {
			all[i] = &shallow.Given{Kind: given.Kind, Value: given.Value}
		}
	}
	return all
}
