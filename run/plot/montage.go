package plot

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/surface"
	"github.com/atoll-hpc/atoll/solvers"
)

// SurfaceMontage is a picture of the surfaces of runs in space: a row for each run, with a view of each of its frames,
// and below them a plot of the first column for which the solver declares a panel, such as the volume. Runs have the
// names of their folders.
type SurfaceMontage struct {
	Dirs []string
	Page chart.Page // Width 0 means 400 pixels per frame of the run with the most frames
}

// Draw draws the montage.
func (s *SurfaceMontage) Draw() (*figure.Figure, error) {
	var rows [][]*figure.Figure
	series, maxFrames := make([][]vtk.Frame, len(s.Dirs)), 0
	files := make([]string, len(s.Dirs))
	for i, dir := range s.Dirs {
		var err error
		if files[i], series[i], err = findSurfaces(dir); err != nil {
			return nil, err
		}
		maxFrames = max(maxFrames, len(series[i]))
	}
	width := s.Page.Width
	if width == 0 {
		width = min(maxWidth, 400*maxFrames)
	}
	for i, dir := range s.Dirs {
		page := chart.Page{Width: max(minWidth, width/maxFrames), Inch: s.Page.Inch}
		row, err := drawViews(filepath.Base(filepath.Clean(dir)), files[i], series[i], page)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	column, err := drawColumn(s.Dirs, chart.Page{Width: max(minWidth, width*3/5), Inch: s.Page.Inch})
	if err != nil {
		return nil, err
	}
	if column != nil {
		rows = append(rows, []*figure.Figure{column})
	}
	return figure.Stack(rows), nil
}

// findSurfaces finds the series of surfaces in the folder of a run.
func findSurfaces(dir string) (path string, frames []vtk.Frame, err error) {
	names, err := listFiles(dir, "*.pvd")
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		path = filepath.Join(dir, name)
		if frames, err = vtk.ReadPVD(path); err != nil {
			return "", nil, err
		}
		if len(frames) == 0 || !isShape(frames[0].File) {
			continue
		}
		if p, err := vtk.ReadPolyData(framePath(path, frames[0])); err == nil && p.Polys.Len() > 0 {
			return path, frames, nil
		}
	}
	return "", nil, fmt.Errorf("%s: no series of surfaces in space; run the case with format = [\"vtp\"]", dir)
}

// drawViews draws the views of all frames of a run.
func drawViews(run, path string, frames []vtk.Frame, page chart.Page) (row []*figure.Figure, err error) {
	for _, frame := range frames {
		p, err := vtk.ReadPolyData(framePath(path, frame))
		if err != nil {
			return nil, err
		}
		v, found := surface.View(p, surface.ReadFull(framePath(path, frame)))
		if !found {
			return nil, fmt.Errorf("%s: the frame at t = %g has nothing to draw", path, frame.Time)
		}
		v.Page, v.ForMontage = page, true
		v.Title = fmt.Sprintf("%s, %s", run, (&frameData{}).timeText(frame.Time))
		img, err := v.Draw()
		if err != nil {
			return nil, fmt.Errorf("%s: the frame at t = %g: %w", path, frame.Time, err)
		}
		row = append(row, img)
	}
	return row, nil
}

// drawColumn plots the first column of conservation.csv for which a solver declares a panel, with one curve per run at
// the times of the first run. It returns nil if there is none.
func drawColumn(dirs []string, page chart.Page) (*figure.Figure, error) {
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
		for _, time := range s.T {
			curve.Values = append(curve.Values, interpolate(times, t.columns[i], time))
		}
		addCurve(s, label, curve)
	}
	if len(s.T) < 2 {
		return nil, nil
	}
	return s.Draw()
}

// Bounds of the width of pictures in pixels.
const (
	minWidth = 300
	maxWidth = 8000
)
