package tables

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/points"
	"github.com/atoll-hpc/atoll/solvers"
)

// gaugePoint is a point at which values are written, with its own table. A gauge of the case may have several.
type gaugePoint struct {
	name     string
	position []float64
	every    float64
	measured []measurement // measurements at the point, one series per field
}

// readPoints collects the points of all gauges of the case: single points, points along lines, and points in files. All
// ranks call it.
func (g *Gauges) readPoints(ctx context.Context) (err error) {
	definedIn := map[string]string{} // where each name was defined
	for i := range g.run.Case.Gauges {
		section := &g.run.Case.Gauges[i]
		var list []gaugePoint
		if list, err = g.pointsOf(section); err != nil {
			break
		}
		source := fmt.Sprintf("gauge %q", section.Name)
		if section.File != "" {
			source = section.File
		}
		for _, p := range list {
			if other, exists := definedIn[p.name]; exists {
				err = fmt.Errorf("%s: gauge name %q is already used by %s; choose another", source, p.name, other)
			}
			definedIn[p.name] = source
		}
		g.points = append(g.points, list...)
	}
	return solvers.Agree(ctx, g.run.Comm, err)
}

func (g *Gauges) pointsOf(section *config.Gauge) ([]gaugePoint, error) {
	switch {
	case section.Line != nil:
		var list []gaugePoint
		for k, position := range pointsAlong(section.Line, section.Points) {
			list = append(list, gaugePoint{name: section.Name + "-" + strconv.Itoa(k+1), position: position,
				every: section.Every})
		}
		return list, nil
	case section.File != "":
		return readPointFile(g.besideCase(section.File), section.Every, section.Dim)
	}
	p := gaugePoint{name: section.Name, position: section.At, every: section.Every}
	var err error
	if section.Measured != nil {
		p.measured, err = g.readMeasured(section)
	}
	return []gaugePoint{p}, err
}

// besideCase returns the path of a file named in the case that does not influence steps: relative paths start at the
// case file.
func (g *Gauges) besideCase(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(g.run.Case.Dir(), file)
}

// readPointFile reads the points in a file.
func readPointFile(path string, every float64, dim int) ([]gaugePoint, error) {
	list, err := points.Read(path, dim)
	if err != nil {
		return nil, err
	}
	gaugePoints := make([]gaugePoint, len(list))
	for i, p := range list {
		if !config.NamesFile(p.Name) {
			return nil, fmt.Errorf("%s:%d: %q cannot name files; use up to 100 letters, digits, -, _, and . and spaces within",
				path, p.Line, p.Name)
		}
		gaugePoints[i] = gaugePoint{name: p.Name, position: p.Position, every: every}
	}
	return gaugePoints, nil
}

// pointsAlong returns count points at equal distances along a polyline, including its ends.
func pointsAlong(line [][]float64, count int) [][]float64 {
	arcLength := make([]float64, len(line)) // arc length at each corner
	for k := 1; k < len(line); k++ {
		squares := 0.0
		for d := range line[k] {
			squares += (line[k][d] - line[k-1][d]) * (line[k][d] - line[k-1][d])
		}
		arcLength[k] = arcLength[k-1] + math.Sqrt(squares)
	}
	points := make([][]float64, count)
	k, last := 1, len(line)-1
	for i := range points {
		if i == count-1 {
			points[i] = line[last]
			break
		}
		distance := arcLength[last] * float64(i) / float64(count-1)
		for k < last && arcLength[k] < distance {
			k++
		}
		fraction := (distance - arcLength[k-1]) / (arcLength[k] - arcLength[k-1])
		point := make([]float64, len(line[k]))
		for d := range point {
			point[d] = line[k-1][d] + fraction*(line[k][d]-line[k-1][d])
		}
		points[i] = point
	}
	return points
}
