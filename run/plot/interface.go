package plot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// readInterface reads the interface of the frame whose grid is at path: from the file with the same base name, else
// from the first file of another format, by name, that has lines or polygons. It returns nil if there is none.
func readInterface(path string) (*vtk.PolyData, error) {
	ext := filepath.Ext(path)
	stem, ext := strings.TrimSuffix(path, ext), strings.Replace(ext, "vti", "vtp", 1)
	candidates := []string{stem + ext}
	if number := strings.LastIndexByte(stem, '_'); number >= 0 {
		dir, name := filepath.Split(stem[:number])
		files, err := os.ReadDir(filepath.Clean(dir + "."))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			format, ok := strings.CutPrefix(file.Name(), name+"_")
			if !ok {
				continue
			}
			if format, ok = strings.CutSuffix(format, stem[number:]+ext); ok && format != "" {
				candidates = append(candidates, dir+file.Name())
			}
		}
	}
	for _, path := range candidates {
		p, err := vtk.ReadPolyData(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case p.Lines.Len()+p.Polys.Len() > 0:
			return p, nil
		}
	}
	return nil, nil
}

// segmentsOf returns the lines of the plane as segments: x, y of both ends.
func segmentsOf(p *vtk.PolyData) [][4]float64 {
	var lines [][4]float64
	for i := range p.Lines.Len() {
		points := p.Lines.Cell(i)
		for k, b := range points[1:] {
			a := points[k]
			lines = append(lines, [4]float64{p.Points[3*a], p.Points[3*a+1], p.Points[3*b], p.Points[3*b+1]})
		}
	}
	return lines
}

// sectionOf returns the segments in which a plane intersects convex polygons.
func sectionOf(p *vtk.PolyData, plane *Plane) [][4]float64 {
	var lines [][4]float64
	axes := planeAxes[plane.Axis]
	for i := range p.Polys.Len() {
		points := p.Polys.Cell(i)
		var ends []float64
		for k, b := range points {
			a := points[(k+len(points)-1)%len(points)]
			if a > b { // the same arithmetic for both polygons of an edge
				a, b = b, a
			}
			za, zb := p.Points[3*a+int64(plane.Axis)], p.Points[3*b+int64(plane.Axis)]
			if za >= plane.At == (zb >= plane.At) {
				continue
			}
			t := (plane.At - za) / (zb - za)
			for _, d := range axes {
				from, to := p.Points[3*a+int64(d)], p.Points[3*b+int64(d)]
				ends = append(ends, from+t*(to-from))
			}
		}
		if len(ends) == 4 {
			lines = append(lines, [4]float64(ends))
		}
	}
	return lines
}
