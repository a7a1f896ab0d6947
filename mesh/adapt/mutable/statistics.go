package mutable

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Statistics describe a mesh in a metric. They do not depend on the numbering.
type Statistics struct {
	Vertices, Cells, Edges int64

	QualityMean, QualityWorst float64
	QualityLow                float64  // that of which 1% of the cells have less
	Qualities                 [5]int64 // numbers of cells with a quality below 0.2, 0.4, 0.6, 0.8, and others
	WorstAt                   measure.Vector

	LengthMean, LengthLeast, LengthMost float64
	InRange                             int64    // edges from 1/√2 to √2
	Lengths                             [8]int64 // numbers of edges below 1/8, 1/4, 1/2, 1, 2, 4, 8, and others

	Complexity float64 // sum of the volumes of cells in the metric
	Volume     float64 // in space or area in the plane
	Boundary   float64 // area or length of the boundary and of interfaces
	Deviation  float64 // largest distance of the lines of the input from the new edges
}

// StatisticsOf measures the mesh in the metric M, in which the qualities of cells are known. Sums are in the order of
// ids.
func StatisticsOf(t *Mesh) (s Statistics) {
	vertices, cells := t.Ordered()
	s.Vertices, s.Cells, s.QualityWorst, s.LengthLeast = int64(len(vertices)), int64(len(cells)), 2, math.Inf(1)
	all := make([]float64, 0, len(cells))
	for _, k := range cells {
		c := &t.Cells[k]
		x, m := t.Corners(c, nil, nil)
		s.Complexity += measure.SizeOf(t.Dim, &x, &m) * measure.RegularVolume[t.Dim]
		s.Volume += measure.Volume(t.Dim, &x)
		s.QualityMean += c.Quality / float64(len(cells))
		s.Qualities[min(4, max(0, int(5*c.Quality)))]++
		if c.Quality < s.QualityWorst {
			s.QualityWorst, s.WorstAt = c.Quality, centre(t.Dim, &x)
		}
		all = append(all, c.Quality)
	}
	slices.Sort(all)
	s.QualityLow = all[len(all)/100]
	for _, v := range vertices {
		measureEdges(t, &s, v)
	}
	s.LengthMean /= float64(s.Edges)
	s.Boundary = BoundaryOf(t)
	return s
}

func centre(dim int, x *[4]*measure.Vector) (p measure.Vector) {
	for k := range p {
		for i := range dim + 1 {
			p[k] += x[i][k] / float64(dim+1)
		}
	}
	return p
}

// measureEdges adds the edges from a vertex to those with higher ids, and the deviation of its lines.
func measureEdges(t *Mesh, s *Statistics, v int32) {
	var near []int32
	for _, k := range t.Ball(v) {
		for _, u := range t.Cells[k].V[:t.Dim+1] {
			if t.ID[u] > t.ID[v] && !slices.Contains(near, u) {
				near = append(near, u)
			}
		}
	}
	slices.SortFunc(near, t.ByID)
	for _, u := range near {
		l := t.Length(v, u)
		s.Edges++
		s.LengthMean += l
		s.LengthLeast, s.LengthMost = min(s.LengthLeast, l), max(s.LengthMost, l)
		if l >= 1/math.Sqrt2 && l <= math.Sqrt2 {
			s.InRange++
		}
		_, exponent := math.Frexp(l)
		s.Lengths[min(7, max(0, exponent+3))]++
	}
	ends := t.Line(v)
	for i := range ends {
		if l := &ends[i]; t.ID[l.To] > t.ID[v] {
			s.Deviation = max(s.Deviation, t.Curves.Deviation(l.Curve, l.S, t.Parameter(v, l), &t.X[v], &t.X[l.To]))
		}
	}
}

// BoundaryOf is the size of all tagged facets.
func BoundaryOf(t *Mesh) (sum float64) {
	for _, f := range t.TaggedFacets() {
		u := measure.Sub(&t.X[f.V[1]], &t.X[f.V[0]])
		if t.Dim == 3 {
			v := measure.Sub(&t.X[f.V[2]], &t.X[f.V[0]])
			u = measure.Cross(&u, &v)
			u = measure.Vector{u[0] / 2, u[1] / 2, u[2] / 2}
		}
		sum += math.Sqrt(measure.Dot(&u, &u))
	}
	return sum
}

// SizesOf returns the square of the longest edge, and that of a size below all of the metric.
func SizesOf(t *Mesh) (big, small float64) {
	small = math.Inf(1)
	for k := range t.Cells {
		if c := &t.Cells[k]; !c.Dead {
			t.EachEdge(c, func(a, b int32) {
				u := measure.Sub(&t.X[b], &t.X[a])
				big = max(big, measure.Dot(&u, &u))
			})
		}
	}
	for v := range t.Want {
		if t.Degree(int32(v)) > 0 {
			m := &t.Want[v]
			small = min(small, 1/(m[0]+m[2]+m[5]))
		}
	}
	return big, small
}

// LongestEdgeOf is the length of the longest edge in the metric.
func LongestEdgeOf(t *Mesh) (l float64) {
	for k := range t.Cells {
		if c := &t.Cells[k]; !c.Dead {
			t.EachEdge(c, func(a, b int32) { l = max(l, t.Length(a, b)) })
		}
	}
	return l
}
