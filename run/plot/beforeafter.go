package plot

import (
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/solvers"
)

// drawBeforeAfter draws the first field declared as Compared in the first and the last frame, side by side with the
// edges of cells, and a histogram of both.
func (r *runner) drawBeforeAfter(path, name string, frames []vtk.Frame) error {
	if len(r.options.Fields) > 0 && !slices.ContainsFunc(r.options.Fields, isCompared) || r.options.Out != "" {
		return nil
	}
	options := r.options
	options.Edges = true
	edged := &runner{dir: r.dir, options: options, runCase: r.runCase, dryThresholds: r.dryThresholds}
	ends := []vtk.Frame{frames[0], frames[len(frames)-1]}
	titles := []string{name + ": before", name + ": "}
	var row []*figure.Figure
	var compared []*field
	for k, frame := range ends {
		d, err := edged.load(framePath(path, frame))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(d.fields, func(f field) bool { return isCompared(f.name) })
		if i < 0 {
			return nil
		}
		if k > 0 {
			titles[k] += d.timeText(frame.Time)
		}
		f := &d.fields[i]
		edged.options.Page.NoBar = k == 0 && (f.span != nil || options.Range != nil) // both have the same scale
		picture, err := edged.drawField(d, f, titles[k], nil)
		if err != nil {
			return err
		}
		row, compared = append(row, picture), append(compared, f)
	}
	if !r.options.Histogram {
		if err := r.save(name+"-before-after", -1, figure.Stack([][]*figure.Figure{row})); err != nil {
			return err
		}
	}
	return r.drawHistogram(name+"-"+compared[0].name+"-histogram", -1, name, compared, []string{"before", "after"})
}

// isCompared reports whether a field is to be shown before and after the run.
func isCompared(name string) bool {
	f, _, _ := solvers.FieldOf(name)
	return f.Compared
}

// drawHistogram draws a histogram of one or several fields.
func (r *runner) drawHistogram(name string, number int, title string, fields []*field, names []string) error {
	h := &chart.Histogram{Page: r.options.Page, Title: title, Label: fields[0].label, Counted: "cells", Log: r.options.Log,
		Range: fields[0].span}
	if r.options.Range != nil {
		h.Range = r.options.Range
	}
	for k, f := range fields {
		set := chart.Curve{}
		if names != nil {
			set.Name = names[k]
		}
		for i, v := range f.values {
			if f.dry == nil || !f.dry[i] {
				set.Values = append(set.Values, v)
			}
		}
		h.Sets = append(h.Sets, set)
	}
	picture, err := h.Draw()
	if err != nil {
		return err
	}
	return r.save(name, number, picture)
}

func (d *frameData) timeText(time float64) string {
	var names []string
	for _, f := range d.fields {
		names = append(names, f.name)
	}
	return timeText(names, time)
}
