package domain

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/common/ground"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// TriangleOf returns the vertices of a cell.
func TriangleOf(part *mesh.Part, cell int) ground.Triangle {
	var t ground.Triangle
	for k, v := range part.Cells[cell] {
		t[k] = ground.Point{part.X[v], part.Y[v]}
	}
	return t
}

// sampled is the source of a field of rasters: their values at centroids, or means over cells.
func sampled(f *config.Field, part *mesh.Part, grids raster.Stack) source {
	sign := f.Sign()
	s := source{isFile: true, grids: grids, value: func(cell int, x, y float64, _ []float64) (float64, error) {
		var v float64
		var err error
		if f.Sample == "mean" {
			t := TriangleOf(part, cell)
			v, err = ground.Mean(grids, &t, x, y)
		} else {
			v, err = grids.At(x, y)
		}
		v, err = withinReach(f, part, grids, x, y, v, err)
		return sign * v, err
	}}
	if f.Missing != nil {
		return s
	}
	s.extremes = grids.Extremes
	if !grids.HasMarkers() {
		return s
	}
	s.marker = func(cell int) (m raster.Marker, ok bool) {
		x, y := part.Centroid(cell)
		m, ok = grids.Marker(x, y)
		if f.Sample == "mean" {
			t := TriangleOf(part, cell)
			ground.Samples(&t, grids.CellSize(x, y), func(x, y float64) {
				if !ok {
					m, ok = grids.Marker(x, y)
				}
			})
		}
		m.Value *= sign
		return m, ok
	}
	return s
}

// withinReach returns a value of rasters at a position, or where they have no data the nearest value within the reach
// of the field. v and err are what they gave at the position.
func withinReach(f *config.Field, part *mesh.Part, grids raster.Stack, x, y, v float64, err error) (float64, error) {
	var missing *raster.Missing
	if f.Reach > 0 && errors.As(err, &missing) {
		reach, shorter := reachIn(part, f.Reach, y)
		if near, found := grids.Nearest(x, y, reach, shorter); found {
			return near, nil
		}
	}
	return v, err
}

// reachIn returns a distance in m in the unit of a part's coordinates, and the factor of raster.Stack.Nearest.
func reachIn(part *mesh.Part, distance, y float64) (reach, shorter float64) {
	if !part.Geographic {
		return distance, 1
	}
	return sphere.Degrees(distance), math.Cos(y * math.Pi / 180)
}

// classes is the source of a field of classes: the value of the class at the centroid.
func classes(c *config.Case, f *config.Field, part *mesh.Part) (source, error) {
	table, err := ground.ReadTable(c.Path(f.Classes.Table), f.Classes.Column)
	if err != nil {
		return source{}, err
	}
	if f.Polygons != nil {
		var paths []string
		for _, name := range f.Polygons {
			paths = append(paths, c.Path(name))
		}
		cover, err := ground.ReadCover(paths, f.Classes.Property, table, c.EPSG())
		if err != nil {
			return source{}, err
		}
		return source{isFile: true, value: func(_ int, x, y float64, _ []float64) (float64, error) {
			return cover.At(x, y)
		}}, nil
	}
	unitless := *f
	unitless.Unit = "" // the raster has classes, and no quantities
	grids, err := rasters(c, &unitless, part)
	if err != nil {
		return source{}, err
	}
	return source{isFile: true, value: func(_ int, x, y float64, _ []float64) (float64, error) {
		class, err := grids.Cell(x, y)
		if class, err = withinReach(f, part, grids, x, y, class, err); err != nil {
			return 0, err
		}
		return table.Number(class)
	}}, nil
}

// raised is the source of a bed that lines raise to their crests in the cells that they cross.
func raised(c *config.Case, f *config.Field, part *mesh.Part, s source) (source, error) {
	var paths []string
	for _, name := range f.Crests {
		paths = append(paths, c.Path(name))
	}
	crests, err := ground.ReadCrests(paths, c.EPSG())
	if err != nil {
		return source{}, err
	}
	var over, higher atomic.Int64
	s.lines = func() *raisedCells { return &raisedCells{f.Crests, int(over.Load()), int(higher.Load())} }
	if crests.OfGround() && s.grids == nil {
		return source{}, errors.New("lines with crest = \"raster\" need a bed from rasters")
	}
	terrain := groundOf(f, s.grids)
	bed := s.value
	s.value = func(cell int, x, y float64, previous []float64) (float64, error) {
		depth, err := bed(cell, x, y, previous)
		if err != nil {
			return 0, err
		}
		t := TriangleOf(part, cell)
		if height, crossed := crests.Over(&t, terrain); crossed {
			over.Add(1)
			if -height < depth {
				higher.Add(1)
				depth = -height
			}
		}
		return depth, nil
	}
	return s, nil
}

// groundOf is the height of the ground in rasters.
func groundOf(f *config.Field, grids raster.Stack) *ground.Ground {
	return &ground.Ground{
		Height: func(x, y float64) (float64, bool) {
			v, err := grids.At(x, y)
			return -f.Sign() * v, err == nil
		},
		Step: grids.CellSize,
	}
}
