package adapt

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

// statistics measures the mesh in the metric of the field. Sums are in the order of ids.
func (e *engine) statistics() (s Statistics) {
	vertices, cells := e.Ordered()
	s.Vertices, s.Cells, s.QualityWorst, s.LengthLeast = int64(len(vertices)), int64(len(cells)), 2, math.Inf(1)
	all := make([]float64, 0, len(cells))
	for _, k := range cells {
		c := &e.Cells[k]
		x, m := e.Corners(c, nil, nil)
		s.Complexity += measure.SizeOf(e.Dim, &x, &m) * measure.RegularVolume[e.Dim]
		s.Volume += measure.Volume(e.Dim, &x)
		s.QualityMean += c.Quality / float64(len(cells))
		s.Qualities[min(4, max(0, int(5*c.Quality)))]++
		if c.Quality < s.QualityWorst {
			s.QualityWorst, s.WorstAt = c.Quality, centre(e.Dim, &x)
		}
		all = append(all, c.Quality)
	}
	slices.Sort(all)
	s.QualityLow = all[len(all)/100]
	for _, v := range vertices {
		e.measureEdges(&s, v)
	}
	s.LengthMean /= float64(s.Edges)
	s.Boundary = e.boundary()
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
func (e *engine) measureEdges(s *Statistics, v int32) {
	w := e.workers[0]
	e.neighbours(w, v)
	for i, u := range w.near {
		if e.ID[u] < e.ID[v] {
			continue
		}
		l := w.lengths[i]
		s.Edges++
		s.LengthMean += l
		s.LengthLeast, s.LengthMost = min(s.LengthLeast, l), max(s.LengthMost, l)
		if l >= shortest && l <= longest {
			s.InRange++
		}
		_, exponent := math.Frexp(l)
		s.Lengths[min(7, max(0, exponent+3))]++
	}
	for i := range e.Line[v] {
		if l := &e.Line[v][i]; e.ID[l.To] > e.ID[v] {
			s.Deviation = max(s.Deviation, e.Curves[l.Curve].Deviation(l.S, e.Parameter(v, l), &e.X[v], &e.X[l.To]))
		}
	}
}

// boundary is the size of all tagged facets.
func (e *engine) boundary() (sum float64) {
	for _, f := range e.TaggedFacets() {
		u := measure.Sub(&e.X[f.V[1]], &e.X[f.V[0]])
		if e.Dim == 3 {
			v := measure.Sub(&e.X[f.V[2]], &e.X[f.V[0]])
			u = measure.Cross(&u, &v)
			u = measure.Vector{u[0] / 2, u[1] / 2, u[2] / 2}
		}
		sum += math.Sqrt(measure.Dot(&u, &u))
	}
	return sum
}
