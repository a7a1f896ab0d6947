package mesh

import (
	"fmt"
	"slices"
)

// SkinFace is a boundary face. It belongs to one cell.
type SkinFace struct {
	V    [3]int32 // counter-clockwise as seen from outside
	Cell int32
}

// Skin returns the boundary faces, in the order of their cells. It refuses faces of more than two cells, and faces
// whose two cells are on the same side.
func (s *Solid) Skin() ([]SkinFace, error) {
	var single []int32
	if err := s.eachFace(func(face, across int32) {
		if across < 0 {
			single = append(single, face)
		}
	}); err != nil {
		return nil, err
	}
	slices.Sort(single)
	skin := make([]SkinFace, len(single))
	for i, at := range single {
		skin[i] = SkinFace{s.FaceOpposite(at/4, int(at%4)), at / 4}
	}
	return skin, nil
}

// Neighbours returns, for each cell, in entry k the cell across the face opposite to vertex k, -1 where the mesh ends.
// It refuses the same faults as Skin.
func (s *Solid) Neighbours() ([][4]int32, error) {
	neighbours := make([][4]int32, len(s.Cells))
	err := s.eachFace(func(face, across int32) {
		neighbours[face/4][face%4] = -1
		if across >= 0 {
			neighbours[face/4][face%4], neighbours[across/4][across%4] = across/4, face/4
		}
	})
	return neighbours, err
}

// eachFace calls visit once for each face, with its number in each of its two cells; the second is -1 on the
// boundary. The number of the face opposite to vertex k of cell c is 4c+k.
func (s *Solid) eachFace(visit func(face, across int32)) error {
	all, start := sidesOf(s)
	multiple := fault{what: "face of more than two tetrahedra", many: "faces of more than two tetrahedra",
		advice: "remove duplicate tetrahedra (atoll mesh convert --merge-duplicates) or mesh the domain again"}
	overlap := fault{what: "face with both of its tetrahedra on one side",
		many: "faces with both of their tetrahedra on one side", advice: "mesh the domain again"}
	for lowest := range len(start) - 1 {
		sides := all[start[lowest]:start[lowest+1]]
		for lo, hi := 0, 0; lo < len(sides); lo = hi {
			for hi = lo + 1; hi < len(sides) && sides[hi].middle == sides[lo].middle &&
				sides[hi].highest == sides[lo].highest; hi++ {
			}
			describe := func() string {
				return fmt.Sprintf("face %v of tetrahedra %d and %d", [3]int32{int32(lowest), sides[lo].middle, sides[lo].highest},
					sides[lo].number/4, sides[lo+1].number/4)
			}
			first := sides[lo].number
			if hi-lo == 1 {
				visit(first, -1)
				continue
			}
			second := sides[lo+1].number
			switch {
			case hi-lo > 2:
				multiple.add(describe)
			case even(s.FaceOpposite(first/4, int(first%4))) == even(s.FaceOpposite(second/4, int(second%4))):
				overlap.add(describe)
			default:
				visit(first, second)
			}
		}
	}
	return joinFaults(&multiple, &overlap)
}

// side is a face of a cell: its vertices besides the lowest one, and its number as in eachFace.
type side struct{ middle, highest, number int32 }

// sidesOf returns the faces of all cells, those whose lowest vertex is v from start[v] to start[v+1], in the order of
// their vertices and numbers.
func sidesOf(s *Solid) (all []side, start []int32) {
	n := int32(0)
	for _, c := range s.Cells {
		n = max(n, c[0]+1, c[1]+1, c[2]+1, c[3]+1)
	}
	start = make([]int32, n+2)
	each := func(of func(key [3]int32, number int32)) {
		for c := range s.Cells {
			for k := range 4 {
				of(ascending(s.FaceOpposite(int32(c), k)), int32(4*c+k))
			}
		}
	}
	each(func(key [3]int32, _ int32) { start[key[0]+2]++ })
	for v := range n {
		start[v+2] += start[v+1]
	}
	all = make([]side, 4*len(s.Cells))
	each(func(key [3]int32, number int32) {
		all[start[key[0]+1]] = side{key[1], key[2], number}
		start[key[0]+1]++
	})
	start = start[:n+1]
	for v := range n {
		slices.SortFunc(all[start[v]:start[v+1]], func(a, b side) int {
			if a.middle != b.middle {
				return int(a.middle) - int(b.middle)
			}
			if a.highest != b.highest {
				return int(a.highest) - int(b.highest)
			}
			return int(a.number) - int(b.number)
		})
	}
	return all, start
}

// ascending sorts the vertices of a face.
func ascending(f [3]int32) [3]int32 {
	a, b, c := f[0], f[1], f[2]
	low, high := min(a, b, c), max(a, b, c)
	return [3]int32{low, max(min(a, b), min(max(a, b), c)), high}
}

// even reports whether the vertices of a face are an even permutation of their ascending order.
func even(f [3]int32) bool {
	return (f[0] < f[1]) == ((f[1] < f[2]) == (f[0] < f[2]))
}

// VertexAdjacency lists, for each vertex v, the corners of cells at v, Corners[CornerStart[v]:CornerStart[v+1]], and
// the neighbours of v along edges, At[Start[v]:Start[v+1]], both ascending. Corner 4c+k is vertex k of cell c.
type VertexAdjacency struct {
	CornerStart, Corners []int32
	Start, At            []int32
}

// Of returns the neighbours of a vertex. The caller must not modify them.
func (l *VertexAdjacency) Of(v int32) []int32 { return l.At[l.Start[v]:l.Start[v+1]] }

// CornersOf returns the corners at a vertex. The caller must not modify them.
func (l *VertexAdjacency) CornersOf(v int32) []int32 {
	return l.Corners[l.CornerStart[v]:l.CornerStart[v+1]]
}

// VertexAdjacency finds the corners and neighbours of each vertex.
func (s *Solid) VertexAdjacency() (*VertexAdjacency, error) {
	if err := s.CheckIDs(); err != nil {
		return nil, err
	}
	n := len(s.X)
	l := &VertexAdjacency{CornerStart: make([]int32, n+2), Corners: make([]int32, 4*len(s.Cells)),
		Start: make([]int32, n+1)}
	for _, c := range s.Cells {
		for _, v := range c {
			l.CornerStart[v+2]++
		}
	}
	for v := range n {
		l.CornerStart[v+2] += l.CornerStart[v+1]
	}
	for c, cell := range s.Cells {
		for k, v := range cell {
			l.Corners[l.CornerStart[v+1]] = int32(4*c + k)
			l.CornerStart[v+1]++
		}
	}
	l.CornerStart = l.CornerStart[:n+1]
	var neighbours []int32
	for v := range int32(n) {
		neighbours = neighbours[:0]
		for _, corner := range l.CornersOf(v) {
			f := s.FaceOpposite(corner/4, int(corner%4))
			neighbours = append(neighbours, f[:]...)
		}
		slices.Sort(neighbours)
		l.At = append(l.At, slices.Compact(neighbours)...)
		l.Start[v+1] = int32(len(l.At))
	}
	return l, nil
}
