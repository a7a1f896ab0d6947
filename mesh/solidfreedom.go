package mesh

import (
	"math"
	"slices"
)

// Freedom is where a vertex can move without changing the domain: Axes orthonormal directions, of which those on the
// boundary are the first of T. There are 3 inside, 2 on a flat part of the boundary (T spans its plane), 1 on a
// straight edge (T is along it), and 0 at corners and where the boundary is curved. What holds a vertex whatever the
// boundary is like makes it Held: marks, groups that meet inside, boundaries that touch.
type Freedom struct {
	Axes int
	T    [2][3]float64
	Held bool
}

// straight is how far directions may differ, as a sine, and still count as the same.
const straight = 1e-9

// Freedoms finds out how each vertex of a sound mesh can move. An edge of the boundary is a crease where its two faces
// are not in one plane, or belong to different groups, or the edge has more than two faces of the boundary. A vertex
// without creases is on a flat part; one with two that go on in one direction is on a straight edge; others stay.
// So do vertices of tagged faces inside the mesh, those between cells of different groups, corners and required
// entities of Marks, and vertices of its ridges and lines that are not on a straight edge.
func (s *Solid) Freedoms() ([]Freedom, error) { return s.freedoms(false) }

// FreedomsTangled is Freedoms for a mesh whose vertices are out of place: faces of the boundary may have been turned
// over within their plane, and edges within their line. A face of the boundary that is flat tells no plane: its
// vertices move along it at most.
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
		x.normals = append(x.normals, unit(cross(minus(b, a), minus(c, a))))
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

// fixMarks holds what a file asks for.
func (s *Solid) fixMarks(f []Freedom) {
	held, ridged, ends := s.Marks.Held(len(f)), s.Marks.Ridged(len(f)), s.Marks.lineEnds(len(f))
	for v := range f {
		if held[v] || ends[v] || ridged[v] && f[v].Axes > 1 {
			f[v] = Freedom{Held: true}
		}
	}
}

// creaser looks at the boundary around vertices.
type creaser struct {
	solid   *Solid
	tangled bool // directions count, and not which way along them
	skin    []SkinFace
	normals [][3]float64
	tags    map[[3]int32][]int32 // ascending
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

// freedom is that of a vertex on the boundary. Edges are known by the vertex at their other end.
func (x *creaser) freedom(v int32, fan []int32) Freedom {
	type spoke struct{ to, face int32 }
	var spokes []spoke
	for _, f := range fan {
		for _, u := range x.skin[f].V {
			if u != v {
				spokes = append(spokes, spoke{u, f})
			}
		}
	}
	slices.SortFunc(spokes, func(a, b spoke) int {
		if a.to != b.to {
			return int(a.to) - int(b.to)
		}
		return int(a.face) - int(b.face)
	})
	var creases []int32
	for lo, hi := 0, 0; lo < len(spokes); lo = hi {
		for hi = lo + 1; hi < len(spokes) && spokes[hi].to == spokes[lo].to; hi++ {
		}
		if hi-lo != 2 || x.crease(spokes[lo].face, spokes[lo+1].face) {
			creases = append(creases, spokes[lo].to)
		}
	}
	if !x.connected(v, fan) {
		return Freedom{Held: true}
	}
	s := x.solid
	switch len(creases) {
	case 0:
		n := x.normals[fan[0]]
		for _, f := range fan { // each pair may be almost in one plane, and all of them round
			if !aligned(n, x.normals[f]) {
				return Freedom{}
			}
		}
		return Freedom{Axes: 2, T: plane(n)}
	case 2:
		a, b := unit(minus(s.At(creases[0]), s.At(v))), unit(minus(s.At(creases[1]), s.At(v)))
		switch {
		case !aligned(a, b):
		case dot(a, b) < 0:
			return Freedom{Axes: 1, T: [2][3]float64{unit(minus(b, a))}}
		case x.tangled:
			return Freedom{Axes: 1, T: [2][3]float64{b}}
		}
	}
	return Freedom{}
}

func (x *creaser) crease(f, g int32) bool {
	along := dot(x.normals[f], x.normals[g]) // 0 where one is flat
	return !aligned(x.normals[f], x.normals[g]) || along == 0 || along < 0 && !x.tangled ||
		!slices.Equal(x.tags[ascending(x.skin[f].V)], x.tags[ascending(x.skin[g].V)])
}

// connected tells whether the boundary faces around a vertex are one fan, rather than several that touch there.
func (x *creaser) connected(v int32, fan []int32) bool {
	next := map[int32]int32{} // around v, from one neighbour to the next
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

// fixInside fixes the vertices of tagged faces inside, and those between cells of different groups.
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
	first := make([]int32, len(s.X)) // cell of each vertex, and one more
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

// plane returns two directions at right angles to n and to one another: coordinate axes, exactly, if n is one.
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
	return [2][3]float64{t, unit(cross(n, t))}
}

func unit(a [3]float64) [3]float64 {
	scale := max(math.Abs(a[0]), math.Abs(a[1]), math.Abs(a[2])) // whose square may be out of range
	if scale == 0 {
		return a
	}
	for k := range a {
		a[k] /= scale
	}
	length := math.Sqrt(dot(a, a))
	for k := range a {
		a[k] /= length
	}
	return a
}

// aligned tells whether two directions of length 1 are on one line.
func aligned(a, b [3]float64) bool {
	c := cross(a, b)
	return dot(c, c) <= straight*straight
}
