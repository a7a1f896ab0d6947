package domain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/missing"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// Evaluate evaluates fields at the centroids of all cells of a part. Each field in the list must come after the
// fields that its expression uses. It adds to markers what it finds in files.
func Evaluate(ctx context.Context, c *config.Case, fields []config.Field, part *mesh.Part, markers *Markers) (
	map[string][]float64, error) {
	values := map[string][]float64{}
	sources, columns := make([]source, len(fields)), make([][]float64, len(fields))
	for i := range fields {
		var err error
		if sources[i], err = sourceOf(c, &fields[i], part); err != nil {
			return nil, fmt.Errorf("%s: %w", fields[i].Name, err)
		}
		columns[i] = make([]float64, len(part.Cells))
		values[fields[i].Name] = columns[i]
	}
	err := parallel.Each(ctx, "initial fields", len(part.Cells), cellsPerWorker, func(lo, hi int) error {
		previous := make([]float64, 0, len(fields))
		for cell := lo; cell < hi; cell++ {
			x, y := part.Centroid(cell)
			previous = previous[:0]
			for i, source := range sources {
				v, err := source.value(cell, x, y, previous)
				if err != nil {
					err = fmt.Errorf("%s at cell %d: %w", fields[i].Name, part.Global[cell], err)
					return addUncovered(err, part, source.value)
				}
				columns[i][cell] = v
				previous = append(previous, v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, source := range sources {
		if source.isFile {
			markers.add(fields[i].Name, part, columns[i], &source)
		}
		if source.lines != nil {
			markers.addLines(fields[i].Name, source.lines())
		}
	}
	return values, nil
}

// source is where the values of a field come from.
type source struct {
	// value returns the value in a cell, from its centroid and the values of the previous fields in the list. It is safe
	// for concurrent use.
	value valueOf
	// isFile means that values come from a file. marker returns the marker from which the value of a cell comes, and
	// extremes the least and largest values; nil if there are none to look for.
	isFile   bool
	grids    raster.Stack // from which values are interpolated; nil for others
	marker   func(cell int) (raster.Marker, bool)
	extremes func() []raster.Extremes
	// lines returns what lines have raised so far; nil if there are none.
	lines func() *raisedCells
}

type valueOf func(cell int, x, y float64, previous []float64) (float64, error)

func sourceOf(c *config.Case, f *config.Field, part *mesh.Part) (source, error) {
	s, err := plainSource(c, f, part)
	if err != nil || f.Crests == nil {
		return s, err
	}
	return raised(c, f, part, s)
}

// plainSource is sourceOf without the lines that raise cells.
func plainSource(c *config.Case, f *config.Field, part *mesh.Part) (source, error) {
	switch {
	case f.Classes.Table != "":
		return classes(c, f, part)
	case f.Rasters != nil:
		grids, err := rasters(c, f, part)
		if err != nil {
			return source{}, err
		}
		return sampled(f, part, grids), nil
	case f.Mesh != "":
		return ofMesh(f, part)
	}
	return source{value: func(_ int, x, y float64, previous []float64) (float64, error) {
		return f.Program.Eval(x, y, 0, 0, previous...)
	}}, nil
}

// rasters opens the rasters of a field, limited to the bounding box of the positions that the part's cells need.
func rasters(c *config.Case, f *config.Field, part *mesh.Part) (raster.Stack, error) {
	var paths []string
	for _, name := range f.Rasters {
		paths = append(paths, c.Path(name))
	}
	b := raster.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	add := func(x, y, reach float64) {
		reach, shorter := reachIn(part, reach, y)
		b = raster.Box{West: min(b.West, x-reach/shorter), South: min(b.South, y-reach), East: max(b.East, x+reach/shorter),
			North: max(b.North, y+reach)}
	}
	for cell, v := range part.Cells {
		x, y := part.Centroid(cell)
		add(x, y, f.Reach)
		if f.Sample == "mean" {
			for _, u := range v {
				add(part.X[u], part.Y[u], 0)
			}
		}
	}
	all, err := raster.OpenAll(paths, raster.Options{Variable: f.Variable, Missing: f.Missing, Box: b,
		Longitudes: part.Geographic})
	if err != nil {
		return nil, err
	}
	notes, err := all.Convert(raster.Wanted{EPSG: c.EPSG(), Unit: f.Unit, Positive: f.Positive})
	for _, note := range notes {
		c.Note(note)
	}
	return all, err
}

// addUncovered adds the number and bounding box of all cells without a raster value to an error about one of them.
func addUncovered(err error, part *mesh.Part, value valueOf) error {
	var missing *raster.Missing
	if !errors.As(err, &missing) {
		return err
	}
	count := 0
	var west, south, east, north float64
	for cell := range part.Cells {
		x, y := part.Centroid(cell)
		if _, err := value(cell, x, y, nil); !errors.As(err, &missing) {
			continue
		}
		if count == 0 {
			west, south, east, north = x, y, x, y
		}
		count++
		west, south, east, north = min(west, x), min(south, y), max(east, x), max(north, y)
	}
	return fmt.Errorf("%w: %d of this rank's %d cells have no value, at x from %g to %g and y from %g to %g; reach = … "+
		"of the raster takes the nearest value within that distance in m", err, count, len(part.Cells), west, east, south,
		north)
}

// ofMesh is the source of a field of the mesh file.
func ofMesh(f *config.Field, part *mesh.Part) (source, error) {
	data, err := part.Sample(dataOf(f))
	if err != nil {
		return source{}, err
	}
	s := source{isFile: true}
	hasNone := func(v float64) bool { return !(math.Abs(v) < missing.Huge) }
	if f.Missing == nil {
		s.marker, s.extremes = markersOfMesh(f, part), func() []raster.Extremes { return extremesOfMesh(f, part) }
	} else {
		hasNone = func(v float64) bool { return !(math.Abs(v) < missing.Huge) || missing.Matches(v, *f.Missing) }
	}
	values := valuesOfMesh(f, part)
	s.value = func(cell int, _, _ float64, _ []float64) (float64, error) {
		for _, v := range values(cell) {
			if hasNone(v) {
				return 0, fmt.Errorf("the mesh's field %q is %v", dataOf(f), v)
			}
		}
		return f.Sign() * data[cell], nil
	}
	return s, nil
}

// valuesOfMesh returns a function that returns the values of a field of the mesh of which the value of a cell is the
// mean.
func valuesOfMesh(f *config.Field, part *mesh.Part) func(cell int) [3]float64 {
	if data, onCells := part.CellData[dataOf(f)]; onCells {
		return func(cell int) [3]float64 { return [3]float64{data[cell], data[cell], data[cell]} }
	}
	data := part.VertexData[dataOf(f)]
	return func(cell int) [3]float64 {
		v := part.Cells[cell]
		return [3]float64{data[v[0]], data[v[1]], data[v[2]]}
	}
}
