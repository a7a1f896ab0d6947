package adaptation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Report describes what an adaptation did to a mesh. All of it except the time is the same for any number of threads.
type Report struct {
	Dim            int
	Before, After  adapt.Statistics // in the metric of the last round
	Scale          float64          // of the metric
	Target         int
	Adjusted       request.Adjusted
	Carried        []Carried
	Level          *Level                  // nil if the mesh was not cut
	Interpolations []request.Interpolation // of the fields that the metric follows
	Notes          []string
	Solution, Out  string
	NotKept        string
	Seconds        float64 // of the command
	Adapting       float64 // seconds of rounds, without the metric and files
}

// report writes the mesh and compares it with the one that was read.
func (s *session) report(out string) (*Report, error) {
	m := &s.w.Metric
	r := &Report{Dim: s.Dim, Scale: s.last.scale, Target: m.Target, Adjusted: s.adjusted, Solution: m.Solution, Out: out}
	r.After = s.adapter.Measure(s.last.field(s.Dim))
	initial, err := s.initial()
	if err != nil {
		return nil, err
	}
	r.Before = initial.Measure(s.last.field(s.Dim))
	after := s.nodes()
	if r.Interpolations, err = m.Interpolations(s.start, after); err != nil {
		return nil, err
	}
	return r, s.write(r, after)
}

// initial returns an adapter of the mesh that was read.
func (s *session) initial() (*adapt.Adapter, error) {
	if s.solid != nil {
		return adapt.Tetrahedra(s.solid, adapt.Options{Ridge: s.w.Method.Ridge})
	}
	return adapt.Triangles(s.plane, adapt.Options{Ridge: s.w.Method.Ridge})
}

// write writes the mesh with its fields, and the qualities of cells.
func (s *session) write(r *Report, after request.Nodes) error {
	var vertex, cell map[string][]float64
	if s.solid != nil {
		to := s.adapter.Solid()
		vertex, cell, r.Carried = s.carryFields(after, s.materialsBeforeCut(to.CellTag))
		r.Level = s.inSpace(to)
		r.Notes, r.NotKept = s.solid.Notes, meshio.NotKept(r.Out, &to.Origin, to.Groups, to.Marks, vertex, cell)
		to.VertexData, to.CellData = vertex, s.withQuality(cell)
		return meshio.WriteSolid(r.Out, to)
	}
	to := s.adapter.Mesh()
	vertex, cell, r.Carried = s.carryFields(after, s.materialsBeforeCut(to.CellGroup))
	r.Level = s.inPlane(to)
	r.Notes, r.NotKept = s.plane.Notes, meshio.NotKept(r.Out, &to.Origin, to.Groups, to.Marks, vertex, cell)
	to.VertexData, to.CellData = vertex, s.withQuality(cell)
	return meshio.Write(r.Out, to)
}

// withQuality adds the qualities of the cells to their fields.
func (s *session) withQuality(fields map[string][]float64) map[string][]float64 {
	fields = maps.Clone(fields)
	fields[qualityField] = s.adapter.Qualities()
	return fields
}

// Text returns the report as text, with the mesh before and after side by side.
func (r *Report) Text() string {
	var b strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintln(&b, "note     ", note)
	}
	if r.Solution != "" {
		fmt.Fprintln(&b, "metric    of", r.Solution)
	}
	if math.Abs(r.Scale-1) > 1e-6 {
		fmt.Fprintf(&b, "metric    scaled by %.6g: sizes are %.6g times those given\n", r.Scale, 1/math.Sqrt(r.Scale))
	}
	if h := r.Adjusted; h.Bounded+h.Raised+h.Graded > 0 {
		fmt.Fprintf(&b, "metric    changed at %d places by bounds, at %d by gradation, at %d by --curvature; of %d places\n",
			h.Bounded, h.Graded, h.Raised, h.Samples)
	}
	writeTable(&b, r.rows())
	r.writeEnding(&b)
	return b.String()
}

// rows are the measures before and after.
func (r *Report) rows() (rows [][3]string) {
	each := func(name, format string, f func(s *adapt.Statistics) any) {
		rows = append(rows, [3]string{name, fmt.Sprintf(format, f(&r.Before)), fmt.Sprintf(format, f(&r.After))})
	}
	share := func(name string, n, of func(s *adapt.Statistics) int64) {
		each(name, "%s", func(s *adapt.Statistics) any {
			return fmt.Sprintf("%d  %6.2f%%", n(s), 100*float64(n(s))/float64(max(1, of(s))))
		})
	}
	edges := func(s *adapt.Statistics) int64 { return s.Edges }
	rows = append(rows, [3]string{"", "before", "after"})
	each("vertices", "%d", func(s *adapt.Statistics) any { return s.Vertices })
	each([]string{2: "triangles", 3: "tetrahedra"}[r.Dim], "%d", func(s *adapt.Statistics) any { return s.Cells })
	each("average quality", "%.6f", func(s *adapt.Statistics) any { return s.QualityMean })
	each("1% of cells are below", "%.6f", func(s *adapt.Statistics) any { return s.QualityLow })
	each("worst quality", "%s", func(s *adapt.Statistics) any {
		at := fmt.Sprintf("%.4g, %.4g", s.WorstAt[0], s.WorstAt[1])
		if r.Dim == 3 {
			at += fmt.Sprintf(", %.4g", s.WorstAt[2])
		}
		return fmt.Sprintf("%.6f at (%s)", s.QualityWorst, at)
	})
	for k := len(r.Before.Qualities) - 1; k >= 0; k-- {
		name := fmt.Sprintf("  %.1f to %.1f", 0.2*float64(k), 0.2*float64(k+1))
		if k == 0 {
			name = "  below 0.2"
		}
		share(name, func(s *adapt.Statistics) int64 { return s.Qualities[k] },
			func(s *adapt.Statistics) int64 { return s.Cells })
	}
	each("mean edge in the metric", "%.4f", func(s *adapt.Statistics) any { return s.LengthMean })
	each("shortest and longest", "%s", func(s *adapt.Statistics) any {
		return fmt.Sprintf("%.4g  %.4g", s.LengthLeast, s.LengthMost)
	})
	share("edges of 1/√2 to √2", func(s *adapt.Statistics) int64 { return s.InRange }, edges)
	for k, name := range []string{"below 1/8", "1/8 to 1/4", "1/4 to 1/2", "1/2 to 1", "1 to 2", "2 to 4", "4 to 8",
		"above 8"} {
		if r.Before.Lengths[k]+r.After.Lengths[k] > 0 {
			share("  "+name, func(s *adapt.Statistics) int64 { return s.Lengths[k] }, edges)
		}
	}
	return append(rows, r.interpolationRows()...)
}

func (r *Report) interpolationRows() (rows [][3]string) {
	for _, i := range r.Interpolations {
		name := "interpolation error"
		if len(r.Interpolations) > 1 {
			name += " of " + i.Field
		}
		before, after := fmt.Sprintf("%.4g", i.Before), fmt.Sprintf("%.4g (%.3g%%)", i.After, 100*i.After/i.Before)
		if i.Estimated {
			name, before, after = name+", estimated", "100%", fmt.Sprintf("%.3g%%", 100*i.After/i.Before)
		}
		rows = append(rows, [3]string{name, before, after})
	}
	return rows
}

// writeTable writes rows in aligned columns.
func writeTable(b *strings.Builder, rows [][3]string) {
	var widths [3]int
	for _, r := range rows {
		for k, text := range r {
			widths[k] = max(widths[k], utf8.RuneCountInString(text))
		}
	}
	for _, r := range rows {
		fmt.Fprintf(b, "%-*s  %*s  %*s\n", widths[0], r[0], widths[1], r[1], widths[2], r[2])
	}
}

// writeEnding describes what has changed of the boundary and the fields, and what the output file lacks.
func (r *Report) writeEnding(b *strings.Builder) {
	size, border := "area", "lines"
	if r.Dim == 3 {
		size, border = "volume", "surfaces"
	}
	fmt.Fprintf(b, "boundary  %s %+.2g, %s %+.2g of the old; old lines are within %.3g of the new\n", size,
		r.After.Volume/r.Before.Volume-1, border, r.After.Boundary/r.Before.Boundary-1, r.After.Deviation)
	if l := r.Level; l != nil {
		fmt.Fprintf(b, "level     %s %.10g below and %.10g above it; its %s %.10g\n", size, l.Below, l.Above,
			map[int]string{2: "length is", 3: "area is"}[r.Dim], l.Interface)
	}
	for _, c := range r.Carried {
		switch {
		case c.Conserved:
			fmt.Fprintf(b, "field     %s conserved: its integral of %.10g changes by %.2g; back on the old cells it differs by "+
				"up to %.3g of a range of %.3g\n", c.Name, c.Before, c.After-c.Before, c.Error, c.Range)
			continue
		case c.Cell:
			fmt.Fprintf(b, "field     %s of the old cells at the centres of the new\n", c.Name)
			continue
		}
		fmt.Fprintf(b, "field     %s interpolated; back at the old vertices it differs by up to %.3g of a range of %.3g\n",
			c.Name, c.Error, c.Range)
		if c.Missing > 0 {
			fmt.Fprintf(b, "note      %s has no value at %d of the old vertices, and none at new vertices nearest to these\n",
				c.Name, c.Missing)
		}
	}
	if r.Target > 0 && math.Abs(float64(r.After.Vertices)/float64(r.Target)-1) > 0.05 {
		fmt.Fprintf(b, "note      %d vertices, not %d: corners, lines or required entities prevent it\n", r.After.Vertices,
			r.Target)
	}
	if r.NotKept != "" {
		fmt.Fprintln(b, "note     ", meshio.Lost(r.NotKept))
	}
	fmt.Fprintf(b, "written   %s, in %.3g s (%.3g µs a vertex), of which %.3g s for rounds\n", r.Out, r.Seconds,
		1e6*r.Seconds/float64(r.After.Vertices), r.Adapting)
}

// JSON returns the report as indented JSON with a final newline.
func (r *Report) JSON() ([]byte, error) {
	all := map[string]any{"dim": r.Dim, "metric_scale": r.Scale, "target": r.Target, "wall_s": r.Seconds,
		"rounds_s": r.Adapting, "before": measures(&r.Before), "after": measures(&r.After),
		"metric_bounded": r.Adjusted.Bounded, "metric_raised": r.Adjusted.Raised, "metric_graded": r.Adjusted.Graded}
	var fields []any
	for _, c := range r.Carried {
		fields = append(fields, map[string]any{"name": c.Name, "cell": c.Cell, "error": c.Error, "range": c.Range,
			"missing": c.Missing, "conserved": c.Conserved, "integral_before": c.Before, "integral_after": c.After})
	}
	if fields != nil {
		all["fields"] = fields
	}
	var errors []any
	for _, i := range r.Interpolations {
		errors = append(errors, map[string]any{"field": i.Field, "before": i.Before, "after": i.After,
			"estimated": i.Estimated})
	}
	if errors != nil {
		all["interpolation"] = errors
	}
	if l := r.Level; l != nil {
		all["level"] = map[string]any{"below": l.Below, "above": l.Above, "interface": l.Interface}
	}
	if r.Notes != nil {
		all["notes"] = r.Notes
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return append(text, '\n'), nil
}

func measures(s *adapt.Statistics) map[string]any {
	return map[string]any{"vertices": s.Vertices, "cells": s.Cells, "edges": s.Edges, "quality_mean": s.QualityMean,
		"quality_min": s.QualityWorst, "quality_1_percent": s.QualityLow, "quality_histogram": s.Qualities,
		"edge_mean": s.LengthMean, "edge_min": s.LengthLeast, "edge_max": s.LengthMost,
		"edge_in_range": float64(s.InRange) / float64(max(1, s.Edges)), "edge_histogram": s.Lengths,
		"complexity": s.Complexity, "volume": s.Volume, "boundary": s.Boundary, "deviation": s.Deviation}
}

// Warning returns nothing: the mesh is valid.
func (r *Report) Warning() string { return "" }

// Refused returns nil: the mesh is written.
func (r *Report) Refused() error { return nil }
