package plot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// interfaceBeside reads the interface of the frame whose grid is at path: that in the file of the same name, or else
// the first of other formats, in the order of their names, that has lines or polygons. It returns nil where the run
// has written none.
func interfaceBeside(path string) (*vtk.PolyData, error) {
	ext := filepath.Ext(path)
	stem, ext := strings.TrimSuffix(path, ext), strings.Replace(ext, "vti", "vtp", 1)
	candidates := []string{stem + ext}
	if number := strings.LastIndexByte(stem, '_'); number >= 0 {
		dir, name := filepath.Split(stem[:number])
		all, err := os.ReadDir(filepath.Clean(dir + "."))
		if err != nil {
			return nil, err
		}
		for _, file := range all {
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

// segmentsOf are the lines of the plane: x, y of one end and of the other.
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

// sectionOf are the lines in which the plane of a given z cuts convex polygons.
func sectionOf(p *vtk.PolyData, z float64) [][4]float64 {
	var lines [][4]float64
	for i := range p.Polys.Len() {
		points := p.Polys.Cell(i)
		var ends []float64
		for k, b := range points {
			a := points[(k+len(points)-1)%len(points)]
			za, zb := p.Points[3*a+2], p.Points[3*b+2]
			if za >= z == (zb >= z) {
				continue
			}
			t := (z - za) / (zb - za)
			for d := range int64(2) {
				ends = append(ends, p.Points[3*a+d]+t*(p.Points[3*b+d]-p.Points[3*a+d]))
			}
		}
		if len(ends) == 4 {
			lines = append(lines, [4]float64(ends))
		}
	}
	return lines
}
