package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// program is a linear program whose solution is the move of vertex i, along the directions of its frame, after
// which the least volume around it is greatest, after L. A. Freitag and P. Plassmann (Int. J. Numer. Meth. Engng.
// 49 (2000) 109). The unknowns are the move x and the least volume t, and t is maximised. With volumes a + g·x the
// constraints, called rows, are
//
//	t - g·x ≤ a for each tetrahedron, then x ≤ 1 and -x ≤ 1 for each direction, called walls,
//
// in units in which all neighbours lie between these walls and no g is longer than 1.
type program[F num.Float] struct {
	axes        int
	n           int // rows of tetrahedra
	reach, size F   // units of moves, and of six times the volume
}

// load computes the program of vertex i. It returns false if no move changes a volume.
func (l *program[F]) load(i int, s *step[F], m *Mesh[F], v []Vertex[F]) bool {
	l.axes = 3
	if s.bound {
		l.axes = int(s.frame.Axes)
	}
	l.n = int(m.Spans[i+1].FirstFace - m.Spans[i].FirstFace)
	l.reach, l.size = 0, 1
	for k := m.Spans[i].FirstNeighbour; k < m.Spans[i+1].FirstNeighbour; k++ {
		u := v[m.Neighbours[k]].from(s.p)
		l.reach = num.Larger(l.reach, 2*num.Larger(num.Abs(u.X), num.Larger(num.Abs(u.Y), num.Abs(u.Z))))
	}
	most := F(0)
	for k := 0; k < l.n; k++ {
		_, g := l.volume(i, k, s, m, v)
		most = num.Larger(most, num.Abs(g.X)+num.Abs(g.Y)+num.Abs(g.Z))
	}
	l.size = most
	return most > 0
}

// volume returns a and g of tetrahedron k.
func (l *program[F]) volume(i, k int, s *step[F], m *Mesh[F], v []Vertex[F]) (F, Vector[F]) {
	f := &m.CavityFaces[int(m.Spans[i].FirstFace)+k]
	a, b, c := v[f.A].from(s.p), v[f.B].from(s.p), v[f.C].from(s.p)
	g := s.along(scaledVector(cross(minus(b, a), minus(c, a)), -l.reach/l.size))
	return dot(a, cross(b, c)) / l.size, g
}

// row writes the coefficients of x and t in row k to out, and returns the row's right-hand side.
func (l *program[F]) row(i, k int, s *step[F], m *Mesh[F], v []Vertex[F], out *[4]F) F {
	out[0], out[1], out[2], out[l.axes] = 0, 0, 0, 0
	if k >= l.n {
		wall := k - l.n
		out[wall/2] = F(1 - 2*(wall%2))
		return 1
	}
	a, g := l.volume(i, k, s, m, v)
	out[0] = -g.X
	if l.axes > 1 {
		out[1] = -g.Y
	}
	if l.axes > 2 {
		out[2] = -g.Z
	}
	out[l.axes] = 1
	return a
}

// worst returns the row that x and t violate most, and by how much.
func (l *program[F]) worst(i int, x *[4]F, s *step[F], m *Mesh[F], v []Vertex[F]) (int, F) {
	var row [4]F
	at, most := -1, F(0)
	for k := 0; k < l.n+2*l.axes; k++ {
		over := -l.row(i, k, s, m, v, &row)
		for j := 0; j <= l.axes; j++ {
			over += row[j] * x[j]
		}
		if over > most {
			at, most = k, over
		}
	}
	return at, most
}

// maxPivots limits the number of pivots, which is typically a dozen.
const maxPivots = 100

// best returns the move after which the least volume is greatest, by the dual simplex method, and whether it was
// found. A base of as many rows as there are unknowns, which hold as equations, bounds t from above. In each pivot
// the row that is violated most replaces a row of the base. The base at the start is a wall of each direction and a
// tetrahedron. The solution is found when no row is violated by more than slack.
func (l *program[F]) best(i int, slack F, s *step[F], m *Mesh[F], v []Vertex[F]) (Vector[F], bool) {
	var d Vector[F]
	var base [4]int
	var row, x, rhs [4]F
	var in [16]F // the inverse of the rows of the base
	rank := l.axes + 1
	l.row(i, 0, s, m, v, &row)
	for j := 0; j < l.axes; j++ {
		base[j] = l.n + 2*j
		if row[j] > 0 {
			base[j]++
		}
	}
	base[l.axes] = 0
	for pivots := 0; pivots < maxPivots; pivots++ {
		for j := 0; j < rank; j++ {
			rhs[j] = l.row(i, base[j], s, m, v, &row)
			for k := 0; k < rank; k++ {
				in[4*j+k] = row[k]
			}
		}
		if !invert(&in, rank) {
			return d, false
		}
		for j := 0; j < rank; j++ {
			x[j] = 0
			for k := 0; k < rank; k++ {
				x[j] += in[4*j+k] * rhs[k]
			}
		}
		enter, over := l.worst(i, &x, s, m, v)
		if !(over > slack) {
			d.X = l.reach * x[0]
			if l.axes > 1 {
				d.Y = l.reach * x[1]
			}
			if l.axes > 2 {
				d.Z = l.reach * x[2]
			}
			return d, true
		}
		l.row(i, enter, s, m, v, &row)
		leave, least := -1, F(0)
		for j := 0; j < rank; j++ {
			part := F(0)
			for k := 0; k < rank; k++ {
				part += row[k] * in[4*k+j]
			}
			weight := in[4*l.axes+j]
			if part > slack && (leave < 0 || weight < least*part) {
				leave, least = j, weight/part
			}
		}
		if leave < 0 {
			return d, false
		}
		base[leave] = enter
	}
	return d, false
}

// invert replaces an n×n matrix, whose rows start at every fourth number, by its inverse, and returns false if it
// has none.
func invert[F num.Float](a *[16]F, n int) bool {
	var from [4]int // columns by which rows were exchanged
	for k := 0; k < n; k++ {
		p := k
		for j := k + 1; j < n; j++ {
			if num.Abs(a[4*j+k]) > num.Abs(a[4*p+k]) {
				p = j
			}
		}
		if !(num.Abs(a[4*p+k]) > 0) {
			return false
		}
		from[k] = p
		for j := 0; j < n; j++ {
			a[4*k+j], a[4*p+j] = a[4*p+j], a[4*k+j]
		}
		pivot := 1 / a[4*k+k]
		a[4*k+k] = 1
		for j := 0; j < n; j++ {
			a[4*k+j] *= pivot
		}
		for r := 0; r < n; r++ {
			if r == k {
				continue
			}
			by := a[4*r+k]
			a[4*r+k] = 0
			for j := 0; j < n; j++ {
				a[4*r+j] -= by * a[4*k+j]
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := 0; j < n; j++ {
			a[4*j+k], a[4*j+from[k]] = a[4*j+from[k]], a[4*j+k]
		}
	}
	return true
}

// leastVolume returns six times the least volume around vertex i with that vertex at p.
func leastVolume[F num.Float](i int, p Vector[F], m *Mesh[F], v []Vertex[F]) F {
	low := F(0)
	for k := m.Spans[i].FirstFace; k < m.Spans[i+1].FirstFace; k++ {
		f := &m.CavityFaces[k]
		six := dot(v[f.A].from(p), cross(v[f.B].from(p), v[f.C].from(p)))
		if k == m.Spans[i].FirstFace || !(six >= low) {
			low = six
		}
	}
	return low
}

// Untangle moves vertex i to where the least volume of the tetrahedra around it is greatest, if one of them is
// inverted or flat. It returns the square of the move in the metric.
//
//atoll:kernel max grain=16
func Untangle[F num.Float](i int, set *Set, p *Params[F], m *Mesh[F], field *Field[F], c *Control[F], v []Vertex[F],
	lastMove, lastVisit []int32) F {
	var s step[F]
	s.begin(i, set, m, v)
	if upright(i, s.p, p.Flat, m, v) {
		return 0
	}
	var l program[F]
	if !l.load(i, &s, m, v) {
		return 0
	}
	found := false
	s.d, found = l.best(i, 64*p.Flat, &s, m, v)
	if !found || !(leastVolume(i, s.at(1), m, v) > leastVolume(i, s.p, m, v)) {
		return 0
	}
	return commitMove(i, set, p, field, c, &s, 1, v, lastMove, lastVisit)
}
