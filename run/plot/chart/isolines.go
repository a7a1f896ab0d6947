package chart

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// Levels are the values of isolines: so many round ones, or those of a list.
type Levels struct {
	Count int
	At    []float64
}

// ParseLevels reads isolines as a user gives them: a count, or values with commas or decimal points among them.
func ParseLevels(text string) (*Levels, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return &Levels{Count: n}, nil
	}
	l := &Levels{}
	for word := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("isolines %q: give how many, or their values, as in 0.5,1,2 (a single whole one as in 2,)",
				text)
		}
		l.At = append(l.At, v)
	}
	if len(l.At) == 0 {
		return nil, errors.New("isolines without values")
	}
	return l, nil
}

// of are the values on a scale.
func (l *Levels) of(s *scale) []float64 {
	if l.At != nil {
		return l.At
	}
	var at []float64
	for _, t := range s.ticks(l.Count) {
		at = append(at, t.at)
	}
	return at
}

// isolines draws the lines of some values of a map. Between the middles of cells values are linear: at a vertex there
// is the mean of the cells around it. There are no lines in cells that are dry or without a number, nor in those
// beside them.
func (f *frame) isolines(m *Map, s *scale, levels []float64) {
	one := m.oneOf()
	corner, known := m.corners(one)
	for _, level := range levels {
		var lines [][4]float64
		for _, c := range m.Cells {
			c = [3]int32{one[c[0]], one[c[1]], one[c[2]]}
			if known[c[0]] && known[c[1]] && known[c[2]] {
				if l, crossed := m.crossing(c, corner, level); crossed {
					lines = append(lines, l)
				}
			}
		}
		line := contrast(s.at(level))
		f.segments(lines, 1.5, color.RGBA{line.R, line.G, line.B, 255})
	}
}

// oneOf is, of the vertices at each place, the first: where ranks meet, each has vertices of its own there.
func (m *Map) oneOf() []int32 {
	first := make(map[[2]float64]int32, len(m.X))
	one := make([]int32, len(m.X))
	for i := range m.X {
		at := [2]float64{m.X[i], m.Y[i]}
		if _, seen := first[at]; !seen {
			first[at] = int32(i)
		}
		one[i] = first[at]
	}
	return one
}

// corners are the values at the vertices, and whether all cells around each have a value.
func (m *Map) corners(one []int32) (values []float64, known []bool) {
	values, known = make([]float64, len(m.X)), make([]bool, len(m.X))
	around := make([]float64, len(m.X))
	for i := range known {
		known[i] = true
	}
	for i, c := range m.Cells {
		v := m.Values[i]
		none := v-v != 0 || m.Dry != nil && m.Dry[i]
		for _, k := range c {
			k = one[k]
			if none {
				known[k] = false
				continue
			}
			values[k] += v
			around[k]++
		}
	}
	for i, n := range around {
		if n > 0 {
			values[i] /= n
		}
	}
	return values, known
}

// crossing is the line of a level in a triangle whose corners have values. A corner at the level counts as above it, so
// that a line through a vertex goes on in one triangle, and not in two or none.
func (m *Map) crossing(c [3]int32, corner []float64, level float64) (line [4]float64, crossed bool) {
	n := 0
	for k := range 3 {
		a, b := c[k], c[(k+1)%3]
		if corner[a] >= level == (corner[b] >= level) {
			continue
		}
		if a > b { // the same numbers from both sides of an edge
			a, b = b, a
		}
		t := (level - corner[a]) / (corner[b] - corner[a])
		line[2*n], line[2*n+1] = m.X[a]+t*(m.X[b]-m.X[a]), m.Y[a]+t*(m.Y[b]-m.Y[a])
		n++
	}
	return line, n == 2
}
