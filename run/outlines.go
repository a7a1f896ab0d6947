package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/plane"
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
		g, err := o.Space.Geometry(ctx)
		if err != nil {
			return err
		}
		inside, err := o.Inside(ctx)
		if err != nil {
			return err
		}
		parts, err := ugrid.Gather(ctx, r.Comm, plane.NumbersOf(plane.Boundary(g.Mesh, inside)))
		if err != nil {
			return err
		}
		areas[k] = area{o, plane.Polygons(plane.SidesOf(parts))}
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
	polygons []plane.Polygon
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
			coordinates[i] = p.Rings()
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
