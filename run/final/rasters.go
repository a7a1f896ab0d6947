package final

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/geotiff"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// rasterDir is the subfolder with the final fields, one GeoTIFF each.
const rasterDir = "raster"

// maxPixels limits the size of a raster: its values take 2 GiB.
const maxPixels = 1 << 28

// rasterGrid is a raster over a mesh. The coordinates of its lines are multiples of the spacing.
type rasterGrid struct {
	columns, rows        int
	west, north, spacing float64
}

// Rasters writes the fields of a plane mesh as images of square pixels, each with a style. A pixel gets the values of
// the cell that contains its centre; of several cells, that of the lowest key.
type Rasters struct {
	recorder.Base
	run *recorder.Run
}

// NewRasters returns the recorder of the rasters of a run.
func NewRasters(run *recorder.Run) *Rasters {
	return &Rasters{recorder.NewBase("rasters", recorder.Schedule{Once: true}), run}
}

// Write implements recorder.Recorder.
func (r *Rasters) Write(ctx context.Context, _ solvers.Clock, _ bool) error {
	space := r.run.Space("vtu")
	g, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	spacing := r.run.Case.Output.Raster
	if epsg.Geographic(r.run.Case.EPSG()) {
		spacing = sphere.Degrees(spacing)
	}
	raster, err := newRasterGrid(ctx, r.run.Comm, g.Mesh, spacing)
	if err != nil {
		return err
	}
	fields := r.run.WrittenOn(space)
	var components []solvers.Field
	var numbers [][]float64
	for _, f := range fields {
		values, err := f.Read(ctx)
		if err != nil {
			return err
		}
		declared := declaredAs(&f, r.run.Case)
		dry, err := r.maskedBy(ctx, &declared)
		if err != nil {
			return err
		}
		for k, name := range f.Numbers() {
			component := make([]float64, space.Owned)
			for i := range component {
				if component[i] = values[i*len(f.Numbers())+k]; dry != nil && dry[i] {
					component[i] = math.NaN()
				}
			}
			numbers = append(numbers, component)
			declared.Name = name
			components = append(components, declared)
		}
	}
	parts, err := ugrid.Gather(ctx, r.run.Comm, raster.pixels(g.Mesh, space, numbers))
	if err != nil {
		return err
	}
	if r.run.Comm.Rank() == 0 {
		err = r.writeFiles(&raster, components, parts)
	}
	return solvers.Agree(ctx, r.run.Comm, err)
}

// declaredAs returns a field as the kind of the case declares it, with what concerns pictures.
func declaredAs(f *solvers.Field, c *config.Case) solvers.Field {
	if kind, known := solvers.Find(c.Solver); known {
		for _, declared := range kind.Fields {
			if declared.Name == f.Name {
				return declared
			}
		}
	}
	return *f
}

// maskedBy returns in which owned cells pictures of a field show nothing, such as where it is dry; nil for a field that
// another one does not mask.
func (r *Rasters) maskedBy(ctx context.Context, f *solvers.Field) (dry []bool, err error) {
	all := r.run.Solver.Fields()
	k := slices.IndexFunc(all, func(mask solvers.Field) bool { return mask.Name == f.Mask && mask.Name != f.Name })
	if k < 0 {
		return nil, nil
	}
	mask, err := all[k].Read(ctx)
	if err != nil {
		return nil, err
	}
	declared := declaredAs(&all[k], r.run.Case)
	most := maskThreshold(&declared, r.run.Case)
	for _, v := range mask {
		dry = append(dry, v <= most)
	}
	return dry, nil
}

// newRasterGrid returns the raster that covers the meshes of all ranks.
func newRasterGrid(ctx context.Context, comm dist.Comm, m *vtk.Grid, spacing float64) (g rasterGrid, err error) {
	minima := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)} // of x, y, -x and -y
	for i := 0; i < len(m.Points); i += 3 {
		x, y := m.Points[i], m.Points[i+1]
		for k, v := range []float64{x, y, -x, -y} {
			minima[k] = min(minima[k], v)
		}
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, minima); err != nil {
		return g, err
	}
	g.spacing = spacing
	left, bottom := math.Floor(minima[0]/spacing), math.Floor(minima[1]/spacing)
	right, top := math.Ceil(-minima[2]/spacing), math.Ceil(-minima[3]/spacing)
	if columns, rows := right-left, top-bottom; !(columns*rows <= maxPixels) {
		return g, fmt.Errorf("[output] raster: a spacing of %g makes %g x %g pixels, more than %d", spacing, columns, rows,
			maxPixels)
	}
	g.columns, g.rows = int(right-left), int(top-bottom)
	g.west, g.north = left*spacing, top*spacing
	return g, nil
}

// pixels returns, for each pixel whose centre lies in an owned cell, its index, the key of the cell, and the values of
// the cell.
func (g *rasterGrid) pixels(m *vtk.Grid, space *solvers.Space, numbers [][]float64) []float64 {
	cellOf := map[int]int{}
	for i := range space.Owned {
		g.eachPixel(m, i, func(pixel int) {
			if other, known := cellOf[pixel]; !known || space.Key(i) < space.Key(other) {
				cellOf[pixel] = i
			}
		})
	}
	list := make([]float64, 0, len(cellOf)*(2+len(numbers)))
	for pixel, i := range cellOf { // in any order: writeFiles sorts them in
		list = append(list, float64(pixel), float64(space.Key(i)))
		for _, values := range numbers {
			list = append(list, values[i])
		}
	}
	return list
}

// eachPixel calls visit with each pixel whose centre lies in a triangle or on its edges.
func (g *rasterGrid) eachPixel(m *vtk.Grid, cell int, visit func(pixel int)) {
	var x, y [3]float64
	for k, v := range m.Cell(cell) {
		x[k], y[k] = m.Points[3*v], m.Points[3*v+1]
	}
	pixelRange := func(lo, hi float64, n int) (first, last int) {
		return max(0, int(math.Ceil(lo-.5))), min(n-1, int(math.Floor(hi-.5)))
	}
	left, right := pixelRange((min(x[0], x[1], x[2])-g.west)/g.spacing, (max(x[0], x[1], x[2])-g.west)/g.spacing,
		g.columns)
	top, bottom := pixelRange((g.north-max(y[0], y[1], y[2]))/g.spacing, (g.north-min(y[0], y[1], y[2]))/g.spacing, g.rows)
	for row := top; row <= bottom; row++ {
		py := g.north - (float64(row)+.5)*g.spacing
		for column := left; column <= right; column++ {
			px := g.west + (float64(column)+.5)*g.spacing
			inside := true
			for k := range 3 {
				n := (k + 1) % 3
				inside = inside && (x[n]-x[k])*(py-y[k])-(y[n]-y[k])*(px-x[k]) >= 0
			}
			if inside {
				visit(row*g.columns + column)
			}
		}
	}
}

// writeFiles writes one file per component, from the pixels of all ranks.
func (r *Rasters) writeFiles(g *rasterGrid, components []solvers.Field, parts [][]float64) error {
	if err := atomicfile.MakeFolder(r.run.Path(rasterDir)); err != nil {
		return err
	}
	keys := make([]float64, g.columns*g.rows)
	values := make([]float64, len(keys))
	for k, field := range components {
		for i := range keys {
			keys[i], values[i] = math.Inf(1), math.NaN()
		}
		for _, list := range parts {
			for ; len(list) > 0; list = list[2+len(components):] {
				if pixel := int(list[0]); list[1] < keys[pixel] {
					keys[pixel], values[pixel] = list[1], list[2+k]
				}
			}
		}
		image := &geotiff.Image{Columns: g.columns, Rows: g.rows, West: g.west, North: g.north, Width: g.spacing,
			Height: g.spacing, EPSG: r.run.Case.EPSG(), Name: field.Name, Unit: field.Unit, Values: values,
			Classes: len(field.Classes) > 0, Float64: r.run.Case.Output.RasterFloat64}
		if err := r.run.Publish(path.Join(rasterDir, field.Name+".tif"), func(path string) error {
			return geotiff.Write(path, image)
		}); err != nil {
			return err
		}
		style := styleOf(&field, r.run.Case, values)
		if err := r.run.Publish(path.Join(rasterDir, field.Name+".qml"), style.write); err != nil {
			return err
		}
	}
	return nil
}
