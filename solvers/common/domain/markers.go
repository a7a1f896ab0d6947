package domain

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/missing"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// Markers collects values in the files of fields that commonly mark missing ones, such as -9999, but are not declared
// as such. Whether they do depends on the other values of the field, those of all ranks.
type Markers struct {
	fields map[string]*markersOf // of this rank; after Check those of all ranks
}

// markersOf are the markers in the file of a field, each with the first cell that gets it, and the range of the values
// in cells without a marker.
type markersOf struct {
	Values      int // number of cells without a marker
	Least, Most float64
	Found       []foundMarker
	Rasters     []raster.Extremes // of each raster of the field, or of the mesh's
	Lines       *raisedCells      // nil without lines
}

// raisedCells are numbers of cells that lines in files cross, and of those that they raise.
type raisedCells struct {
	Files           []string
	Crossed, Raised int
}

// note returns a text if no cell is raised; "" else.
func (r *raisedCells) note(field string) string {
	if r == nil || r.Raised > 0 {
		return ""
	}
	files := strings.Join(r.Files, ", ")
	if r.Crossed == 0 {
		return fmt.Sprintf("%s: no cell is crossed by a line of %s: are they in the coordinates of the case?", field, files)
	}
	return fmt.Sprintf("%s: lines of %s raise no cell: where they cross cells, the ground is as high as they are", field,
		files)
}

type foundMarker struct {
	raster.Marker
	Cell int64
}

// add adds what is found in the cells of a part, whose values come from a source.
func (m *Markers) add(name string, part *mesh.Part, values []float64, s *source) {
	f := &markersOf{Least: math.Inf(1), Most: math.Inf(-1)}
	if s.extremes != nil {
		f.Rasters = s.extremes()
	}
	at := s.marker
	for cell, v := range values {
		if at != nil {
			if marker, ok := at(cell); ok {
				f.addMarker(foundMarker{marker, int64(part.Global[cell])})
				continue
			}
		}
		f.Values, f.Least, f.Most = f.Values+1, min(f.Least, v), max(f.Most, v)
	}
	if f.Values == 0 {
		f.Least, f.Most = 0, 0
	}
	if m.fields == nil {
		m.fields = map[string]*markersOf{}
	}
	m.fields[name] = f
}

// addLines adds what lines have raised.
func (m *Markers) addLines(name string, r *raisedCells) {
	if m.fields == nil {
		m.fields = map[string]*markersOf{}
	}
	if m.fields[name] == nil {
		m.fields[name] = &markersOf{}
	}
	m.fields[name].Lines = r
}

// addMarker keeps the first cell of each marker.
func (f *markersOf) addMarker(m foundMarker) {
	k := slices.IndexFunc(f.Found, func(o foundMarker) bool { return o.Raw == m.Raw && o.File == m.File })
	switch {
	case k < 0:
		f.Found = append(f.Found, m)
	case m.Cell < f.Found[k].Cell:
		f.Found[k] = m
	}
}

// Check returns an error, a BadInput, about a value that marks missing ones, and calls note about values that may do
// so, the same on all ranks. All ranks call it, after they have evaluated the same fields.
func (m *Markers) Check(ctx context.Context, comm dist.Comm, note func(string)) error {
	if len(m.fields) == 0 {
		return nil
	}
	text, err := json.Marshal(m.fields)
	if err != nil {
		return err
	}
	parts, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return err
	}
	all := map[string]*markersOf{}
	for _, part := range parts {
		var fields map[string]*markersOf
		if err := json.Unmarshal(part, &fields); err != nil {
			return err
		}
		for name, f := range fields {
			if all[name] == nil {
				all[name] = &markersOf{Least: math.Inf(1), Most: math.Inf(-1)}
			}
			all[name].merge(f)
		}
	}
	m.fields = all
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := all[name].refuse(name); err != nil {
			return &solvers.BadInput{Err: err}
		}
		note(all[name].Lines.note(name))
		for k := range all[name].Rasters {
			notes, err := all[name].Rasters[k].Notes()
			if err != nil {
				return &solvers.BadInput{Err: fmt.Errorf("%s: %w; any other number as nodata keeps it as a value", name, err)}
			}
			for _, text := range notes {
				note(text)
			}
		}
	}
	return nil
}

// Range returns the least and the largest value of a field that comes from a file, in all cells of all ranks, after
// Check; ok is false for other fields.
func (m *Markers) Range(name string) (least, most float64, ok bool) {
	f := m.fields[name]
	if f == nil || f.Values == 0 {
		return 0, 0, false
	}
	return f.Least, f.Most, true
}

func (f *markersOf) merge(o *markersOf) {
	if o.Values > 0 {
		f.Values, f.Least, f.Most = f.Values+o.Values, min(f.Least, o.Least), max(f.Most, o.Most)
	}
	for _, m := range o.Found {
		f.addMarker(m)
	}
	if o.Lines != nil {
		if f.Lines == nil {
			f.Lines = &raisedCells{Files: o.Lines.Files}
		}
		f.Lines.Crossed, f.Lines.Raised = f.Lines.Crossed+o.Lines.Crossed, f.Lines.Raised+o.Lines.Raised
	}
	for _, e := range o.Rasters {
		k := slices.IndexFunc(f.Rasters, func(own raster.Extremes) bool { return own.File == e.File })
		if k < 0 {
			f.Rasters = append(f.Rasters, e)
		} else {
			f.Rasters[k].Merge(&e)
		}
	}
}

func (f *markersOf) refuse(name string) error {
	slices.SortFunc(f.Found, func(a, b foundMarker) int { return int(a.Cell - b.Cell) })
	for _, m := range f.Found {
		if !missing.StandsOut(m.Value, f.Least, f.Most) {
			continue
		}
		others := "all values"
		if f.Values > 0 {
			a, b := f.Least*m.Raw/m.Value, f.Most*m.Raw/m.Value
			others = fmt.Sprintf("the others are from %.6g to %.6g", min(a, b), max(a, b))
		}
		advice := fmt.Sprintf("nodata = %g in the case", m.Raw)
		if m.Advice != "" {
			advice = m.Advice + ", or " + advice
		}
		return fmt.Errorf("%s: %s has the value %g at (%g, %g), %s: it probably marks missing data, which the file does not "+
			"declare: %s, declares it; any other number as nodata keeps it as a value", name, m.File, m.Raw, m.X, m.Y, others,
			advice)
	}
	return nil
}

// markersOfMesh returns a function that returns the marker in the data of the mesh from which the value of a cell
// comes; nil if there is none.
func markersOfMesh(f *config.Field, part *mesh.Part) func(cell int) (raster.Marker, bool) {
	values := valuesOfMesh(f, part)
	of := func(cell int) (raster.Marker, bool) {
		for _, v := range values(cell) {
			if missing.IsMarker(v) {
				x, y := part.Centroid(cell)
				return raster.Marker{Raw: v, Value: f.Sign() * v, X: x, Y: y, File: meshField(f)}, true
			}
		}
		return raster.Marker{}, false
	}
	for cell := range part.Cells {
		if _, ok := of(cell); ok {
			return of
		}
	}
	return nil
}

// meshField names the data of the mesh from which values come.
func meshField(f *config.Field) string { return fmt.Sprintf("the mesh's field %q", dataOf(f)) }

// extremesOfMesh returns the extremes of the values of the mesh from which those of own cells come.
func extremesOfMesh(f *config.Field, part *mesh.Part) []raster.Extremes {
	values := valuesOfMesh(f, part)
	e := raster.ExtremesOf(meshField(f), part.Owned, func(yield func(cell int, v float64)) {
		for cell := range part.Owned {
			for _, v := range values(cell) {
				yield(int(part.Global[cell]), v)
			}
		}
	}, func(id int) (x, y float64) {
		return part.Centroid(slices.Index(part.Global, int32(id)))
	})
	if e.OfMesh = true; len(e.Low.At) == 0 {
		return nil
	}
	return []raster.Extremes{e}
}
