package run

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/plane"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// outlineFile is the GeoJSON file (RFC 7946) of areas in the folder of the run.
const outlineFile = "outlines.geojson"

// outlines writes the areas that the solver declares, such as the flooded area. All ranks call it.
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

// area is an outline and the polygons that bound it.
type area struct {
	solvers.Outline
	polygons []plane.Polygon
}

// writeOutlines writes one feature per area.
func (r *runner) writeOutlines(areas []area) error {
	type object = map[string]any
	collection := object{"type": "FeatureCollection"}
	if epsg := r.Case.EPSG(); epsg > 0 && epsg != 4326 {
		// RFC 7946 allows only longitude and latitude. The member crs is from the specification of 2008, and readers still
		// accept it.
		collection["crs"] = object{"type": "name", "properties": object{"name": fmt.Sprintf("urn:ogc:def:crs:EPSG::%d",
			epsg)}}
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
	collection["features"] = features
	text, err := json.Marshal(collection)
	if err != nil {
		return err
	}
	return r.publish(outlineFile, func(path string) error {
		return atomicfile.Write(path, func(f *atomicfile.File) error {
			_, err := f.Write(append(text, '\n'))
			return err
		})
	})
}
