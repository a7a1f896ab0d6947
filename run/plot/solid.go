package plot

import (
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// tetrahedronCell is VTK's number for them.
const tetrahedronCell = 10

// isSolid tells whether a frame is of tetrahedra.
func isSolid(path string) (bool, error) {
	if isImage(path) {
		return false, nil
	}
	g, err := vtk.Read(path)
	return err == nil && slices.Contains(g.Types, tetrahedronCell), err
}

// solids draws the chosen frames of a series of tetrahedra: of each cell field a view of the surface and the cells
// behind a cut through the middle. Of the quality, the first and the last frame follow side by side.
func (r *runner) solids(path string, all []vtk.Frame, chosen []int) error {
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	for _, i := range chosen {
		s, err := vtk.ReadSolid(frameFile(path, all[i]))
		if err != nil {
			return err
		}
		for _, field := range fieldsOf(s) {
			r.note(field)
			if r.options.Field != "" && r.options.Field != field {
				continue
			}
			title := fmt.Sprintf("%s: %s, %s", name, field, moment(fieldsOf(s), all[i].Time))
			img, err := r.solid(s, field, title)
			if err != nil {
				return fmt.Errorf("%s: frame %d: %w", path, i, err)
			}
			if err := r.save(fmt.Sprintf("%s-%s-%04d", name, field, i), img); err != nil {
				return err
			}
		}
	}
	if len(all) < 2 || r.options.Field != "" && rangeOf(r.options.Field) == nil {
		return nil
	}
	var drawn [2]*image.RGBA
	for k, i := range [2]int{0, len(all) - 1} {
		s, err := vtk.ReadSolid(frameFile(path, all[i]))
		if err != nil {
			return err
		}
		fields := fieldsOf(s)
		at := slices.IndexFunc(fields, func(name string) bool { return rangeOf(name) != nil })
		if at < 0 {
			return nil
		}
		title := name + ": before"
		if k == 1 {
			title = name + ": " + moment(fields, all[i].Time)
		}
		if drawn[k], err = r.solid(s, fields[at], title); err != nil {
			return err
		}
	}
	return r.save(name+"-before-after", beside(drawn[0], drawn[1]))
}

// fieldsOf are the cell fields that are worth a picture.
func fieldsOf(s *mesh.Solid) (names []string) {
	for name := range s.CellData {
		if name != "cell" && name != "rank" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// solid draws a field of tetrahedra, of those whose centre is behind the middle, seen along y.
func (r *runner) solid(s *mesh.Solid, field, title string) (*image.RGBA, error) {
	values := s.CellData[field]
	m := &Map{Values: values, Range: rangeOf(field)}
	scale := m.colours()
	v := &View{Title: title, Width: r.options.Width, Scale: scale, Label: withUnit(field)}
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		v.Box[0][axis], v.Box[1][axis] = slices.Min(x), slices.Max(x)
	}
	for i := range s.X {
		v.Points = append(v.Points, s.X[i], s.Y[i], s.Z[i])
	}
	behind := &mesh.Solid{X: s.X, Y: s.Y, Z: s.Z}
	var ids []int
	middle := (v.Box[0][1] + v.Box[1][1]) / 2
	for c := range s.Cells {
		if s.Centroid(c)[1] >= middle {
			behind.Cells, ids = append(behind.Cells, s.Cells[c]), append(ids, c)
		}
	}
	skin, err := behind.Skin()
	if err != nil {
		return nil, err
	}
	for _, f := range skin {
		v.Triangles = append(v.Triangles, f.V)
		colour := noData
		if x := values[ids[f.Cell]]; x-x == 0 {
			colour = scale.at(x)
		}
		v.Colours = append(v.Colours, color.RGBA{colour.R, colour.G, colour.B, 255})
	}
	return v.Draw()
}
