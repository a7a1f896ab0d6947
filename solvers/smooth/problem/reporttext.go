package problem

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
)

// Text returns the report as text, with the mesh before and after side by side.
func (r *Report) Text() string {
	var b strings.Builder
	cell := []string{2: "triangle", 3: "tetrahedron"}[r.Dim]
	fmt.Fprintf(&b, "mesh      %s, %s, %s\n", words.Count(r.Vertices, "vertex"), words.Count(r.Cells, cell),
		words.Count(r.Colours, "colour"))
	r.writeNotes(&b, cell)
	if r.Rounds > 1 {
		fmt.Fprintf(&b, "metric    recovered %d times, each on the last mesh; the mesh of the %s round has the smallest "+
			"error\n", r.Rounds, ordinal(r.Round))
	}
	writeTable(&b, r.rows())
	r.writeEnding(&b, words.Plural(cell))
	return b.String()
}

// writeNotes describes what was done to the mesh and the metric before the sweeps.
func (r *Report) writeNotes(b *strings.Builder, cell string) {
	for _, note := range r.Notes {
		fmt.Fprintln(b, "note     ", note)
	}
	if r.Crowded > 0 {
		fmt.Fprintf(b, "note      left alone by the optimiser: %s in more than %d triangles\n",
			words.Count(r.Crowded, "vertex"), kernels.MaxDegree)
	}
	if r.Untangled.Before > 0 {
		fmt.Fprintf(b, "untangled %s, inverted or flat before, in %s; qualities and lengths before are those after it\n",
			words.Count(r.Untangled.Before, cell), words.Count(r.Untangled.Sweeps, "sweep"))
	}
	if r.Solution != "" {
		fmt.Fprintln(b, "metric    of", r.Solution)
	}
	if math.Abs(r.Scale-1) > 1e-6 { // more than the digits shown
		fmt.Fprintf(b, "metric    scaled by %.6g: sizes are %.6g times those given\n", r.Scale, 1/math.Sqrt(r.Scale))
	}
	if r.Adjusted.OffGrid > 1e-9 { // more than round-off
		fmt.Fprintf(b, "metric    on its grid: lengths between the nodes have errors of up to %.3g%%\n",
			100*r.Adjusted.OffGrid)
	}
	if h := r.Adjusted; h.Bounded+h.Raised+h.Graded > 0 {
		fmt.Fprintf(b, "metric    changed at %d places by bounds, at %d by gradation, at %d by curvature; of %d places",
			h.Bounded, h.Graded, h.Raised, h.Samples)
		if h.Fields > 1 {
			b.WriteString("; bounds and curvature are counted in each of the two fields")
		}
		b.WriteByte('\n')
		if 2*(h.Raised-h.Bounded) > h.Fields*h.Samples {
			b.WriteString("note      at most places the field is curved in one direction only, or in none: give aspect " +
				"(--aspect),\n          or cells become very long across that direction\n")
		}
	}
}

// rows are the measures before and after.
func (r *Report) rows() (rows [][3]string) {
	row := func(name, before, after string) { rows = append(rows, [3]string{name, before, after}) }
	each := func(name string, f func(d *quality.Diagnostics) string) { row(name, f(&r.Before), f(&r.After)) }
	row("", "before", "after")
	row("best quality", r.cell(true, r.Before.QualityMax, r.Before.Best), r.cell(false, r.After.QualityMax, r.After.Best))
	each("average quality", func(d *quality.Diagnostics) string { return formatQuality(d.QualityMean) })
	row("worst quality", r.cell(true, r.Before.QualityMin, r.Before.Worst),
		r.cell(false, r.After.QualityMin, r.After.Worst))
	for k := len(r.Before.Histogram) - 1; k >= 0; k-- {
		name := fmt.Sprintf("  %.1f to %.1f", 0.2*float64(k), 0.2*float64(k+1))
		if k == 0 {
			name = "  below 0.2"
		}
		each(name, func(d *quality.Diagnostics) string { return formatShare(d.Histogram[k], r.Cells) })
	}
	if r.Centre != nil {
		row("average shape", formatQuality(r.ShapeBefore.Mean), formatQuality(r.ShapeAfter.Mean))
		row("worst shape", r.cell(true, r.ShapeBefore.Worst, r.ShapeBefore.Cell),
			r.cell(false, r.ShapeAfter.Worst, r.ShapeAfter.Cell))
	}
	each("inverted", func(d *quality.Diagnostics) string { return fmt.Sprint(d.Inverted) })
	each("mean edge in the metric", func(d *quality.Diagnostics) string { return formatLength(d.EdgeMean) })
	each("shortest and longest", func(d *quality.Diagnostics) string {
		return formatLength(d.EdgeMin) + "  " + formatLength(d.EdgeMax)
	})
	each("edges of 1/√2 to √2", func(d *quality.Diagnostics) string { return fmt.Sprintf("%.2f%%", 100*d.EdgeInRange) })
	edges := int64(0)
	for _, n := range r.Before.EdgeHistogram {
		edges += n
	}
	for k, name := range []string{"below 1/8", "1/8 to 1/4", "1/4 to 1/2", "1/2 to 1", "1 to 2", "2 to 4", "4 to 8",
		"above 8"} {
		if r.Before.EdgeHistogram[k]+r.After.EdgeHistogram[k] > 0 {
			each("  "+name, func(d *quality.Diagnostics) string { return formatShare(d.EdgeHistogram[k], edges) })
		}
	}
	each("½Σ u'Mu", func(d *quality.Diagnostics) string { return fmt.Sprintf("%.6g", d.Objective) })
	for _, i := range r.Interpolations {
		name := "interpolation error"
		if len(r.Interpolations) > 1 {
			name += " of " + i.Field
		}
		after := fmt.Sprintf("%.4g (%.0f%%)", i.After, 100*i.After/i.Before)
		if i.Estimated {
			name, after = name+", estimated", fmt.Sprintf("%.0f%%", 100*i.After/i.Before)
			row(name, "100%", after)
			continue
		}
		row(name, fmt.Sprintf("%.4g", i.Before), after)
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

// writeEnding describes what has moved, what the output file lacks, and how long it took.
func (r *Report) writeEnding(b *strings.Builder, cells string) {
	fmt.Fprintf(b, "drift     %s %.2g, %s %.2g\n", []string{2: "area", 3: "volume"}[r.Dim], r.After.AreaDrift,
		[]string{2: "perimeter", 3: "surface"}[r.Dim], r.After.PerimeterDrift)
	fmt.Fprintf(b, "moved     %s; the last sweep visited %d; the guard shortened %s\n",
		words.Count(r.After.Moved, "vertex"), r.After.Active, words.Count(r.After.Limited, "step"))
	if r.Curved.Vertices > 0 {
		fmt.Fprintf(b, "curved    %d vertices slid on a boundary reconstructed from its vertices, and are up to %.3g from\n"+
			"          the one that was read; without --ridge they stay where they are\n", r.Curved.Vertices, r.Curved.Most)
	}
	r.writeFields(b, cells)
	if wrongEdges := misfitFraction(&r.After, 2); wrongEdges > 0.02 {
		fmt.Fprintf(b, "note      %.3g%% of edges are more than twice too long or too short in the metric, before %.3g%%:\n"+
			"          this connectivity does not follow it further; atoll adapt cuts and merges %s\n", 100*wrongEdges,
			100*misfitFraction(&r.Before, 2), []string{2: "triangles", 3: "tetrahedra"}[r.Dim])
	}
	fmt.Fprintf(b, "stopped   by %s, after %s in %.3g s", r.Stopped, words.Count(r.Sweeps, "sweep"), r.Seconds)
	if updates := float64(r.Sweeps) * float64(r.Vertices); updates > 0 {
		fmt.Fprintf(b, " (%.0f ns a vertex and sweep)", 1e9*r.Seconds/updates)
	}
	fmt.Fprintf(b, "; set up in %.3g s\nstate     %s\n", r.SetUp, r.SHA256)
	if r.Out != "" && r.Refused() == nil {
		fmt.Fprintln(b, "wrote    ", r.Out)
	}
	if r.NotKept != "" {
		fmt.Fprintln(b, meshio.Lost(r.NotKept))
	}
}

// writeFields describes what became of the fields of the mesh.
func (r *Report) writeFields(b *strings.Builder, cells string) {
	if names := r.Carried.Interpolated; len(names) > 0 {
		fmt.Fprintf(b, "fields    %s at the vertices: interpolated to the new positions\n", strings.Join(names, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Carried.Missing)) {
		fmt.Fprintf(b, "note      %s has no value at %d of %s, before as after; beside these it is interpolated from the\n"+
			"          vertices that have one\n", name, r.Carried.Missing[name], words.Count(r.Vertices, "vertex"))
	}
	if r.After.Moved == 0 {
		return
	}
	if names := r.Carried.IDs; len(names) > 0 {
		fmt.Fprintf(b, "fields    %s at the vertices: kept by number, as different whole numbers, though vertices moved\n",
			strings.Join(names, ", "))
	}
	if names := r.CellFields; len(names) > 0 {
		fmt.Fprintf(b, "fields    %s of the %s: kept by number, so these are values of the old %s\n",
			strings.Join(names, ", "), cells, cells)
	}
}

// ordinal is a position in a sequence, such as "1st" or "2nd".
func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// misfitFraction returns the fraction of edges that are too long or too short by more than a factor `times`, which
// is 2, 4 or 8.
func misfitFraction(d *quality.Diagnostics, times int) float64 {
	out, all := int64(0), int64(0)
	for k, n := range d.EdgeHistogram { // bins from below 1/8 to above 8, by factors of 2
		all += n
		if octaves := bits.Len(uint(times)) - 1; k < 4-octaves || k >= 4+octaves {
			out += n
		}
	}
	return float64(out) / float64(max(1, all))
}

// cell formats a quality and the position of its cell.
func (r *Report) cell(before bool, quality float64, id int64) string {
	if r.Centre == nil || id < 0 || id >= r.Cells {
		return formatQuality(quality)
	}
	position := ""
	for k, x := range r.Centre(before, id) {
		position += []string{"(", ", ", ", "}[k] + strconv.FormatFloat(x, 'g', max(3, r.Digits[k]), 64)
	}
	return fmt.Sprintf("%s cell %d %s)", formatQuality(quality), id, position)
}

// formatQuality formats a quality with six decimals, or with three significant digits if it is small.
func formatQuality(quality float64) string {
	if math.Abs(quality) < 1e-3 && quality != 0 {
		return strconv.FormatFloat(quality, 'g', 3, 64)
	}
	return strconv.FormatFloat(quality, 'f', 6, 64)
}

// formatLength formats a length in the metric with four decimals, or with four significant digits if that is
// better.
func formatLength(x float64) string {
	if x != 0 && (math.Abs(x) < 1e-3 || math.Abs(x) >= 1e6) {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

func formatShare(n, of int64) string {
	return fmt.Sprintf("%d  %6.2f%%", n, 100*float64(n)/float64(max(1, of)))
}
