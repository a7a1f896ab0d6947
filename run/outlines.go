package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// outlineFile has areas as GeoJSON (RFC 7946), in the folder of the run.
const outlineFile = "outlines.geojson"

// outlines writes the areas of the solver at the end of a run. All ranks call it.
func (r *runner) outlines(ctx context.Context) error {
	s, ok := r.solver.(solvers.Outliner)
	if !ok || len(s.Outlines()) == 0 {
		return nil
	}
	list := s.Outlines()
	areas := make([]area, len(list))
	for k, o := range list {
		g, err := o.On.Geometry(ctx)
		if err != nil {
			return err
		}
		inside, err := o.Inside(ctx)
		if err != nil {
			return err
		}
		parts, err := ugrid.Gather(ctx, r.Comm, numbersOf(rim(g.Mesh, inside)))
		if err != nil {
			return err
		}
		areas[k] = area{o, polygons(sidesOf(parts))}
	}
	var err error
	if r.Comm.Rank() == 0 {
		err = r.writeOutlines(areas)
	}
	return solvers.Agree(ctx, r.Comm, err)
}

// area is an outline and its polygons.
type area struct {
	solvers.Outline
	polygons []polygon
}

// side is an edge of a triangle, which lies at its left.
type side struct{ from, to [2]float64 }

func (s side) reversed() side { return side{s.to, s.from} }

// rim are the edges of the triangles that are inside which no two of them share, in any order.
func rim(m *vtk.Grid, inside []bool) []side {
	open := map[side]bool{}
	for i, in := range inside {
		if !in {
			continue
		}
		cell := m.Cell(i)
		for k := range 3 {
			a, b := cell[k], cell[(k+1)%3]
			join(open, side{[2]float64{m.Points[3*a], m.Points[3*a+1]}, [2]float64{m.Points[3*b], m.Points[3*b+1]}})
		}
	}
	list := make([]side, 0, len(open))
	for s := range open {
		list = append(list, s)
	}
	return list
}

// join adds a side, or takes out that of the triangle beyond it.
func join(open map[side]bool, s side) {
	if open[s.reversed()] {
		delete(open, s.reversed())
	} else {
		open[s] = true
	}
}

// sidesOf are the sides of all ranks that no two share, sorted.
func sidesOf(parts [][]float64) []side {
	open := map[side]bool{}
	for _, part := range parts {
		for ; len(part) > 0; part = part[4:] {
			join(open, side{[2]float64(part[:2]), [2]float64(part[2:4])})
		}
	}
	list := make([]side, 0, len(open))
	for s := range open {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b side) int {
		return cmp.Or(slices.Compare(a.from[:], b.from[:]), slices.Compare(a.to[:], b.to[:]))
	})
	return list
}

func numbersOf(list []side) []float64 {
	numbers := make([]float64, 0, 4*len(list))
	for _, s := range list {
		numbers = append(numbers, s.from[0], s.from[1], s.to[0], s.to[1])
	}
	return numbers
}

// writeOutlines writes a feature an area.
func (r *runner) writeOutlines(areas []area) error {
	type object = map[string]any
	all := object{"type": "FeatureCollection"}
	if epsg := r.Case.EPSG(); epsg > 0 && epsg != 4326 {
		// Not of RFC 7946, which knows longitudes and latitudes alone, but of what came before it, and what readers take.
		all["crs"] = object{"type": "name", "properties": object{"name": fmt.Sprintf("urn:ogc:def:crs:EPSG::%d", epsg)}}
	}
	features := make([]object, len(areas))
	for k, a := range areas {
		coordinates := make([][][][2]float64, len(a.polygons))
		for i, p := range a.polygons {
			coordinates[i] = p.rings()
		}
		features[k] = object{"type": "Feature", "properties": object{"name": a.Name, "about": a.Doc, "case": r.Case.Name,
			"t": r.solver.Clock().Time}, "geometry": object{"type": "MultiPolygon", "coordinates": coordinates}}
	}
	all["features"] = features
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(r.Dir, outlineFile), func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}
