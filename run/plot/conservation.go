package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/solvers"
)

// course is a column of conservation.csv as it is drawn.
type course struct {
	column  string
	panel   string // label of its axes
	name    string // of its curve
	values  []float64
	kept    bool // how far something conserved is from where it began
	share   bool // of where it began
	sweeps  bool // it has no time
	unknown bool // no solver has declared it
}

// courses are what is drawn of a table: how far the conserved quantities are from where they began, or what their
// budget leaves unexplained, and the course of others, with what each source brought side by side. A column that no
// solver has declared is drawn by itself. Columns that are named are drawn as they are.
func courses(t *table, wanted []string) (all []course) {
	for i, name := range t.names {
		if name == "t" || name == "step" || name == "dt" {
			continue
		}
		q, kind, known := solvers.QuantityOf(name)
		c := course{column: name, name: name, values: t.columns[i], sweeps: known && kind.Sweeps, unknown: !known}
		d, _, _ := solvers.QuantityOf(name + "_drift")
		of, from, ofSource := strings.Cut(name, solvers.SourceInfix)
		switch {
		case wants(wanted, name):
			c.panel = withUnit(name)
		case len(wanted) > 0:
			continue
		case d.Outputs&solvers.Drift != 0:
			if slices.Contains(t.names, name+"_drift") {
				continue
			}
			c.kept = true
			c.drift(name)
		case q.Outputs&solvers.Drift != 0:
			c.kept, c.share = true, true
			c.panel, c.name = "share unexplained", strings.TrimSuffix(name, "_drift")
		case ofSource:
			c.panel, c.name = "sources of "+withUnit(of), from
		case !known:
			c.panel = name
		case q.Panel != "":
			c.panel, c.name = q.Panel, strings.ReplaceAll(name, "_", " ")
		default:
			continue
		}
		all = append(all, c)
	}
	return all
}

// drift makes a course that of the change of a conserved quantity, as a share of its first value if it has one.
func (c *course) drift(name string) {
	var largest float64
	c.values, largest, c.share = drift(c.values)
	c.name, c.panel = fmt.Sprintf("%s, at most %.2g", name, largest), "relative change"
	if !c.share {
		c.panel = "change"
		if u := unitOf(name); u != "" {
			c.panel += " (" + u + ")"
		}
	}
}

// conservation draws the courses of a table: what is kept in one picture, the others in another.
func (r *runner) conservation(path string) error {
	t, times, err := readCourse(path)
	if err != nil {
		return err
	}
	for _, name := range t.names {
		note(&r.columns, name)
	}
	all := courses(t, r.options.Columns)
	if len(all) == 0 && len(r.options.Columns) == 0 {
		return fmt.Errorf("%s: among %q there is no column to draw", path, t.names)
	}
	kept := &chart.Series{Title: "drift of conserved quantities", T: times}
	other := &chart.Series{T: times}
	for _, c := range all {
		s := other
		if c.kept {
			s = kept
		}
		if c.sweeps {
			s.Across = "sweeps"
		}
		add(s, c.panel, chart.Curve{Name: c.name, Values: c.values})
	}
	slices.SortStableFunc(kept.Panels, func(a, b chart.Panel) int { // shares first
		return cmp.Compare(strings.Index(b.Label, "change"), strings.Index(a.Label, "change"))
	})
	if err := r.series("conservation", kept, path); err != nil || len(other.Panels) == 0 {
		return err
	}
	name, _, _ := strings.Cut(other.Panels[0].Label, " (")
	name, _, _ = strings.Cut(name, " of ")
	if len(other.Panels) > 1 || len(other.Panels[0].Curves) > 1 { // or else the axis says it
		other.Title = name
	}
	return r.series(name, other, path)
}

// series draws a series, unless it has nothing to show.
func (r *runner) series(name string, s *chart.Series, path string) error {
	if len(s.Panels) == 0 {
		return nil
	}
	s.Page, s.Log, s.Title = r.options.Page, r.options.Log, r.title(s.Title, name, "")
	for i := range s.Panels { // one curve that is called as its axis
		p := &s.Panels[i]
		if len(p.Curves) == 1 && (p.Label == p.Curves[0].Name || strings.HasPrefix(p.Label, p.Curves[0].Name+" (")) {
			p.Curves[0].Name = ""
		}
	}
	picture, err := s.Draw()
	if r.leftOut(name, err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.save(name, -1, picture)
}

// add puts a curve on the panel of a label.
func add(s *chart.Series, label string, c chart.Curve) {
	i := slices.IndexFunc(s.Panels, func(p chart.Panel) bool { return p.Label == label })
	if i < 0 {
		i = len(s.Panels)
		s.Panels = append(s.Panels, chart.Panel{Label: label})
	}
	s.Panels[i].Curves = append(s.Panels[i].Curves, c)
}
