package constrained

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// Line is a polyline that becomes edges of the mesh.
type Line struct {
	X     [][2]float64
	Group int32 // index of its group; -1 for none
	Bound bool  // it is a ring, or a part of one, that bounds the region: cells are inside an odd number of rings
}

// most is the largest coordinate of an arrangement, in units; the square around it is twice as large.
const most = 1 << 27

// Triangulate returns a triangulation of the region inside the rings, of which the lines are edges. Edges on lines are
// tagged with the groups of these. Lines that cross are divided there. Vertices that are nearer to each other than the
// tolerance are merged, and lines pass through vertices that are nearer to them, so that positions of lines change by
// the tolerance, and by 1e-8 of the extent. Lines outside the region are dropped; outside is their length.
func Triangulate(lines []Line, groups []mesh.Group, tolerance float64) (m *mesh.Mesh, outside float64, err error) {
	frame, err := newFrame(lines)
	if err != nil {
		return nil, 0, err
	}
	r := arrangement{tolerance: max(2, tolerance/frame.unit), at: map[position][]int32{}}
	for _, l := range lines {
		var of []int32
		if l.Group >= 0 {
			of = []int32{l.Group}
		}
		last := int32(-1)
		for i, x := range l.X {
			v := r.vertex(frame.toGrid(x))
			if i > 0 && v != last {
				r.segments = append(r.segments, segment{last, v, of, l.Bound})
			}
			last = v
		}
	}
	if err := r.divide(); err != nil {
		return nil, 0, err
	}
	if v, open := r.openEnd(); open {
		x := frame.fromGrid(r.x[v])
		return nil, 0, fmt.Errorf("the outline is not closed at (%.10g, %.10g)", x[0], x[1])
	}
	t := newTriangulation(-most/2, most+most/2)
	number := t.insertAll(r.x)
	for _, s := range r.segments {
		if err := t.connect(number[s.a], number[s.b]); err != nil {
			x := frame.fromGrid(r.x[s.a])
			return nil, 0, fmt.Errorf("near (%.10g, %.10g): %w: a larger tolerance joins nearby vertices", x[0], x[1], err)
		}
	}
	inside, err := t.inside(r.segments, number)
	if err != nil {
		return nil, 0, err
	}
	m, outside = t.region(inside, &r, number, frame)
	m.Groups = groups
	if _, err := m.FlipToDelaunay(); err != nil {
		return nil, 0, err
	}
	return m, outside, nil
}

// openEnd returns a vertex at which an odd number of pieces of the outline end.
func (r *arrangement) openEnd() (v int32, open bool) {
	odd := make([]bool, len(r.x))
	for _, s := range r.segments {
		if s.odd {
			odd[s.a], odd[s.b] = !odd[s.a], !odd[s.b]
		}
	}
	i := slices.Index(odd, true)
	return int32(i), i >= 0
}

// frame converts between coordinates and the grid of an arrangement.
type frame struct {
	origin [2]float64
	unit   float64 // a power of two
}

func newFrame(lines []Line) (f frame, err error) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, l := range lines {
		for _, x := range l.X {
			for k, v := range x {
				if v-v != 0 {
					return f, errors.New("a coordinate of a line is not finite")
				}
				low[k], high[k] = min(low[k], v), max(high[k], v)
			}
		}
	}
	extent := max(high[0]-low[0], high[1]-low[1])
	if !(extent > 0) || math.IsInf(extent, 0) {
		return f, errors.New("the lines have no extent")
	}
	_, exponent := math.Frexp(extent / (most - 2))
	f.unit = math.Ldexp(1, exponent)
	for k, v := range low {
		f.origin[k] = math.Floor(v/f.unit) * f.unit
	}
	return f, nil
}

func (f *frame) toGrid(x [2]float64) position {
	return position{int64(math.Round((x[0] - f.origin[0]) / f.unit)), int64(math.Round((x[1] - f.origin[1]) / f.unit))}
}

func (f *frame) fromGrid(p position) [2]float64 {
	return [2]float64{f.origin[0] + float64(p.x)*f.unit, f.origin[1] + float64(p.y)*f.unit}
}

// inside returns for each cell whether it is inside an odd number of rings.
func (t *triangulation) inside(segments []segment, number []int32) ([]bool, error) {
	odd := map[[2]int32]bool{}
	for _, s := range segments {
		if s.odd {
			a, b := number[s.a], number[s.b]
			odd[[2]int32{min(a, b), max(a, b)}] = true
		}
	}
	const unknown, out, in = 0, 1, 2
	state := make([]uint8, len(t.cells))
	state[t.cellAt[0]] = out // a corner of the square
	queue := []int32{t.cellAt[0]}
	any := false
	for len(queue) > 0 {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for k, d := range t.across[c] {
			if d < 0 || state[d] != unknown {
				continue
			}
			a, b := t.cells[c][k], t.cells[c][(k+1)%3]
			state[d] = state[c]
			if t.fixed[c][k] && odd[[2]int32{min(a, b), max(a, b)}] {
				state[d] = out + in - state[c]
			}
			any = any || state[d] == in
			queue = append(queue, d)
		}
	}
	if !any {
		return nil, errors.New("the outline encloses no area")
	}
	inside := make([]bool, len(state))
	for c := range state {
		inside[c] = state[c] == in
	}
	return inside, nil
}

// region returns the cells that are inside as a mesh, and the length of segments that are not.
func (t *triangulation) region(inside []bool, r *arrangement, number []int32, f frame) (m *mesh.Mesh, outside float64) {
	m = &mesh.Mesh{}
	index := make([]int32, len(t.x))
	for v := range index {
		index[v] = -1
	}
	for c, v := range t.cells {
		if !inside[c] {
			continue
		}
		var cell [3]int32
		for k, u := range v {
			if index[u] < 0 {
				index[u] = int32(len(m.X))
				x := f.fromGrid(t.x[u])
				m.X, m.Y = append(m.X, x[0]), append(m.Y, x[1])
			}
			cell[k] = index[u]
		}
		m.Cells = append(m.Cells, cell)
	}
	for _, s := range r.segments {
		a, b := number[s.a], number[s.b]
		c, k := t.edge(a, b)
		if d := t.across[c][k]; !inside[c] && (d < 0 || !inside[d]) {
			p, q := f.fromGrid(t.x[a]), f.fromGrid(t.x[b])
			outside += math.Hypot(p[0]-q[0], p[1]-q[1])
			continue
		}
		for _, g := range s.groups {
			m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: index[a], B: index[b], Group: g})
		}
	}
	return m, outside
}
