package terrain

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/constrained"
)

// simplified returns lines with as few vertices as a distance allows.
func simplified(lines []constrained.Line, distance float64) []constrained.Line {
	out := make([]constrained.Line, len(lines))
	for i, l := range lines {
		l.X = Simplify(l.X, distance)
		out[i] = l
	}
	return out
}

// segments finds segments of lines that are near to positions.
type segments struct{ squares[[2][2]float64] }

// newSegments sorts the segments of lines of a group into squares. Segments within the distance of a position are in
// its square.
func newSegments(lines []constrained.Line, group int32, distance float64) *segments {
	total, n := 0.0, 0
	for _, l := range lines {
		for k := 1; k < len(l.X) && l.Group == group; k++ {
			total += math.Hypot(l.X[k][0]-l.X[k-1][0], l.X[k][1]-l.X[k-1][1])
			n++
		}
	}
	s := &segments{newSquares[[2][2]float64](max(total/float64(max(n, 1)), 4*distance))}
	for _, l := range lines {
		for k := 1; k < len(l.X) && l.Group == group; k++ {
			s.add(l.X[k-1], l.X[k], distance)
		}
	}
	return s
}

// add adds a segment to the squares around it.
func (s *segments) add(a, b [2]float64, distance float64) {
	pieces := int(math.Hypot(b[0]-a[0], b[1]-a[1])/s.side) + 1
	last := map[square]bool{}
	for k := range pieces {
		x, y := place(a, b, float64(k)/float64(pieces)), place(a, b, float64(k+1)/float64(pieces))
		low, high := [2]float64{min(x[0], y[0]), min(x[1], y[1])}, [2]float64{max(x[0], y[0]), max(x[1], y[1])}
		s.each(low[0]-distance, low[1]-distance, high[0]+distance, high[1]+distance, func(q square) {
			if !last[q] {
				last[q] = true
				s.in[q] = append(s.in[q], [2][2]float64{a, b})
			}
		})
	}
}

func place(a, b [2]float64, w float64) [2]float64 {
	return [2]float64{a[0] + w*(b[0]-a[0]), a[1] + w*(b[1]-a[1])}
}

// distance is that of the nearest segment, or infinite if none is near.
func (s *segments) distance(x [2]float64) float64 {
	d := math.Inf(1)
	for _, p := range s.at(x[0], x[1]) {
		d = min(d, fromSegment(x, p[0], p[1]))
	}
	return d
}

// off is the largest distance of edges of groups, at five places of each, from the lines of their groups.
func off(m *mesh.Mesh, lines []constrained.Line, distance float64) float64 {
	of := map[int32]*segments{}
	furthest := 0.0
	for _, e := range m.Tagged {
		s := of[e.Group]
		if s == nil {
			s = newSegments(lines, e.Group, 2*distance)
			of[e.Group] = s
		}
		a, b := [2]float64{m.X[e.A], m.Y[e.A]}, [2]float64{m.X[e.B], m.Y[e.B]}
		for k := range 5 {
			furthest = max(furthest, s.distance(place(a, b, float64(k)/4)))
		}
	}
	return furthest
}
