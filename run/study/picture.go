package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// draw plots the errors in the table over the resolution. drawn is false if there is nothing to plot.
func (s *Study) draw(t *Table, path string) (drawn bool, err error) {
	c := &chart.Convergence{Title: s.Runs[0].Case.Title}
	if c.Title == "" {
		c.Title = s.Runs[0].Case.Name
	}
	dim := 0
	for _, r := range t.Rows {
		dim = r.Summary.Dim
	}
	if t.ResolutionAxis < 0 || dim == 0 {
		return false, nil
	}
	c.XLabel = fmt.Sprintf("number of cells to the power of 1/%d", dim)
	for _, m := range t.Metrics {
		if !slices.Contains(t.Errors, m) {
			continue
		}
		f := chart.ConvergencePanel{Label: m}
		for i, r := range t.Rows {
			if i == 0 || !differOnlyAlong(t.Rows[i-1].Run, r.Run, t.ResolutionAxis) {
				f.Curves = append(f.Curves, chart.ErrorCurve{Name: s.otherValues(r.Run, t.ResolutionAxis)})
			}
			v, ok := r.Summary.Metrics[m]
			if !ok {
				continue
			}
			curve := &f.Curves[len(f.Curves)-1]
			curve.X = append(curve.X, math.Pow(float64(r.Summary.Cells), 1/float64(dim)))
			curve.Y = append(curve.Y, math.Abs(v))
		}
		if slices.ContainsFunc(f.Curves, func(p chart.ErrorCurve) bool { return len(p.Y) > 0 && slices.Max(p.Y) > 0 }) {
			c.Panels = append(c.Panels, f)
		}
	}
	if len(c.Panels) == 0 {
		return false, nil
	}
	picture, err := c.Draw()
	if err == nil {
		err = picture.Write(path)
	}
	return err == nil, err
}

// otherValues returns the values that a run has for the varied keys but one, whose index is axis.
func (s *Study) otherValues(r *Run, axis int) string {
	var parts []string
	for n, v := range r.Values {
		if n != axis {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, ", ")
}
