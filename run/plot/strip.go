package plot

import (
	"fmt"
	"image"
	"image/draw"
	"path/filepath"
	"slices"
	"sort"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// Strip is a picture of the surfaces of runs in space: a row for each run, a view for each of its frames, and below
// them the course of what their solver wants to be drawn first, such as the volume.
// Runs have the names of their folders.
type Strip struct {
	Dirs  []string
	Width int // of the picture in pixels, 0 for 400 a frame of the run that has the most
}

// Draw draws the strip.
func (s *Strip) Draw() (image.Image, error) {
	var rows [][]*image.RGBA
	series, most := make([][]vtk.Frame, len(s.Dirs)), 0
	files := make([]string, len(s.Dirs))
	for i, dir := range s.Dirs {
		var err error
		if files[i], series[i], err = surfacesIn(dir); err != nil {
			return nil, err
		}
		most = max(most, len(series[i]))
	}
	width := s.Width
	if width == 0 {
		width = min(maxWidth, 400*most)
	}
	for i, dir := range s.Dirs {
		row, err := views(filepath.Base(filepath.Clean(dir)), files[i], series[i], max(minWidth, width/most))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	below, err := courses(s.Dirs, width)
	if err != nil {
		return nil, err
	}
	if below != nil {
		rows = append(rows, []*image.RGBA{below})
	}
	return stacked(rows), nil
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
func views(run, path string, all []vtk.Frame, width int) (row []*image.RGBA, err error) {
	for _, frame := range all {
		p, err := vtk.ReadPolyData(frameFile(path, frame))
		if err != nil {
			return nil, err
		}
		v, found := viewOf(p)
		if !found {
			return nil, fmt.Errorf("%s: the frame at t = %g has no room to draw", path, frame.Time)
		}
		v.Width, v.Small = width, true
		v.Title = fmt.Sprintf("%s, %s", run, (&frameData{}).moment(frame.Time))
		img, err := v.Draw()
		if err != nil {
			return nil, fmt.Errorf("%s: the frame at t = %g: %w", path, frame.Time, err)
		}
		row = append(row, img)
	}
	return row, nil
}

// courses draws the first column of their tables that a solver wants to be drawn, a curve for each run, at the times of
// the first run; nil if there is none.
func courses(dirs []string, width int) (*image.RGBA, error) {
	s := &Series{Width: max(minWidth, width*3/5)}
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
		curve := Curve{Name: filepath.Base(filepath.Clean(dir))}
		for _, at := range s.T {
			curve.Values = append(curve.Values, between(times, t.columns[i], at))
		}
		s.add(label, curve)
	}
	if len(s.T) < 2 {
		return nil, nil
	}
	img, err := s.Draw()
	if err != nil {
		return nil, err
	}
	return stacked([][]*image.RGBA{{asRGBA(img)}}), nil
}

// between is a column at a time, linear between those of its rows.
func between(times, values []float64, at float64) float64 {
	k := sort.SearchFloat64s(times, at)
	switch {
	case k == 0:
		return values[0]
	case k == len(times):
		return values[k-1]
	case times[k] == times[k-1]:
		return values[k]
	}
	part := (at - times[k-1]) / (times[k] - times[k-1])
	return values[k-1] + part*(values[k]-values[k-1])
}

func asRGBA(img image.Image) *image.RGBA {
	all := image.NewRGBA(img.Bounds())
	draw.Draw(all, all.Bounds(), img, img.Bounds().Min, draw.Src)
	return all
}

// stacked puts rows of pictures one below the other.
func stacked(rows [][]*image.RGBA) *image.RGBA {
	size := image.Point{}
	for _, row := range rows {
		x, y := 0, 0
		for _, p := range row {
			x, y = x+p.Rect.Dx(), max(y, p.Rect.Dy())
		}
		size = image.Pt(max(size.X, x), size.Y+y)
	}
	all := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(all, all.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	top := 0
	for _, row := range rows {
		x, y := 0, 0
		for _, p := range row {
			draw.Draw(all, p.Rect.Add(image.Pt(x, top)), p, p.Rect.Min, draw.Src)
			x, y = x+p.Rect.Dx(), max(y, p.Rect.Dy())
		}
		top += y
	}
	return all
}
