package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/solvers"
)

// columnCurve is a column of conservation.csv with its place in the plots.
type columnCurve struct {
	column     string // name of the column
	panel      string // label of the panel
	name       string // name of the curve
	values     []float64
	isDrift    bool // change of a conserved quantity since the start
	relative   bool // the change is relative to the first value
	overSweeps bool // the table is of a solver that counts sweeps instead of time; the x axis is labelled sweeps
	undeclared bool // no solver declares the column
}

// columnCurves selects the columns of a table to plot. By default these are: changes of conserved quantities, or if
// the table has them the changes that the sources do not account for (columns NAME_drift); sources, side by side;
// quantities for which a solver declares a panel; and columns that no solver declares. If columns are named, only these
// are plotted, unchanged.
func columnCurves(t *table, wanted []string) (curves []columnCurve) {
	for i, name := range t.names {
		if name == "t" || name == "step" || name == "dt" {
			continue
		}
		q, kind, known := solvers.QuantityOf(name)
		c := columnCurve{column: name, name: name, values: t.columns[i], overSweeps: known && kind.Sweeps, undeclared: !known}
		driftQuantity, _, _ := solvers.QuantityOf(name + "_drift")
		quantity, source, isSource := strings.Cut(name, solvers.SourceInfix)
		switch {
		case wants(wanted, name):
			c.panel = withUnit(name)
		case len(wanted) > 0:
			continue
		case driftQuantity.Outputs&solvers.Drift != 0:
			if slices.Contains(t.names, name+"_drift") {
				continue
			}
			c.isDrift = true
			c.convertToDrift(name)
		case q.Outputs&solvers.Drift != 0:
			c.isDrift, c.relative = true, true
			c.panel, c.name = "share unexplained", strings.TrimSuffix(name, "_drift")
		case isSource:
			c.panel, c.name = "sources of "+withUnit(quantity), source
		case !known:
			c.panel = name
		case q.Panel != "":
			c.panel, c.name = q.Panel, strings.ReplaceAll(name, "_", " ")
		default:
			continue
		}
		curves = append(curves, c)
	}
	return curves
}

// convertToDrift converts a column to the change of a conserved quantity, relative to its first value unless that is 0.
func (c *columnCurve) convertToDrift(name string) {
	var largest float64
	c.values, largest, c.relative = drift(c.values)
	c.name, c.panel = fmt.Sprintf("%s, at most %.2g", name, largest), "relative change"
	if !c.relative {
		c.panel = "change"
		if u := unitOf(name); u != "" {
			c.panel += " (" + u + ")"
		}
	}
}

// drawConservation plots a table: changes of conserved quantities in one picture, the other columns in another.
func (r *runner) drawConservation(path string) error {
	t, times, err := readTimeSeries(path)
	if err != nil {
		return err
	}
	for _, name := range t.names {
		addUnique(&r.columns, name)
	}
	curves := columnCurves(t, r.options.Columns)
	if len(curves) == 0 && len(r.options.Columns) == 0 {
		return fmt.Errorf("%s: none of the columns %q can be drawn", path, t.names)
	}
	drifts := &chart.Series{Title: "drift of conserved quantities", T: times}
	other := &chart.Series{T: times}
	for _, c := range curves {
		s := other
		if c.isDrift {
			s = drifts
		}
		if c.overSweeps {
			s.XLabel = "sweeps"
		}
		addCurve(s, c.panel, chart.Curve{Name: c.name, Values: c.values})
	}
	slices.SortStableFunc(drifts.Panels, func(a, b chart.Panel) int { // relative changes first
		return cmp.Compare(strings.Index(b.Label, "change"), strings.Index(a.Label, "change"))
	})
	if err := r.drawSeries("conservation", drifts, path); err != nil || len(other.Panels) == 0 {
		return err
	}
	name, _, _ := strings.Cut(other.Panels[0].Label, " (")
	name, _, _ = strings.Cut(name, " of ")
	if len(other.Panels) > 1 || len(other.Panels[0].Curves) > 1 { // otherwise the label of the axis says it
		other.Title = name
	}
	return r.drawSeries(name, other, path)
}

// drawSeries draws a plot, unless it has no panels.
func (r *runner) drawSeries(name string, s *chart.Series, path string) error {
	if len(s.Panels) == 0 {
		return nil
	}
	s.Page, s.Log, s.Title = r.options.Page, r.options.Log, r.title(s.Title, name, "")
	s.Epoch = epochOf(r)
	for i := range s.Panels { // a single curve with the name of its axis needs no legend
		p := &s.Panels[i]
		if len(p.Curves) == 1 && (p.Label == p.Curves[0].Name || strings.HasPrefix(p.Label, p.Curves[0].Name+" (")) {
			p.Curves[0].Name = ""
		}
	}
	picture, err := s.Draw()
	if r.skipWithNote(name, err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.save(strings.ReplaceAll(name, " ", "-"), -1, picture)
}

// addCurve adds a curve to the panel with a label.
func addCurve(s *chart.Series, label string, c chart.Curve) {
	i := slices.IndexFunc(s.Panels, func(p chart.Panel) bool { return p.Label == label })
	if i < 0 {
		i = len(s.Panels)
		s.Panels = append(s.Panels, chart.Panel{Label: label})
	}
	s.Panels[i].Curves = append(s.Panels[i].Curves, c)
}
