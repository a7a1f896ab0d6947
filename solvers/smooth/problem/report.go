package problem

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Report describes what smoothing did to a mesh. All of it except times is the same for any number of ranks and
// threads.
type Report struct {
	Dim              int // 2 for triangles, 3 for tetrahedra
	Vertices, Cells  int64
	Colours, Crowded int // number of colours; number of vertices in too many triangles for the smoother
	Sweeps           int
	Untangled        smooth.Untangling
	Adjusted         request.Adjusted
	Stopped          string  // the rule that ended the run
	Scale            float64 // of the metric
	SetUp, Seconds   float64 // wall-clock time in s of the set-up, and of the sweeps
	SHA256           string  // of the coordinates in global order
	Before, After    quality.Diagnostics
	// Shape of the cells before and after, which does not depend on the metric, on rank 0
	ShapeBefore, ShapeAfter Shape
	Carried                 request.Moved           // what became of vertex fields, on rank 0
	CellFields              []string                // that were kept, on rank 0
	Interpolations          []request.Interpolation // for the fields that the metric follows; nil on all ranks but 0
	// number of recoveries of second derivatives, and the round whose result was kept, from 1
	Rounds, Round int
	Notes         []string         // about the mesh that was read, on rank 0
	Curved        curved.Departure // displacement of the boundary from its initial shape, on rank 0
	Solution      string           // the file of the metric, "" for none
	Forced        bool             // the mesh is written even if it is worse
	Out           string           // the file of the mesh, "" for none
	NotKept       string           // parts of the input mesh that the output format cannot hold

	// Centre returns the centre of a cell, before or after smoothing. It is nil on all ranks but 0.
	Centre func(before bool, cell int64) []float64 `json:"-"`
	// Digits are the significant digits of coordinates that tell neighbouring cells apart, by axis.
	Digits [3]int `json:"-"`
}

// digitsOf returns for each axis the digits that resolve a thousandth of a mesh's extent.
func digitsOf(m *metric.Mesh) (digits [3]int) {
	for k := range m.Dim {
		low, high := slices.Min(m.X[k]), slices.Max(m.X[k])
		digits[k] = 3
		for most := max(math.Abs(low), math.Abs(high)); most > high-low && digits[k] < 17; most /= 10 {
			digits[k]++
		}
	}
	return digits
}

// Shape is the shape of cells, without a metric: 1 if all edges have the same length (mesh.Quality).
type Shape struct {
	Mean, Worst float64
	Cell        int64 // the worst
}

func shapeOf(cells int, of func(cell int) float64) Shape {
	s := Shape{Worst: math.Inf(1)}
	for c := range cells {
		q := of(c)
		s.Mean += q / float64(cells)
		if q < s.Worst {
			s.Worst, s.Cell = q, int64(c)
		}
	}
	return s
}

// reporter writes the mesh to a file, unless its name is "" or the mesh is worse than before, with groups and fields,
// and the quality of cells as the cell field "quality" if the format has fields.
func reporter(out string) solvers.Reporter {
	return func(ctx context.Context, s solvers.Solver, o solvers.Outcome) (solvers.Report, error) {
		d := s.(*caseSolver)
		r, smoothed, err := d.report(ctx)
		if err != nil {
			return nil, err
		}
		r.SetUp, r.Sweeps, r.Seconds, r.SHA256, r.Out = o.SetUp, o.Steps, o.Seconds, o.Hash, out
		if smoothed == nil || out == "" || r.Refused() != nil {
			return r, nil
		}
		r.NotKept = d.initialMesh.notKept(out)
		return r, smoothed.write(out)
	}
}

// report compares the mesh with the initial one. Only on rank 0 does it return the whole mesh, and set the fields
// of the report that are computed from it.
func (d *caseSolver) report(ctx context.Context) (*Report, wholeMesh, error) {
	r := &Report{Dim: d.dim(), Vertices: d.Vertices, Cells: d.Cells, Colours: d.subdomain().Sets,
		Adjusted: d.adjusted, Scale: d.solver.Scale(), Untangled: d.untangled, Before: d.before,
		Stopped: d.Stopped(), Solution: d.sections.Metric.Solution, Forced: d.sections.Method.Force,
		Rounds: d.sections.Metric.Rounds, Round: d.number + 1, Interpolations: d.interpolations}
	if m := d.sections.Method; m.Smoother == "fjp" || m.Smoother == "hybrid" || d.untangled.Before > 0 {
		r.Crowded = d.Crowded
	}
	if d.untangled.Before > 0 { // qualities are those from which the sweeps began
		r.Before.Inverted = d.untangled.Before
	}
	var err error
	if r.After, err = d.diagnose(ctx); err != nil {
		return nil, nil, err
	}
	smoothed, err := d.gather(ctx, d.comm, d.solver)
	if err != nil || smoothed == nil {
		return r, nil, err
	}
	if r.Curved, err = d.initialMesh.departed(smoothed); err != nil {
		return nil, nil, err
	}
	if r.Carried, err = d.initialMesh.carryFields(smoothed); err != nil {
		return nil, nil, err
	}
	r.CellFields = d.initialMesh.cellFields()
	r.Notes = d.size.Warnings
	r.Digits = digitsOf(d.initialMesh.nodes().Mesh)
	r.ShapeBefore, r.ShapeAfter = d.initialMesh.shape(), smoothed.shape()
	r.Centre = func(before bool, cell int64) []float64 {
		if before {
			return d.initialMesh.centre(int(cell))
		}
		return smoothed.centre(int(cell))
	}
	return r, smoothed, nil
}

// Refused returns an error that lists which measures are worse than before; nil if none is, or if writing is
// forced.
func (r *Report) Refused() error {
	var worse []string
	fell := func(what string, before, after float64) {
		if !(after >= before) {
			worse = append(worse, fmt.Sprintf("%s from %.6g to %.6g", what, before, after))
		}
	}
	fell("the average quality", r.Before.QualityMean, r.After.QualityMean)
	fell("the worst quality", r.Before.QualityMin, r.After.QualityMin)
	for _, i := range r.Interpolations {
		if !(i.After <= i.Before) {
			worse = append(worse, fmt.Sprintf("the interpolation error of %s from %.4g to %.4g", i.Field, i.Before, i.After))
		}
	}
	if len(worse) == 0 || r.Forced {
		return nil
	}
	return fmt.Errorf("not written, because the mesh has become worse: %s; force = true (--force) writes it anyway",
		strings.Join(worse, ", "))
}

// Warning reports inverted cells.
func (r *Report) Warning() string {
	if r.After.Inverted == 0 || r.Refused() != nil {
		return ""
	}
	return fmt.Sprintf("%d cells of %s are inverted: use --guard halve or clip", r.After.Inverted, r.Out)
}

// JSON returns the report as indented JSON with a final newline. A quality that is NaN is an error.
func (r *Report) JSON() ([]byte, error) {
	all := map[string]any{
		"dim":      r.Dim,
		"vertices": r.Vertices, "cells": r.Cells, "colours": r.Colours, "crowded": r.Crowded, "sweeps": r.Sweeps,
		"stopped": r.Stopped, "metric_scale": r.Scale, "setup_s": r.SetUp, "wall_s": r.Seconds, "state_sha256": r.SHA256,
		"hash_version":   solvers.HashVersion,
		"metric_bounded": r.Adjusted.Bounded, "metric_raised": r.Adjusted.Raised, "metric_graded": r.Adjusted.Graded,
		"metric_off_grid": r.Adjusted.OffGrid,
		"curved":          r.Curved.Vertices, "curved_departure": r.Curved.Most,
		"untangled": r.Untangled.Before, "untangling_sweeps": r.Untangled.Sweeps,
		"before": measures(&r.Before, r.ShapeBefore), "after": measures(&r.After, r.ShapeAfter),
		"written": r.Refused() == nil,
	}
	var fields []any
	for _, i := range r.Interpolations {
		fields = append(fields, map[string]any{"field": i.Field, "before": i.Before, "after": i.After,
			"estimated": i.Estimated})
	}
	if fields != nil {
		all["interpolation"] = fields
	}
	if r.Carried.Interpolated != nil {
		all["interpolated_fields"] = r.Carried.Interpolated
	}
	if len(r.Carried.Missing) > 0 {
		all["missing_values"] = r.Carried.Missing
	}
	if kept := slices.Concat(r.Carried.IDs, r.CellFields); kept != nil {
		all["fields_by_number"] = kept
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

func measures(d *quality.Diagnostics, s Shape) map[string]any {
	return map[string]any{
		"shape_min": s.Worst, "shape_mean": s.Mean, "shape_worst_cell": s.Cell,
		"quality_min": d.QualityMin, "quality_mean": d.QualityMean, "quality_max": d.QualityMax, "worst_cell": d.Worst,
		"best_cell": d.Best, "quality_histogram": d.Histogram, "inverted": d.Inverted, "edge_min": d.EdgeMin,
		"edge_mean": d.EdgeMean, "edge_max": d.EdgeMax, "edge_in_range": d.EdgeInRange,
		"edge_histogram": d.EdgeHistogram, "objective": d.Objective, "area": d.Area, "area_drift": d.AreaDrift,
		"perimeter": d.Perimeter, "perimeter_drift": d.PerimeterDrift, "moved": d.Moved, "active": d.Active,
		"limited": d.Limited,
		"refused": d.Refused,
	}
}
