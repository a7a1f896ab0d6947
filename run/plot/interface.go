package plot

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// interfaceBeside reads the interface of the frame whose grid is at path: the closed one, or else the lines or planes
// of each cell, of format plic. It returns nil where the run has written neither.
func interfaceBeside(path string) (*vtk.PolyData, error) {
	ext := filepath.Ext(path)
	stem, ext := strings.TrimSuffix(path, ext), strings.Replace(ext, "vti", "vtp", 1)
	path = stem + ext
	if _, err := os.Stat(path); os.IsNotExist(err) {
		number := strings.LastIndexByte(stem, '_')
		if number < 0 {
			return nil, nil
		}
		path = stem[:number] + "_plic" + stem[number:] + ext
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return nil, nil
		}
	}
	return vtk.ReadPolyData(path)
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
