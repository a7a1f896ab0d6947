package run

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

// gaugePoint is a point of a gauge, which has a table of its own.
type gaugePoint struct {
	name     string
	at       []float64
	every    float64
	measured []record // what was measured there, by field
}

// newPoints finds the points of all gauges of the case: each, those along lines, and those in files. All ranks call it.
func (r *runner) newPoints(ctx context.Context) (err error) {
	names := map[string]string{} // what has them
	for i := range r.Case.Gauges {
		g := &r.Case.Gauges[i]
		var list []gaugePoint
		if list, err = r.pointsOf(g); err != nil {
			break
		}
		of := fmt.Sprintf("gauge %q", g.Name)
		if g.File != "" {
			of = g.File
		}
		for _, s := range list {
			if other, taken := names[s.name]; taken {
				err = fmt.Errorf("%s: a gauge %q is in %s already", of, s.name, other)
			}
			names[s.name] = of
		}
		r.points = append(r.points, list...)
	}
	return solvers.Agree(ctx, r.Comm, err)
}

func (r *runner) pointsOf(g *config.Gauge) ([]gaugePoint, error) {
	switch {
	case g.Line != nil:
		var list []gaugePoint
		for k, at := range along(g.Line, g.Points) {
			list = append(list, gaugePoint{name: g.Name + "-" + strconv.Itoa(k+1), at: at, every: g.Every})
		}
		return list, nil
	case g.File != "":
		return pointsIn(r.besideCase(g.File), g.Every, g.Dim)
	}
	s := gaugePoint{name: g.Name, at: g.At, every: g.Every}
	var err error
	if g.Measured != nil {
		s.measured, err = r.newRecords(g)
	}
	return []gaugePoint{s}, err
}

// besideCase is where a file is that the case names and that no step depends on.
func (r *runner) besideCase(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(r.Case.Dir(), file)
}

// pointsIn reads the points of a file.
func pointsIn(path string, every float64, dim int) ([]gaugePoint, error) {
	list, err := points.Read(path, dim)
	if err != nil {
		return nil, err
	}
	sites := make([]gaugePoint, len(list))
	for i, p := range list {
		if !config.NamesFile(p.Name) {
			return nil, fmt.Errorf("%s:%d: %q cannot name files; use up to 100 letters, digits, -, _, and . and spaces within",
				path, p.Line, p.Name)
		}
		sites[i] = gaugePoint{name: p.Name, at: p.At, every: every}
	}
	return sites, nil
}

// along are so many points on a line, its ends among them, at equal distances along it.
func along(line [][]float64, count int) [][]float64 {
	upTo := make([]float64, len(line)) // how far corners are along the line
	for k := 1; k < len(line); k++ {
		square := 0.0
		for d := range line[k] {
			square += (line[k][d] - line[k-1][d]) * (line[k][d] - line[k-1][d])
		}
		upTo[k] = upTo[k-1] + math.Sqrt(square)
	}
	all := make([][]float64, count)
	k, last := 1, len(line)-1
	for i := range all {
		if i == count-1 {
			all[i] = line[last]
			break
		}
		far := upTo[last] * float64(i) / float64(count-1)
		for k < last && upTo[k] < far {
			k++
		}
		share := (far - upTo[k-1]) / (upTo[k] - upTo[k-1])
		at := make([]float64, len(line[k]))
		for d := range at {
			at[d] = line[k-1][d] + share*(line[k][d]-line[k-1][d])
		}
		all[i] = at
	}
	return all
}
