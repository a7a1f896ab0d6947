package metric

import "math"

// Implied is the metric of the sizes of a mesh: at each vertex the mean length of its edges, smoothed twice by the
// mean over the vertex and its neighbours, so that single vertices have little effect.
func Implied(m *Mesh) (Field, error) {
	adjacent := m.neighbours()
	size := make([]float64, m.Vertices())
	for v := range size {
		for _, u := range adjacent.of(int32(v)) {
			e := m.edgeVector(int32(v), u)
			size[v] += math.Sqrt(e[0]*e[0]+e[1]*e[1]+e[2]*e[2]) / float64(len(adjacent.of(int32(v))))
		}
	}
	for range 2 {
		mean := make([]float64, len(size))
		for v := range mean {
			mean[v] = size[v]
			for _, u := range adjacent.of(int32(v)) {
				mean[v] += size[u]
			}
			mean[v] /= float64(1 + len(adjacent.of(int32(v))))
		}
		size = mean
	}
	f := make(Field, len(size))
	for v, h := range size {
		f[v] = OfSize(m.Dim, h)
	}
	return f, f.Check(m)
}
