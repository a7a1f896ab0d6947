package mutable

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/surface"
)

// Surface returns the surfaces of a mesh of tetrahedra: its tagged faces, smooth across edges that are not on lines.
func (t *Mesh) Surface() *surface.Surface {
	facets := t.TaggedFacets()
	faces := make([]surface.Face, len(facets))
	at := map[int32][]int{} // faces at each vertex
	for i, f := range facets {
		faces[i].Kind = f.tag
		for k, v := range f.V {
			faces[i].At[k] = t.X[v]
			at[v] = append(at[v], i)
		}
	}
	for i, f := range facets { // vertices in the order of the faces
		for _, v := range f.V {
			if at[v][0] == i {
				t.addNormals(v, facets, at[v], faces)
			}
		}
	}
	return surface.New(faces)
}

// addNormals sets the normals of the faces at a vertex: that of each fan of faces between lines, with the weights of N.
// Max, "Weights for computing vertex normals from facet normals", J. Graphics Tools 4 (1999) 1, which are exact on a
// sphere.
func (t *Mesh) addNormals(v int32, facets []TaggedFacet, at []int, faces []surface.Face) {
	done := make([]bool, len(at))
	for first := range at {
		if done[first] {
			continue
		}
		var sum measure.Vector
		var fan []int
		add := func(k int, a, b int32) { // the k-th face at v, with the vertices v, a, b
			done[k] = true
			fan = append(fan, at[k])
			p, q := measure.Sub(&t.X[a], &t.X[v]), measure.Sub(&t.X[b], &t.X[v])
			n, weight := measure.Cross(&p, &q), measure.Dot(&p, &p)*measure.Dot(&q, &q)
			for i := range sum {
				sum[i] += n[i] / weight
			}
		}
		a, b := otherTwo(facets[at[first]].V, v)
		add(first, a, b)
		for forward := range 2 { // from the edge to b, then from that to a, in the other direction
			for from := [2]int32{b, a}[forward]; t.LineTo(v, from) == nil; {
				k := slices.IndexFunc(at, func(i int) bool { return slices.Contains(facets[i].V[:], from) })
				for ; k >= 0 && done[k]; k = nextWith(facets, at, k, from) {
				}
				if k < 0 {
					break
				}
				c, d := otherTwo(facets[at[k]].V, v)
				if c == from {
					c = d
				}
				if forward == 0 {
					add(k, from, c)
				} else {
					add(k, c, from)
				}
				from = c
			}
		}
		l := math.Sqrt(measure.Dot(&sum, &sum))
		for _, i := range fan {
			k := slices.Index(facets[i].V[:], v)
			faces[i].Normals[k] = measure.Vector{sum[0] / l, sum[1] / l, sum[2] / l}
		}
	}
}

// otherTwo returns the vertices of a face besides v, in their order.
func otherTwo(f [3]int32, v int32) (a, b int32) {
	switch v {
	case f[0]:
		return f[1], f[2]
	case f[1]:
		return f[0], f[2]
	}
	return f[0], f[1]
}

// nextWith returns the index after k of a face at a vertex that has a vertex, -1 for none.
func nextWith(facets []TaggedFacet, at []int, k int, v int32) int {
	i := slices.IndexFunc(at[k+1:], func(i int) bool { return slices.Contains(facets[i].V[:], v) })
	if i < 0 {
		return -1
	}
	return k + 1 + i
}
