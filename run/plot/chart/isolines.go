package chart

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// Levels are the values of isolines: a number of round values, or a list.
type Levels struct {
	Count  int
	Values []float64
}

// ParseLevels parses isolines from the command line: an integer is a number of lines; a list with commas, or a number
// with a decimal point, gives values.
func ParseLevels(text string) (*Levels, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return &Levels{Count: n}, nil
	}
	l := &Levels{}
	for word := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !IsFinite(v) {
			return nil, fmt.Errorf("isolines %q: want a number of lines, or values such as 0.5,1,2 (a single integer value "+
				"as 2,)",
				text)
		}
		l.Values = append(l.Values, v)
	}
	if len(l.Values) == 0 {
		return nil, errors.New("isolines: the list of values is empty")
	}
	return l, nil
}

// valuesFor returns the values for a scale.
func (l *Levels) valuesFor(s *scale) []float64 {
	if l.Values != nil {
		return l.Values
	}
	var values []float64
	for _, t := range s.ticks(l.Count) {
		values = append(values, t.value)
	}
	return values
}

// isolines draws the isolines of a map. The field is interpolated linearly from values at vertices, each the mean of
// the cells around it. Cells that are dry or without a number, and their neighbours, have no lines.
func (f *mapFrame) isolines(m *Map, s *scale, levels []float64) {
	merged := m.mergedVertices()
	corner, known := m.vertexValues(merged)
	for _, level := range levels {
		var lines [][4]float64
		for _, c := range m.Cells {
			c = [3]int32{merged[c[0]], merged[c[1]], merged[c[2]]}
			if known[c[0]] && known[c[1]] && known[c[2]] {
				if l, crossed := m.crossing(c, corner, level); crossed {
					lines = append(lines, l)
				}
			}
		}
		line := contrast(s.colour(level))
		f.segments(lines, 1.5, color.RGBA{line.R, line.G, line.B, 255})
	}
}

// mergedVertices returns, for each vertex, the first vertex with the same coordinates: on interfaces between ranks,
// each rank has its own vertices.
func (m *Map) mergedVertices() []int32 {
	first := make(map[[2]float64]int32, len(m.X))
	merged := make([]int32, len(m.X))
	for i := range m.X {
		position := [2]float64{m.X[i], m.Y[i]}
		if _, seen := first[position]; !seen {
			first[position] = int32(i)
		}
		merged[i] = first[position]
	}
	return merged
}

// vertexValues returns the values at the vertices, and whether all cells around each have a value.
func (m *Map) vertexValues(merged []int32) (values []float64, known []bool) {
	values, known = make([]float64, len(m.X)), make([]bool, len(m.X))
	count := make([]float64, len(m.X))
	for i := range known {
		known[i] = true
	}
	for i, c := range m.Cells {
		v := m.Values[i]
		missing := !IsFinite(v) || m.Dry != nil && m.Dry[i]
		for _, k := range c {
			k = merged[k]
			if missing {
				known[k] = false
				continue
			}
			values[k] += v
			count[k]++
		}
	}
	for i, n := range count {
		if n > 0 {
			values[i] /= n
		}
	}
	return values, known
}

// crossing returns the line of a level in a triangle with known values at its corners. A corner at the level counts as
// above it, so that a line through a vertex continues in exactly one triangle.
func (m *Map) crossing(c [3]int32, corner []float64, level float64) (line [4]float64, crossed bool) {
	n := 0
	for k := range 3 {
		a, b := c[k], c[(k+1)%3]
		if corner[a] >= level == (corner[b] >= level) {
			continue
		}
		if a > b { // the same arithmetic for both triangles of an edge
			a, b = b, a
		}
		t := (level - corner[a]) / (corner[b] - corner[a])
		line[2*n], line[2*n+1] = m.X[a]+t*(m.X[b]-m.X[a]), m.Y[a]+t*(m.Y[b]-m.Y[a])
		n++
	}
	return line, n == 2
}
