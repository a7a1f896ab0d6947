package metric

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Implied is the metric of the sizes of a mesh. Where cells around a vertex have no direction in common it is
// isotropic, of the mean length of the edges there: sizes are not smoothed, so that quality in this metric is mostly
// shape. Where they are stretched alike, as in boundary layers, it is the log-Euclidean mean of the metrics in which
// each of the cells is regular, smoothed twice by the mean over the vertex and its neighbours.
func Implied(m *Mesh) (Field, error) {
	adjacent := m.neighbours()
	logs := m.cellLogs()
	for range 2 {
		mean := make(Field, len(logs))
		for v := range mean {
			mean[v] = logs[v]
			for _, u := range adjacent.of(int32(v)) {
				mean[v].add(logs[u], 1)
			}
			mean[v] = mean[v].Scaled(1 / float64(1+len(adjacent.of(int32(v)))))
		}
		logs = mean
	}
	f := make(Field, len(logs))
	for v := range f {
		size := 0.0
		for _, u := range adjacent.of(int32(v)) {
			e := m.edgeVector(int32(v), u)
			size += math.Sqrt(e[0]*e[0]+e[1]*e[1]+e[2]*e[2]) / float64(len(adjacent.of(int32(v))))
		}
		f[v] = stretched(m.Dim, size, logs[v])
	}
	return f, f.Check(m)
}

// Ratios of the sizes of the mean metric at a vertex up to which it is taken as isotropic, and from which its
// directions are kept. Cubes cut into six tetrahedra have a ratio of 2.
const isotropicRatio, stretchedRatio = 3.0, 6.0

// stretched returns the metric of a vertex at which edges have the mean length h and metrics of cells the mean
// logarithm l: isotropic, that of l, or the mean of both in between.
func stretched(dim int, h float64, l Tensor) Tensor {
	s := l.Eigen(dim)
	ratio := portable.Exp((s.Values[dim-1] - s.Values[0]) / 2)
	share := portable.Log(ratio/isotropicRatio) / portable.Log(stretchedRatio/isotropicRatio)
	if share = min(1, max(0, share)); !(share > 0) {
		return OfSize(dim, h)
	}
	for k := range dim {
		s.Values[k] = portable.Exp(share*s.Values[k] - (1-share)*2*portable.Log(h))
	}
	return s.Tensor(dim)
}

// cellLogs returns, for each vertex, the mean over its cells of the logarithms of the metrics in which they are regular
// with edges of length 1.
func (m *Mesh) cellLogs() Field {
	logs := make(Field, m.Vertices())
	count := make([]float64, m.Vertices())
	for c := range m.cells() {
		l, ok := m.regularMetric(c)
		if !ok {
			continue
		}
		l = l.withEigenvalues(m.Dim, portable.Log)
		for _, v := range m.cell(c) {
			logs[v].add(l, 1)
			count[v]++
		}
	}
	for v := range logs {
		logs[v] = logs[v].Scaled(1 / max(1, count[v]))
	}
	return logs
}

// regularMetric returns the metric in which a cell is regular with edges of length 1: the inverse of Σ e e', over its
// edges e, times d+1 over 2. It returns false for a flat cell.
func (m *Mesh) regularMetric(c int) (Tensor, bool) {
	var sum Tensor
	v := m.cell(c)
	for i := range v {
		for j := range i {
			e := m.edgeVector(v[i], v[j])
			for row := range m.Dim {
				for column := range row + 1 {
					sum[componentIndex(row, column)] += e[row] * e[column] * 2 / float64(m.Dim+1)
				}
			}
		}
	}
	s := sum.Eigen(m.Dim)
	if !(s.Values[0] > 1e-24*s.Values[m.Dim-1]) || math.IsInf(s.Values[m.Dim-1], 0) {
		return Tensor{}, false
	}
	for k := range m.Dim {
		s.Values[k] = 1 / s.Values[k]
	}
	return s.Tensor(m.Dim), true
}

// add adds a multiple of another tensor.
func (t *Tensor) add(other Tensor, factor float64) {
	for k := range t {
		t[k] += factor * other[k]
	}
}
