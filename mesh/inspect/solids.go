package inspect

import (
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Solid describes a mesh of tetrahedra.
func Solid(s *mesh.Solid) *Report {
	r := &Report{Dim: 3, Cells: len(s.Cells), Vertices: len(s.X), Facets: len(s.Faces),
		VertexFields: slices.Sorted(maps.Keys(s.VertexData)), CellFields: slices.Sorted(maps.Keys(s.CellData))}
	r.bounds(s.X, s.Y, s.Z)
	var normals [4]vector.Vector
	r.cells(len(s.Cells), func(c int, g *shape) {
		v := s.Cells[c]
		g.surface = 0
		for k := range v {
			f := s.FaceOpposite(int32(c), k)
			normals[k] = faceNormal(s, f)
			g.surface += vector.Length(normals[k]) / 2
		}
		for k := range v {
			for j := range k {
				g.edges = append(g.edges, vector.Length(vector.Minus(s.At(v[j]), s.At(v[k]))))
				g.angles = append(g.angles, 180-angle(normals[j], normals[k]))
			}
		}
		g.size, g.quality = s.Volume(c), s.Quality(c)
	}, func(c int) []float64 {
		at := s.Centroid(c)
		return at[:]
	})
	groups := measured{}
	for c, tag := range s.CellTag {
		if tag == 0 {
			continue
		}
		for _, tag := range memberTags(s.Combined, int(tag)) {
			groups.add(3, tag, s.Volume(c))
		}
	}
	for _, f := range s.Faces {
		groups.add(2, int(f.Tag), vector.Length(faceNormal(s, f.V))/2)
	}
	r.Groups = groups.list(s.Groups, s.Combined, 3)
	return r
}

// faceNormal returns a normal of a face, twice as long as the face has area.
func faceNormal(s *mesh.Solid, f [3]int32) vector.Vector {
	a := s.At(f[0])
	return vector.Cross(vector.Minus(s.At(f[1]), a), vector.Minus(s.At(f[2]), a))
}
