package mesh

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Freedom describes how a vertex can move without changing the domain: along 3 axes inside, along 2 on a flat part of
// the boundary (T spans its plane), along 1 on a straight edge of the boundary (T[0] is its direction), and not at all
// at corners and where the boundary is curved.
type Freedom struct {
	Axes int
	T    [2][3]float64 // orthonormal directions, for 1 and 2 axes
	Held bool          // cannot move, for a reason other than its boundary: Marks, different groups, touching bodies
}

// straight is the sine of the largest angle between directions that count as the same.
const straight = 1e-9

// Freedoms finds out how each vertex of a valid mesh can move. A boundary edge is a crease if its two faces are not in
// one plane, or belong to different groups, or if it has more than two boundary faces. A vertex without creases is on
// a flat part; a vertex with two creases in opposite directions is on a straight edge; other boundary vertices cannot
// move. Neither can vertices of tagged interior faces, those between cells of different groups, corners and required
// entities of Marks, and vertices of ridges and lines of Marks that are not on a straight edge.
func (s *Solid) Freedoms() ([]Freedom, error) { return s.freedoms(false) }

// FreedomsTangled is Freedoms for a tangled mesh: boundary faces may be inverted within their plane, and boundary edges
// reversed within their line. A boundary face of zero area has no plane: its vertices move at most along its line.
func (s *Solid) FreedomsTangled() ([]Freedom, error) { return s.freedoms(true) }

func (s *Solid) freedoms(tangled bool) ([]Freedom, error) {
	skin, err := s.Skin()
	if err != nil {
		return nil, err
	}
	f := make([]Freedom, len(s.X))
	used := make([]bool, len(s.X))
	for _, c := range s.Cells {
		for _, v := range c {
			used[v] = true
		}
	}
	for v := range f {
		if used[v] {
			f[v].Axes = 3
		}
	}
	x := &creaser{solid: s, tangled: tangled, skin: skin, tags: map[[3]int32][]int32{}}
	for _, t := range s.Faces {
		key := ascending(t.V)
		x.tags[key] = append(x.tags[key], t.Tag)
	}
	for _, tags := range x.tags {
		slices.Sort(tags)
	}
	for i := range skin {
		a, b, c := s.At(skin[i].V[0]), s.At(skin[i].V[1]), s.At(skin[i].V[2])
		x.normals = append(x.normals, unit(vector.Cross(vector.Minus(b, a), vector.Minus(c, a))))
	}
	fans := x.fans()
	for v, fan := range fans {
		if len(fan) > 0 {
			f[v] = x.freedom(int32(v), fan)
		}
	}
	s.fixInside(f, x)
	s.fixMarks(f)
	return f, nil
}

// fixMarks holds the vertices that Marks require.
func (s *Solid) fixMarks(f []Freedom) {
	held, ridged := s.Marks.HeldInSpace(len(f)), s.Marks.OnRidge(len(f))
	for v := range f {
		if held[v] || ridged[v] && f[v].Axes > 1 {
			f[v] = Freedom{Held: true}
		}
	}
}

// creaser finds the creases of the boundary.
type creaser struct {
	solid   *Solid
	tangled bool // opposite directions count as the same
	skin    []SkinFace
	normals [][3]float64         // unit normal of each face, 0 for a flat face
	tags    map[[3]int32][]int32 // ascending group tags of each face, by its ascending vertices
}

// fans lists the boundary faces around each vertex.
func (x *creaser) fans() [][]int32 {
	fans := make([][]int32, len(x.solid.X))
	for i, f := range x.skin {
		for _, v := range f.V {
			fans[v] = append(fans[v], int32(i))
		}
	}
	return fans
}

// freedom returns the freedom of a boundary vertex, where fan lists its boundary faces. Edges are identified by the
// vertex at their other end.
func (x *creaser) freedom(v int32, fan []int32) Freedom {
	type spoke struct{ end, face int32 }
	var spokes []spoke
	for _, f := range fan {
		for _, u := range x.skin[f].V {
			if u != v {
				spokes = append(spokes, spoke{u, f})
			}
		}
	}
	slices.SortFunc(spokes, func(a, b spoke) int {
		if a.end != b.end {
			return int(a.end) - int(b.end)
		}
		return int(a.face) - int(b.face)
	})
	var creases []int32
	for lo, hi := 0, 0; lo < len(spokes); lo = hi {
		for hi = lo + 1; hi < len(spokes) && spokes[hi].end == spokes[lo].end; hi++ {
		}
		if hi-lo != 2 || x.crease(spokes[lo].face, spokes[lo+1].face) {
			creases = append(creases, spokes[lo].end)
		}
	}
	if !x.connected(v, fan) {
		return Freedom{Held: true}
	}
	s := x.solid
	switch len(creases) {
	case 0:
		n := x.normals[fan[0]]
		for _, f := range fan { // faces may differ little from the next one, but add up to a curved boundary
			if !aligned(n, x.normals[f]) {
				return Freedom{}
			}
		}
		return Freedom{Axes: 2, T: plane(n)}
	case 2:
		a, b := unit(vector.Minus(s.At(creases[0]), s.At(v))), unit(vector.Minus(s.At(creases[1]), s.At(v)))
		switch {
		case !aligned(a, b):
		case vector.Dot(a, b) < 0:
			return Freedom{Axes: 1, T: [2][3]float64{unit(vector.Minus(b, a))}}
		case x.tangled:
			return Freedom{Axes: 1, T: [2][3]float64{b}}
		}
	}
	return Freedom{}
}

// crease reports whether the edge between two boundary faces is a crease.
func (x *creaser) crease(f, g int32) bool {
	along := vector.Dot(x.normals[f], x.normals[g]) // 0 if a face is flat
	return !aligned(x.normals[f], x.normals[g]) || along == 0 || along < 0 && !x.tangled ||
		!slices.Equal(x.tags[ascending(x.skin[f].V)], x.tags[ascending(x.skin[g].V)])
}

// connected reports whether the boundary faces around a vertex are one fan, rather than several that touch at v.
func (x *creaser) connected(v int32, fan []int32) bool {
	next := map[int32]int32{} // the neighbour of v after each neighbour
	for _, f := range fan {
		w := x.skin[f].V
		k := slices.Index(w[:], v)
		next[w[(k+1)%3]] = w[(k+2)%3]
	}
	w := x.skin[fan[0]].V
	first := w[(slices.Index(w[:], v)+1)%3]
	n := 1
	for u := next[first]; u != first && n <= len(fan); u = next[u] {
		n++
	}
	return n == len(fan)
}

// fixInside holds the vertices of tagged interior faces, and those between cells of different groups.
func (s *Solid) fixInside(f []Freedom, x *creaser) {
	outer := map[[3]int32]bool{}
	if len(s.Faces) > 0 {
		for _, face := range x.skin {
			outer[ascending(face.V)] = true
		}
	}
	for _, t := range s.Faces {
		if !outer[ascending(t.V)] {
			for _, v := range t.V {
				f[v] = Freedom{Held: true}
			}
		}
	}
	if s.CellTag == nil {
		return
	}
	first := make([]int32, len(s.X)) // 1 + the first cell of each vertex
	for c, cell := range s.Cells {
		for _, v := range cell {
			if first[v] == 0 {
				first[v] = int32(c) + 1
			} else if s.CellTag[first[v]-1] != s.CellTag[c] {
				f[v] = Freedom{Held: true}
			}
		}
	}
}

// plane returns two orthonormal directions normal to n: exact coordinate axes if n is a coordinate axis.
func plane(n [3]float64) [2][3]float64 {
	k := 0
	for j := range 3 {
		if math.Abs(n[j]) < math.Abs(n[k]) {
			k = j
		}
	}
	var t [3]float64
	for j := range 3 {
		t[j] = -n[k] * n[j]
	}
	t[k]++
	t = unit(t)
	return [2][3]float64{t, unit(vector.Cross(n, t))}
}

// unit scales a vector to length 1; 0 is unchanged.
func unit(a [3]float64) [3]float64 {
	scale := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2])) // avoids overflow and underflow of squares
	if scale == 0 {
		return a
	}
	for k := range a {
		a[k] /= scale
	}
	length := math.Sqrt(vector.Dot(a, a))
	for k := range a {
		a[k] /= length
	}
	return a
}

// aligned reports whether two directions of length 1 are the same or opposite.
func aligned(a, b [3]float64) bool {
	c := vector.Cross(a, b)
	return vector.Dot(c, c) <= straight*straight
}
