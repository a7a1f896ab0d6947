package plot

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/solvers"
)

// Strip is a picture of the surfaces of runs in space: a row for each run, a view for each of its frames, and below
// them the course of what their solver wants to be drawn first, such as the volume.
// Runs have the names of their folders.
type Strip struct {
	Dirs []string
	Page chart.Page // of a width of 400 pixels a frame of the run that has the most, where it has none
}

// Draw draws the strip.
func (s *Strip) Draw() (*figure.Figure, error) {
	var rows [][]*figure.Figure
	series, most := make([][]vtk.Frame, len(s.Dirs)), 0
	files := make([]string, len(s.Dirs))
	for i, dir := range s.Dirs {
		var err error
		if files[i], series[i], err = surfacesIn(dir); err != nil {
			return nil, err
		}
		most = max(most, len(series[i]))
	}
	width := s.Page.Width
	if width == 0 {
		width = min(mostWide, 400*most)
	}
	for i, dir := range s.Dirs {
		page := chart.Page{Width: max(leastWide, width/most), Inch: s.Page.Inch}
		row, err := views(filepath.Base(filepath.Clean(dir)), files[i], series[i], page)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	below, err := volumes(s.Dirs, chart.Page{Width: max(leastWide, width*3/5), Inch: s.Page.Inch})
	if err != nil {
		return nil, err
	}
	if below != nil {
		rows = append(rows, []*figure.Figure{below})
	}
	return figure.Stack(rows), nil
}

// surfacesIn finds the series of surfaces in the folder of a run.
func surfacesIn(dir string) (path string, all []vtk.Frame, err error) {
	names, err := list(dir, "*.pvd")
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		path = filepath.Join(dir, name)
		if all, err = vtk.ReadPVD(path); err != nil {
			return "", nil, err
		}
		if len(all) == 0 || !isLines(all[0].File) {
			continue
		}
		if p, err := vtk.ReadPolyData(frameFile(path, all[0])); err == nil && p.Polys.Len() > 0 {
			return path, all, nil
		}
	}
	return "", nil, fmt.Errorf("%s: there is no series of surfaces in space; run its case with format = [\"vtp\"]", dir)
}

// views are those of all frames of a run.
func views(run, path string, all []vtk.Frame, page chart.Page) (row []*figure.Figure, err error) {
	for _, frame := range all {
		p, err := vtk.ReadPolyData(frameFile(path, frame))
		if err != nil {
			return nil, err
		}
		v, found := viewOf(p, fluidBeside(frameFile(path, frame)))
		if !found {
			return nil, fmt.Errorf("%s: the frame at t = %g has no room to draw", path, frame.Time)
		}
		v.Page, v.Small = page, true
		v.Title = fmt.Sprintf("%s, %s", run, (&frameData{}).moment(frame.Time))
		img, err := v.Draw()
		if err != nil {
			return nil, fmt.Errorf("%s: the frame at t = %g: %w", path, frame.Time, err)
		}
		row = append(row, img)
	}
	return row, nil
}

// volumes draws the first column of their tables that a solver wants to be drawn, a curve for each run, at the times of
// the first run; nil if there is none.
func volumes(dirs []string, page chart.Page) (*figure.Figure, error) {
	s := &chart.Series{Page: page}
	var column, label string
	for _, dir := range dirs {
		t, err := readTable(filepath.Join(dir, "conservation.csv"))
		if err != nil {
			return nil, err
		}
		times, _, err := t.times()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if s.T == nil {
			s.T = times
			for _, name := range t.names {
				if q, _, known := solvers.QuantityOf(name); known && q.Panel != "" && column == "" {
					column, label = name, q.Panel
				}
			}
		}
		i := slices.Index(t.names, column)
		if i < 0 {
			return nil, nil
		}
		curve := chart.Curve{Name: filepath.Base(filepath.Clean(dir))}
		for _, at := range s.T {
			curve.Values = append(curve.Values, between(times, t.columns[i], at))
		}
		add(s, label, curve)
	}
	if len(s.T) < 2 {
		return nil, nil
	}
	return s.Draw()
}

// Widths of pictures in pixels.
const (
	leastWide = 300
	mostWide  = 8000
)
