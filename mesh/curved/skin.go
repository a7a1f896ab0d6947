package curved

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// skin is the boundary of a tetrahedral mesh, with its ridges.
type skin struct {
	solid      *mesh.Solid
	ridgeAngle float64 // largest angle between faces at an edge that is no ridge, in degrees
	faces      []mesh.SkinFace
	normals    []vector.Vector  // unit normal of each face
	fans       [][]int32        // faces at each vertex
	sides      map[edge][]int32 // faces at each edge
	ridges     map[edge]bool
	ridgeEnds  map[int32][]int32 // other ends of the ridges at each vertex, ascending
}

// edge has the vertices of an edge in ascending order.
type edge [2]int32

func edgeOf(a, b int32) edge { return edge{min(a, b), max(a, b)} }

func newSkin(s *mesh.Solid, ridge float64) (*skin, error) {
	faces, err := s.Skin()
	if err != nil {
		return nil, err
	}
	x := &skin{solid: s, ridgeAngle: ridge, faces: faces, fans: make([][]int32, len(s.X)), sides: map[edge][]int32{},
		ridges: map[edge]bool{}, ridgeEnds: map[int32][]int32{}}
	tags := map[[3]int32][]int32{}
	for _, f := range s.Faces {
		v := f.V
		slices.Sort(v[:])
		tags[v] = append(tags[v], f.Tag)
	}
	group := make([][]int32, len(faces))
	for i, f := range faces {
		a, b, c := x.at(f.V[0]), x.at(f.V[1]), x.at(f.V[2])
		n := vector.Cross(vector.Minus(b, a), vector.Minus(c, a))
		x.normals = append(x.normals, vector.Times(1/vector.Length(n), n))
		for k, v := range f.V {
			x.fans[v] = append(x.fans[v], int32(i))
			e := edgeOf(v, f.V[(k+1)%3])
			x.sides[e] = append(x.sides[e], int32(i))
		}
		v := f.V
		slices.Sort(v[:])
		group[i] = tags[v]
		slices.Sort(group[i])
	}
	x.findRidges(group)
	return x, nil
}

// findRidges finds the ridges. group has the sorted group tags of each face.
func (x *skin) findRidges(group [][]int32) {
	if marks := x.solid.Marks; marks != nil {
		for _, e := range slices.Concat(marks.Ridges, marks.Lines) {
			if key := edgeOf(e.A, e.B); len(x.sides[key]) > 0 {
				x.ridges[key] = true
			}
		}
	}
	minCosine := math.Cos(x.ridgeAngle * math.Pi / 180)
	for e, f := range x.sides {
		if len(f) != 2 || !(vector.Dot(x.normals[f[0]], x.normals[f[1]]) >= minCosine) ||
			!slices.Equal(group[f[0]], group[f[1]]) {
			x.ridges[e] = true
		}
	}
	for e := range x.ridges {
		x.ridgeEnds[e[0]] = append(x.ridgeEnds[e[0]], e[1])
		x.ridgeEnds[e[1]] = append(x.ridgeEnds[e[1]], e[0])
	}
	for _, ends := range x.ridgeEnds {
		slices.Sort(ends)
	}
}

func (x *skin) at(v int32) vector.Vector { return x.solid.At(v) }

// ridgesAt returns the other ends of the ridges at a vertex, ascending.
func (x *skin) ridgesAt(v int32) []int32 { return x.ridgeEnds[v] }

// ring returns the neighbours of a vertex on the boundary, ascending.
func (x *skin) ring(v int32) (ring []int32) {
	for _, f := range x.fans[v] {
		for _, u := range x.faces[f].V {
			if u != v {
				ring = append(ring, u)
			}
		}
	}
	slices.Sort(ring)
	return slices.Compact(ring)
}

// across returns the vertices opposite to v across the edges that bound its fan of faces, except across ridges.
func (x *skin) across(v int32) (opposite []int32) {
	for _, f := range x.fans[v] {
		w := x.faces[f].V
		k := slices.Index(w[:], v)
		e := edgeOf(w[(k+1)%3], w[(k+2)%3])
		if x.ridges[e] {
			continue
		}
		for _, other := range x.sides[e] {
			if other == f {
				continue
			}
			for _, u := range x.faces[other].V {
				if u != e[0] && u != e[1] {
					opposite = append(opposite, u)
				}
			}
		}
	}
	return opposite
}

// normal is the unit normal of the boundary at a vertex, with the weights of N. Max, "Weights for computing vertex
// normals from facet normals", J. Graphics Tools 4 (1999) 1, which are exact on a sphere.
func (x *skin) normal(v int32) vector.Vector {
	var sum vector.Vector
	for _, f := range x.fans[v] {
		w := x.faces[f].V
		k := slices.Index(w[:], v)
		a, b := vector.Minus(x.at(w[(k+1)%3]), x.at(v)), vector.Minus(x.at(w[(k+2)%3]), x.at(v))
		sum = vector.Plus(sum, 1/(vector.Dot(a, a)*vector.Dot(b, b)), vector.Cross(a, b))
	}
	return vector.Times(1/vector.Length(sum), sum)
}
