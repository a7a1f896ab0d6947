package mesh

import (
	"fmt"
	"slices"
)

// SkinFace is a face on the boundary: it has one cell.
type SkinFace struct {
	V    [3]int32 // counter-clockwise as seen from outside
	Cell int32
}

// Skin returns the faces on the boundary, in the order of their cells. It refuses faces of more than two cells, and
// faces of which two cells lie on the same side.
func (s *Solid) Skin() ([]SkinFace, error) {
	var single []int32
	if err := s.eachFace(func(at, across int32) {
		if across < 0 {
			single = append(single, at)
		}
	}); err != nil {
		return nil, err
	}
	slices.Sort(single)
	skin := make([]SkinFace, len(single))
	for i, at := range single {
		skin[i] = SkinFace{s.Facing(at/4, int(at%4)), at / 4}
	}
	return skin, nil
}

// Across returns for each cell the cell across the face opposite to each of its vertices, -1 where the mesh ends. It
// refuses what Skin does.
func (s *Solid) Across() ([][4]int32, error) {
	next := make([][4]int32, len(s.Cells))
	err := s.eachFace(func(at, across int32) {
		next[at/4][at%4] = -1
		if across >= 0 {
			next[at/4][at%4], next[across/4][across%4] = across/4, at/4
		}
	})
	return next, err
}

// eachFace calls found with each face, as four times the cell plus the vertex that it is opposite to, and as its other
// cell has it, or -1.
func (s *Solid) eachFace(found func(at, across int32)) error {
	type side struct {
		key [3]int32
		at  int32
	}
	sides := make([]side, 0, 4*len(s.Cells))
	for c := range s.Cells {
		for k := range 4 {
			sides = append(sides, side{ascending(s.Facing(int32(c), k)), int32(4*c + k)})
		}
	}
	slices.SortFunc(sides, func(a, b side) int {
		if c := slices.Compare(a.key[:], b.key[:]); c != 0 {
			return c
		}
		return int(a.at) - int(b.at)
	})
	crowded := fault{what: "face of more than two tetrahedra", many: "faces of more than two tetrahedra",
		advice: "remove copies of tetrahedra (atoll mesh convert --merge-duplicates) or mesh the domain again"}
	overlap := fault{what: "face with both of its tetrahedra on one side",
		many: "faces with both of their tetrahedra on one side", advice: "mesh the domain again"}
	for lo, hi := 0, 0; lo < len(sides); lo = hi {
		for hi = lo + 1; hi < len(sides) && sides[hi].key == sides[lo].key; hi++ {
		}
		describe := func() string {
			return fmt.Sprintf("face %v of tetrahedra %d and %d", sides[lo].key, sides[lo].at/4, sides[lo+1].at/4)
		}
		one := sides[lo].at
		if hi-lo == 1 {
			found(one, -1)
			continue
		}
		other := sides[lo+1].at
		switch {
		case hi-lo > 2:
			crowded.add(describe)
		case even(s.Facing(one/4, int(one%4))) == even(s.Facing(other/4, int(other%4))):
			overlap.add(describe)
		default:
			found(one, other)
		}
	}
	return joinFaults(&crowded, &overlap)
}

// ascending sorts the vertices of a face.
func ascending(f [3]int32) [3]int32 {
	slices.Sort(f[:])
	return f
}

// even tells whether a face's vertices are an even permutation of their ascending order.
func even(f [3]int32) bool {
	return (f[0] < f[1]) == ((f[1] < f[2]) == (f[0] < f[2]))
}

// Links lists for each vertex the corners of cells there, and its neighbours along edges, both ascending: corner 4c+k
// is vertex k of cell c. Those of vertex v are Corners[CornerStart[v]:CornerStart[v+1]] and At[Start[v]:Start[v+1]].
type Links struct {
	CornerStart, Corners []int32
	Start, At            []int32
}

// Of returns the neighbours of a vertex. The caller leaves them unchanged.
func (l *Links) Of(v int32) []int32 { return l.At[l.Start[v]:l.Start[v+1]] }

// CornersOf returns the corners at a vertex. The caller leaves them unchanged.
func (l *Links) CornersOf(v int32) []int32 { return l.Corners[l.CornerStart[v]:l.CornerStart[v+1]] }

// Links finds what surrounds each vertex.
func (s *Solid) Links() (*Links, error) {
	if err := s.CheckIDs(); err != nil {
		return nil, err
	}
	n := len(s.X)
	l := &Links{CornerStart: make([]int32, n+2), Corners: make([]int32, 4*len(s.Cells)), Start: make([]int32, n+1)}
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
	var near []int32
	for v := range int32(n) {
		near = near[:0]
		for _, corner := range l.CornersOf(v) {
			f := s.Facing(corner/4, int(corner%4))
			near = append(near, f[:]...)
		}
		slices.Sort(near)
		l.At = append(l.At, slices.Compact(near)...)
		l.Start[v+1] = int32(len(l.At))
	}
	return l, nil
}
