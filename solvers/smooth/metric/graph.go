package metric

import "slices"

// edges returns each edge once, the lower vertex first, in ascending order.
func (m *Mesh) edges() [][2]int32 {
	keys := make([]uint64, 0, m.cells()*Components(m.Dim)) // a cell has as many edges as a tensor components
	for c := range m.cells() {
		v := m.cell(c)
		for i := range v {
			for j := range i {
				a, b := min(v[i], v[j]), max(v[i], v[j])
				keys = append(keys, uint64(a)<<32|uint64(b))
			}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	all := make([][2]int32, len(keys))
	for k, key := range keys {
		all[k] = [2]int32{int32(key >> 32), int32(key & (1<<32 - 1))}
	}
	return all
}

// adjacency has the neighbours of vertex v in ascending order in at[start[v]:start[v+1]].
type adjacency struct {
	start, at []int32
}

func (a *adjacency) of(v int32) []int32 { return a.at[a.start[v]:a.start[v+1]] }

func (m *Mesh) neighbours() *adjacency {
	edges := m.edges()
	a := &adjacency{start: make([]int32, m.Vertices()+1), at: make([]int32, 2*len(edges))}
	for _, e := range edges {
		a.start[e[0]+1]++
		a.start[e[1]+1]++
	}
	for v := range m.Vertices() {
		a.start[v+1] += a.start[v]
	}
	next := slices.Clone(a.start)
	// Edges ascend by their first and then by their second vertex: lower neighbours come first, and both ascend.
	for _, e := range edges {
		a.at[next[e[1]]] = e[0]
		next[e[1]]++
	}
	for _, e := range edges {
		a.at[next[e[0]]] = e[1]
		next[e[0]]++
	}
	return a
}

// dualVolumes returns the dual volume of each vertex: 1/(Dim+1) of the volume of each of its cells.
func (m *Mesh) dualVolumes() []float64 {
	volumes := make([]float64, m.Vertices())
	for c := range m.cells() {
		volume, _ := m.volumeAndGradients(c)
		for _, v := range m.cell(c) {
			volumes[v] += volume / float64(m.Dim+1)
		}
	}
	return volumes
}
