package final

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/plane"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// outlineFile is the GeoJSON file (RFC 7946) of areas in the folder of the run.
const outlineFile = "outlines.geojson"

// Outlines writes the areas that a solver declares, such as the flooded area.
type Outlines struct {
	recorder.Base
	run  *recorder.Run
	list []solvers.Outline
}

// NewOutlines returns the recorder of the areas of the solver of a run.
func NewOutlines(run *recorder.Run) *Outlines {
	o := &Outlines{Base: recorder.NewBase("outlines", recorder.Schedule{Once: true}), run: run}
	if s, ok := run.Solver.(solvers.Outliner); ok {
		o.list = s.Outlines()
	}
	return o
}

// Write implements recorder.Recorder.
func (o *Outlines) Write(ctx context.Context, now solvers.Clock, _ bool) error {
	if len(o.list) == 0 {
		return nil
	}
	areas := make([]area, len(o.list))
	for k, declared := range o.list {
		g, err := declared.Space.Geometry(ctx)
		if err != nil {
			return err
		}
		inside, err := declared.Inside(ctx)
		if err != nil {
			return err
		}
		parts, err := ugrid.Gather(ctx, o.run.Comm, plane.NumbersOf(plane.Boundary(g.Mesh, inside)))
		if err != nil {
			return err
		}
		areas[k] = area{declared, plane.Polygons(plane.SidesOf(parts))}
	}
	var err error
	if o.run.Comm.Rank() == 0 {
		err = o.writeFile(areas, now.Time)
	}
	return solvers.Agree(ctx, o.run.Comm, err)
}

// area is an outline and the polygons that bound it.
type area struct {
	solvers.Outline
	polygons []plane.Polygon
}

// writeFile writes one feature per area.
func (o *Outlines) writeFile(areas []area, time float64) error {
	type object = map[string]any
	collection := object{"type": "FeatureCollection"}
	if epsg := o.run.Case.EPSG(); epsg > 0 && epsg != 4326 {
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
		features[k] = object{"type": "Feature", "properties": object{"name": a.Name, "about": a.Doc, "case": o.run.Case.Name,
			"t": time}, "geometry": object{"type": "MultiPolygon", "coordinates": coordinates}}
	}
	collection["features"] = features
	text, err := json.Marshal(collection)
	if err != nil {
		return err
	}
	return o.run.Publish(outlineFile, func(path string) error {
		return atomicfile.Write(path, func(f *atomicfile.File) error {
			_, err := f.Write(append(text, '\n'))
			return err
		})
	})
}
