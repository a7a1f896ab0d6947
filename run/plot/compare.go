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

// Compare draws several runs: each gauge and each course of conservation.csv with a curve a run, and where fields are
// named these side by side, on one scale. The files are in the folder plots where the command is started, if the
// options name none.
func Compare(dirs []string, o Options) (*Result, error) {
	o, err := o.settled()
	if err != nil {
		return nil, err
	}
	if o.film() {
		return nil, fmt.Errorf("a film is of one run")
	}
	c := &comparison{canvas: canvas{options: &o, into: "plots"}}
	for i, name := range namesOfRuns(dirs) {
		r, err := open(dirs[i], o)
		if err != nil {
			return nil, err
		}
		c.runs, c.names = append(c.runs, r), append(c.names, name)
	}
	draws := []struct {
		wanted bool
		draw   func() error
	}{
		{len(o.Fields) > 0, c.fields},
		{o.everything() || len(o.Gauges) > 0, c.gauges},
		{o.everything() || len(o.Columns) > 0 && len(o.Gauges) == 0, c.courses},
		{o.everything(), c.metrics},
	}
	for _, d := range draws {
		if d.wanted {
			if err := d.draw(); err != nil {
				return &c.Result, err
			}
		}
	}
	for _, r := range c.runs {
		for _, text := range r.Notes {
			c.tell("%s", text)
		}
	}
	return &c.Result, c.finish()
}

// comparison is several runs in one picture.
type comparison struct {
	canvas
	runs  []*runner
	names []string
}

// namesOfRuns are those of their folders, with as many of the folders above as tell them apart.
func namesOfRuns(dirs []string) []string {
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

// gauges draws those of the same name over each other, each column on axes of its own.
func (c *comparison) gauges() error {
	files := map[string][]string{} // of each gauge, one a run, "" where it has none
	for i, r := range c.runs {
		for _, pattern := range []string{filepath.Join("gauges", "*.csv"), "gauge_*.csv"} {
			names, err := list(r.dir, pattern)
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
		if wanted != all && !slices.Contains(gauges, wanted) {
			return fmt.Errorf("no gauge %q in any run; there are %s", wanted, strings.Join(gauges, ", "))
		}
	}
	for _, gauge := range gauges {
		if len(c.options.Gauges) > 0 && !wants(c.options.Gauges, gauge) {
			continue
		}
		if err := c.gauge(gauge, files[gauge]); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) gauge(gauge string, files []string) error {
	s := &chart.Series{Title: "gauge " + gauge}
	seen := map[string]*measured{}
	for i, path := range files {
		if path == "" {
			continue
		}
		t, times, err := tableOf(path)
		if err != nil {
			return err
		}
		columns := gaugeColumns(t, c.options.Columns)
		measured, err := c.runs[i].measuredAt(gauge, columns)
		if err != nil {
			return err
		}
		for _, column := range columns {
			values := t.columns[slices.Index(t.names, column)]
			add(s, withUnit(column), chart.Curve{Name: c.names[i], T: times, Values: values})
			if m := measured[column]; m != nil {
				seen[column] = m
				c.tell("gauge %s, %s of %s: %s", gauge, column, c.names[i], m.errorOf(times, values, unitOf(column)))
			}
		}
	}
	for column, m := range seen {
		add(s, withUnit(column), chart.Curve{Name: "measured", T: m.t, Values: m.values, Points: true})
	}
	return c.series("compare-gauge-"+gauge, s)
}

func tableOf(path string) (*table, []float64, error) {
	t, err := readTable(path)
	if err != nil {
		return nil, nil, err
	}
	times, _, err := t.times()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, times, nil
}

// courses draws each of the courses of conservation.csv on axes of its own.
func (c *comparison) courses() error {
	kept, other := &chart.Series{Title: "drift of conserved quantities"}, &chart.Series{}
	for i, r := range c.runs {
		path := filepath.Join(r.dir, "conservation.csv")
		t, times, err := tableOf(path)
		if err != nil {
			return err
		}
		for _, name := range t.names {
			note(&c.runs[i].columns, name)
		}
		for _, of := range courses(t, c.options.Columns) {
			s := other
			if of.kept {
				s = kept
			}
			if of.sweeps {
				s.Across = "sweeps"
			}
			label := of.panel
			switch short := strings.TrimSuffix(of.column, "_drift"); {
			case of.kept && of.share:
				label = short + ", relative"
			case of.kept:
				label = withUnit(short)
			case of.name != of.column || of.panel != withUnit(of.column) && !of.unknown:
				label = withUnit(of.column)
			}
			add(s, label, chart.Curve{Name: c.names[i], T: times, Values: of.values})
		}
	}
	for _, wanted := range c.options.Columns {
		there := slices.ContainsFunc(c.runs, func(r *runner) bool { return slices.Contains(r.columns, wanted) })
		if wanted != all && !there {
			return fmt.Errorf("no column %q in any run; there are %s", wanted, strings.Join(c.runs[0].columns, ", "))
		}
	}
	if err := c.series("compare-conservation", kept); err != nil {
		return err
	}
	return c.series("compare-course", other)
}

func (c *comparison) series(name string, s *chart.Series) error {
	if len(s.Panels) == 0 {
		return nil
	}
	s.Page, s.Log = c.options.Page, c.options.Log
	if c.options.Title != nil {
		s.Title = *c.options.Title
	}
	picture, err := s.Draw()
	if c.leftOut(name, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.save(name, -1, picture)
}

// fields draws those that are named of each run side by side, in the chosen frame.
func (c *comparison) fields() error {
	for _, name := range c.options.Fields {
		var row []*figure.Figure
		spans := map[string]*span{}
		for pass := range 2 { // first what the scale must span, then the pictures
			for i, r := range c.runs {
				r.options.Fields = []string{name}
				d, time, err := r.only(name)
				if err != nil {
					return err
				}
				if pass == 0 {
					d.widen(spans)
					continue
				}
				title := r.title(fmt.Sprintf("%s: %s%s, %s", c.names[i], name, d.slice, d.moment(time)), name, d.moment(time))
				r.options.Page.NoBar = i+1 < len(c.runs)
				picture, err := r.picture(d, &d.fields[0], title, spans[name])
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

// only reads a field of the chosen frame of a run.
func (r *runner) only(field string) (*frameData, float64, error) {
	names, err := list(r.dir, "*.pvd")
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		path := filepath.Join(r.dir, name)
		frames, err := vtk.ReadPVD(path)
		if err != nil {
			return nil, 0, err
		}
		if len(frames) == 0 || isLines(frames[0].File) {
			continue
		}
		chosen, err := r.chosen(path, len(frames))
		if err == nil && len(chosen) > 1 {
			err = fmt.Errorf("of several runs one frame is drawn: give --frame a number, or last")
		}
		if err == nil {
			err = r.measureDry(frameFile(path, frames[0]))
		}
		if err != nil {
			return nil, 0, err
		}
		d, err := r.load(frameFile(path, frames[chosen[0]]))
		if err != nil {
			return nil, 0, err
		}
		if len(d.fields) > 0 {
			return d, frames[chosen[0]].Time, nil
		}
	}
	return nil, 0, fmt.Errorf("%s: no field %q to draw; there are %s", r.dir, field, strings.Join(r.fields, ", "))
}
