package curved

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Departure measures how far boundary vertices have moved off the former boundary.
type Departure struct {
	Vertices int     // vertices that are off the planes, or lines, of their former boundary faces, or edges
	Most     float64 // largest distance of these from their former faces or edges
}

// rounding is the round-off tolerance of a distance, relative to the lengths of edges around a vertex.
const rounding = 1e-9

// distances of a vertex to its former faces, or edges.
type distances struct {
	side  float64 // to the nearest face or edge
	plane float64 // to the nearest plane of a face, or line of an edge
	size  float64 // longest edge, to compare with
}

// departures are the distances of the vertices that have moved.
type departures map[int32]distances

// add takes the distances to another of the faces or edges of v.
func (d departures) add(v int32, side, plane, size float64) {
	old, ok := d[v]
	if !ok {
		old = distances{side, plane, size}
	}
	d[v] = distances{min(side, old.side), min(plane, old.plane), max(size, old.size)}
}

func (d departures) sum() (total Departure) {
	for _, o := range d {
		if o.plane > rounding*o.size {
			total.Vertices++
			total.Most = max(total.Most, o.side)
		}
	}
	return total
}

// Departed measures how far the boundary vertices of a triangle mesh have left the boundary. The two meshes have the
// same cells.
func Departed(before, after *mesh.Mesh) Departure {
	position := func(m *mesh.Mesh, v int32) vector.Vector { return vector.Vector{m.X[v], m.Y[v], 0} }
	sides := map[edge]bool{} // edges of only one triangle
	for _, c := range before.Cells {
		for k := range c {
			if e := edgeOf(c[k], c[(k+1)%3]); sides[e] {
				delete(sides, e)
			} else {
				sides[e] = true
			}
		}
	}
	moved := departures{}
	for e := range sides {
		a, b := position(before, e[0]), position(before, e[1])
		size := vector.Length(vector.Minus(b, a))
		for _, v := range e {
			if p := position(after, v); p != position(before, v) {
				beside := vector.Length(vector.Cross(vector.Minus(b, a), vector.Minus(p, a))) / size
				moved.add(v, vector.Length(vector.Minus(p, onSide(p, a, b))), beside, size)
			}
		}
	}
	return moved.sum()
}

// DepartedSolid measures how far the boundary vertices of a tetrahedral mesh have left the boundary. The two meshes
// have the same cells.
func DepartedSolid(before, after *mesh.Solid) (Departure, error) {
	faces, err := before.Skin()
	if err != nil {
		return Departure{}, err
	}
	moved := departures{}
	for _, f := range faces {
		a, b, c := before.At(f.V[0]), before.At(f.V[1]), before.At(f.V[2])
		n := vector.Cross(vector.Minus(b, a), vector.Minus(c, a))
		for _, v := range f.V {
			if p := after.At(v); p != before.At(v) {
				above := math.Abs(vector.Dot(n, vector.Minus(p, a))) / vector.Length(n)
				moved.add(v, vector.Length(vector.Minus(p, onFace(p, a, b, c))), above,
					max(vector.Length(vector.Minus(b, a)), vector.Length(vector.Minus(c, a))))
			}
		}
	}
	return moved.sum(), nil
}

// onSide is the point of the segment from a to b that is nearest to p.
func onSide(p, a, b vector.Vector) vector.Vector {
	u := vector.Minus(b, a)
	return vector.Plus(a, min(max(vector.Dot(vector.Minus(p, a), u)/vector.Dot(u, u), 0), 1), u)
}

// onFace is the point of the triangle a, b, c that is nearest to p.
func onFace(p, a, b, c vector.Vector) vector.Vector {
	n := vector.Cross(vector.Minus(b, a), vector.Minus(c, a))
	inside := true
	best, nearest := a, math.Inf(1)
	for _, e := range [3][2]vector.Vector{{a, b}, {b, c}, {c, a}} {
		inside = inside && vector.Dot(vector.Cross(vector.Minus(e[1], e[0]), vector.Minus(p, e[0])), n) >= 0
		if q := onSide(p, e[0], e[1]); vector.Length(vector.Minus(p, q)) < nearest {
			best, nearest = q, vector.Length(vector.Minus(p, q))
		}
	}
	if inside {
		return vector.Plus(p, -vector.Dot(vector.Minus(p, a), n)/vector.Dot(n, n), n)
	}
	return best
}
