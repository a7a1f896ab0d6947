package plot

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Compare plots several runs: each gauge and each column of conservation.csv with one curve per run, and named fields
// side by side with a common scale. Files are written to the folder plots in the current folder, unless the options
// name another.
func Compare(dirs []string, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.isAnimation() {
		return nil, fmt.Errorf("an animation shows a single run: give one folder")
	}
	c := &comparison{pictureWriter: pictureWriter{options: &o, defaultDir: "plots"}}
	for i, name := range runNames(dirs) {
		r, err := newRunner(dirs[i], o)
		if err != nil {
			return nil, err
		}
		c.runs, c.names = append(c.runs, r), append(c.names, name)
	}
	draws := []struct {
		wanted bool
		draw   func() error
	}{
		{len(o.Fields) > 0, c.drawFields},
		{o.drawsEverything() || len(o.Gauges) > 0, c.drawGauges},
		{o.drawsEverything() || len(o.Columns) > 0 && len(o.Gauges) == 0, c.drawColumns},
		{o.drawsEverything(), c.drawMetrics},
	}
	for _, d := range draws {
		if d.wanted {
			if err := d.draw(); err != nil {
				return &c.Result, err
			}
		}
	}
	for _, r := range c.runs {
		r.noteBeyond()
		for _, text := range r.Notes {
			c.addNote("%s", text)
		}
	}
	return &c.Result, c.finish()
}

// comparison plots several runs together.
type comparison struct {
	pictureWriter
	runs  []*runner
	names []string
}

// runNames returns the names of the runs' folders, with as many parent folders as needed to make them unique.
func runNames(dirs []string) []string {
	names := make([]string, len(dirs))
	for depth := 1; depth < 20; depth++ {
		for i, dir := range dirs {
			path, err := filepath.Abs(dir)
			if err != nil {
				path = dir
			}
			parts := strings.Split(filepath.ToSlash(path), "/")
			names[i] = strings.Join(parts[max(0, len(parts)-depth):], "/")
		}
		if len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names) {
			break
		}
	}
	return names
}

// drawGauges plots gauges with the same name together, with axes for each column.
func (c *comparison) drawGauges() error {
	files := map[string][]string{} // by gauge: the file in each run, "" for none
	for i, r := range c.runs {
		for _, pattern := range []string{filepath.Join("gauges", "*.csv"), "gauge_*.csv"} {
			names, err := listFiles(r.dir, pattern)
			if err != nil {
				return err
			}
			for _, name := range names {
				gauge := gaugeName(name)
				if files[gauge] == nil {
					files[gauge] = make([]string, len(c.runs))
				}
				files[gauge][i] = filepath.Join(r.dir, name)
			}
		}
	}
	gauges := slices.Sorted(maps.Keys(files))
	for _, wanted := range c.options.Gauges {
		if wanted != allNames && !slices.Contains(gauges, wanted) {
			return fmt.Errorf("no gauge %q in any run; there are %s", wanted, strings.Join(gauges, ", "))
		}
	}
	for _, gauge := range gauges {
		if len(c.options.Gauges) > 0 && !wants(c.options.Gauges, gauge) {
			continue
		}
		if err := c.drawGauge(gauge, files[gauge]); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) drawGauge(gauge string, files []string) error {
	s := &chart.Series{Title: "gauge " + gauge}
	byColumn := map[string]*measurements{}
	for i, path := range files {
		if path == "" {
			continue
		}
		t, times, err := readTimeSeries(path)
		if err != nil {
			return err
		}
		columns := gaugeColumns(t, c.options.Columns)
		found, err := c.runs[i].measurementsAt(gauge, columns)
		if err != nil {
			return err
		}
		for _, column := range columns {
			values := t.columns[slices.Index(t.names, column)]
			addCurve(s, withUnit(column), chart.Curve{Name: c.names[i], T: times, Values: values})
			if m := found[column]; m != nil {
				byColumn[column] = m
				c.addNote("gauge %s, %s of %s: %s", gauge, column, c.names[i], m.errorOf(times, values, unitOf(column)))
			}
		}
	}
	for column, m := range byColumn {
		addCurve(s, withUnit(column), chart.Curve{Name: "measured", T: m.t, Values: m.values, Points: true})
	}
	return c.drawSeries("compare-gauge-"+gauge, s)
}

// drawColumns plots each column of conservation.csv on its own axes.
func (c *comparison) drawColumns() error {
	drifts, other := &chart.Series{Title: "drift of conserved quantities"}, &chart.Series{}
	for i, r := range c.runs {
		path := filepath.Join(r.dir, "conservation.csv")
		t, times, err := readTimeSeries(path)
		if err != nil {
			return err
		}
		for _, name := range t.names {
			addUnique(&c.runs[i].columns, name)
		}
		for _, column := range columnCurves(t, c.options.Columns) {
			s := other
			if column.isDrift {
				s = drifts
			}
			if column.overSweeps {
				s.XLabel = "sweeps"
			}
			label := column.panel
			switch short := strings.TrimSuffix(column.column, "_drift"); {
			case column.isDrift && column.relative:
				label = short + ", relative"
			case column.isDrift:
				label = withUnit(short)
			case column.name != column.column || // it shares a panel with others in the plot of one run
				column.panel != withUnit(column.column) && !column.undeclared:
				label = withUnit(column.column)
			}
			addCurve(s, label, chart.Curve{Name: c.names[i], T: times, Values: column.values})
		}
	}
	for _, wanted := range c.options.Columns {
		found := slices.ContainsFunc(c.runs, func(r *runner) bool { return slices.Contains(r.columns, wanted) })
		if wanted != allNames && !found {
			return fmt.Errorf("no column %q in any run; there are %s", wanted, strings.Join(c.runs[0].columns, ", "))
		}
	}
	if err := c.drawSeries("compare-conservation", drifts); err != nil {
		return err
	}
	return c.drawSeries("compare-course", other)
}

func (c *comparison) drawSeries(name string, s *chart.Series) error {
	if len(s.Panels) == 0 {
		return nil
	}
	s.Page, s.Log = c.options.Page, c.options.Log
	first := epochOf(c.runs[0])
	if !slices.ContainsFunc(c.runs, func(r *runner) bool { return !epochOf(r).Equal(first) }) {
		s.Epoch = first
	}
	if c.options.Title != nil {
		s.Title = *c.options.Title
	}
	picture, err := s.Draw()
	if c.skipWithNote(name, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.save(name, -1, picture)
}

// drawFields draws the named fields of each run side by side, in the chosen frame.
func (c *comparison) drawFields() error {
	for _, name := range c.options.Fields {
		var row []*figure.Figure
		spans := map[string]*span{}
		for pass := range 2 { // first the range of the common scale, then the pictures
			for i, r := range c.runs {
				r.options.Fields = []string{name}
				d, time, err := r.loadField(name)
				if err != nil {
					return err
				}
				if pass == 0 {
					d.widenSpans(spans)
					continue
				}
				moment := r.moment(d, time)
				title := r.title(fmt.Sprintf("%s: %s%s, %s", c.names[i], name, d.slice, moment), name, moment)
				r.options.Page.NoBar = i+1 < len(c.runs)
				picture, err := r.drawField(d, &d.fields[0], title, spans[name])
				if err != nil {
					return fmt.Errorf("%s: field %q: %w", r.dir, name, err)
				}
				row = append(row, picture)
			}
		}
		if err := c.save("compare-"+name, -1, figure.Stack([][]*figure.Figure{row})); err != nil {
			return err
		}
	}
	return nil
}

// loadField reads a field in the chosen frame of a run.
func (r *runner) loadField(field string) (*frameData, float64, error) {
	names, err := listFiles(r.dir, "*.pvd")
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		path := filepath.Join(r.dir, name)
		frames, err := vtk.ReadPVD(path)
		if err != nil {
			return nil, 0, err
		}
		if len(frames) == 0 || isShape(frames[0].File) {
			continue
		}
		chosen, err := r.selectFrames(path, len(frames))
		if err == nil && len(chosen) > 1 {
			err = fmt.Errorf("a comparison of runs shows a single frame: set --frame to a number or to last")
		}
		if err == nil {
			err = r.findDryThresholds(framePath(path, frames[0]), framePath(path, frames[chosen[0]]))
		}
		if err != nil {
			return nil, 0, err
		}
		d, err := r.load(framePath(path, frames[chosen[0]]))
		if err != nil {
			return nil, 0, err
		}
		if len(d.fields) > 0 {
			return d, frames[chosen[0]].Time, nil
		}
	}
	return nil, 0, fmt.Errorf("%s: no field %q to draw; there are %s", r.dir, field, strings.Join(r.fields, ", "))
}
