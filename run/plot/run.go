package plot

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/solvers"
)

// Frame numbers that are not the place of a frame in a series.
const (
	LastFrame = -1
	AllFrames = -2
)

// Options says what Run draws.
type Options struct {
	Frame int     // place of the frame in the .pvd file, from 0; or LastFrame or AllFrames
	Field string  // the only cell field to draw; "" for all
	Dry   float64 // m: a layer at most this deep is drawn as dry
	Edges bool    // draw the edges of the triangles
	Width int     // of the pictures in pixels, 0 for 1200
}

// ParseFrame reads a frame as a user gives it: "last" or nothing, "all", or a number from 0.
func ParseFrame(s string) (int, error) {
	switch s {
	case "", "last":
		return LastFrame, nil
	case "all":
		return AllFrames, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("frame %q: give a number from 0, all or last", s)
	}
	return n, nil
}

// Run draws what the output folder of a run holds, as PNG files in its folder plots, and returns their paths:
//
//   - of each *.pvd, a map of every cell field of one component (the length of those of more) in the chosen frames,
//     and the partition if there is a cell array "rank"; the maps of all frames share a colour bar; of a surface in
//     space, a shaded view, which counts as a field "surface"; of tetrahedra, a view of those behind a cut;
//   - of each gauges/*.csv and gauge_*.csv, the columns over time, in a panel for each unit;
//   - of conservation.csv, the drift of what is conserved, and the course of what solvers want to be drawn;
//   - of fields with a range of their own, as the quality of meshes that move, the first and the last frame side by
//     side.
//
// A field is drawn as dry where the field that tells of that, as the depth of its layer, is at most o.Dry. A folder
// without any of these is an error, as is a frame or a field that the folder does not have.
func Run(dir string, o Options) ([]string, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder; give the output folder of a run", dir)
	}
	r := &runner{dir: dir, options: o}
	found := 0
	for _, source := range []struct {
		pattern string
		draw    func(path string) error
	}{
		{"*.pvd", r.frames},
		{filepath.Join("gauges", "*.csv"), r.gauge},
		{"gauge_*.csv", r.gauge},
		{"conservation.csv", r.conservation},
	} {
		names, err := list(dir, source.pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			found++
			if err := source.draw(filepath.Join(dir, name)); err != nil {
				return r.written, err
			}
		}
	}
	if found == 0 {
		return nil, fmt.Errorf("%s: nothing to draw: there is no .pvd file, gauges/*.csv, gauge_*.csv or conservation.csv; "+
			"is it the output folder of a run?", dir)
	}
	if o.Field != "" && !r.fieldFound {
		return r.written, fmt.Errorf("%s: no field %q to draw; there are %s", dir, o.Field, strings.Join(r.fields, ", "))
	}
	return r.written, nil
}

// list returns the files of dir that match, sorted. The names in dir itself may hold any character.
func list(dir, pattern string) ([]string, error) {
	sub := filepath.Dir(pattern)
	entries, err := os.ReadDir(filepath.Join(dir, sub))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match(filepath.Base(pattern), e.Name()); ok && !e.IsDir() {
			names = append(names, filepath.Join(sub, e.Name()))
		}
	}
	return names, nil
}

// runner is what a Run has done.
type runner struct {
	dir        string
	options    Options
	written    []string
	fields     []string // cell fields that were found
	fieldFound bool
}

// save writes a picture to the folder plots.
func (r *runner) save(name string, img image.Image) error {
	dir := filepath.Join(r.dir, "plots")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, fileName(name)+".png")
	if err := WritePNG(path, img); err != nil {
		return err
	}
	r.written = append(r.written, path)
	return nil
}

// WritePNG writes a picture.
func WritePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, img)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// fileName replaces what does not belong in the name of a file.
func fileName(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, s)
}

// gauge draws a time series, in a panel for each unit.
func (r *runner) gauge(path string) error {
	t, err := readTable(path)
	if err != nil {
		return err
	}
	times, at, err := t.times()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "gauge_")
	s := &Series{Title: "gauge " + name, T: times, Width: r.options.Width}
	for i, column := range t.names {
		if i != at && column != "step" && column != "dt" {
			s.add(unitOf(column), Curve{column, t.columns[i]})
		}
	}
	if len(s.Panels) == 0 {
		return fmt.Errorf("%s: there is no column but the time", path)
	}
	return r.series("gauge-"+name, s, path)
}

// conservation draws how far the conserved quantities are from where they began, or what their budget leaves
// unexplained, and the course of others, with what each source brought side by side. A column that no solver has
// declared is drawn by itself.
func (r *runner) conservation(path string) error {
	t, err := readTable(path)
	if err != nil {
		return err
	}
	times, at, err := t.times()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	kept := &Series{Title: "drift of conserved quantities", T: times, Width: r.options.Width}
	course := &Series{T: times, Width: r.options.Width}
	for i, name := range t.names {
		if i == at || name == "step" || name == "dt" {
			continue
		}
		q, kind, known := solvers.QuantityOf(name)
		if known && kind.Sweeps {
			course.Across = "sweeps"
		}
		if d, _, _ := solvers.QuantityOf(name + "_drift"); d.In&solvers.Drift != 0 {
			if !slices.Contains(t.names, name+"_drift") {
				kept.addDrift(name, t.columns[i])
			}
		} else if q.In&solvers.Drift != 0 {
			kept.add("share unexplained", Curve{strings.TrimSuffix(name, "_drift"), t.columns[i]})
		} else if of, _, ok := strings.Cut(name, solvers.From); ok {
			course.add("sources of "+withUnit(of), Curve{name[len(of)+len(solvers.From):], t.columns[i]})
		} else if !known {
			course.add(name, Curve{name, t.columns[i]})
		} else if q.Panel != "" {
			course.add(q.Panel, Curve{strings.ReplaceAll(name, "_", " "), t.columns[i]})
		}
	}
	if len(kept.Panels)+len(course.Panels) == 0 {
		return fmt.Errorf("%s: among %q there is no column to draw", path, t.names)
	}
	slices.SortStableFunc(kept.Panels, func(a, b Panel) int { // shares first
		return cmp.Compare(strings.Index(b.Label, "change"), strings.Index(a.Label, "change"))
	})
	if err := r.series("conservation", kept, path); err != nil || len(course.Panels) == 0 {
		return err
	}
	course.Title = course.Panels[0].Label
	return r.series(course.Title, course, path)
}

// series draws a series, unless it has nothing to show.
func (r *runner) series(name string, s *Series, path string) error {
	if len(s.Panels) == 0 {
		return nil
	}
	img, err := s.Draw()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.save(name, img)
}

// add puts a curve on the panel of a label.
func (s *Series) add(label string, c Curve) {
	i := slices.IndexFunc(s.Panels, func(p Panel) bool { return p.Label == label })
	if i < 0 {
		i = len(s.Panels)
		s.Panels = append(s.Panels, Panel{Label: label})
	}
	s.Panels[i].Curves = append(s.Panels[i].Curves, c)
}

// addDrift adds the change of a conserved quantity, as a share of its first value if it has one.
func (s *Series) addDrift(name string, values []float64) {
	change, largest, relative := drift(values)
	label := "relative change"
	if !relative {
		label = "change"
		if u := unitOf(name); u != "" {
			label += " (" + u + ")"
		}
	}
	s.add(label, Curve{fmt.Sprintf("%s, at most %.2g", name, largest), change})
}
