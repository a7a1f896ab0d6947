package curved

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh"
)

// Departure is how vertices of a boundary have left it, between their old neighbours: how many have left its planes or
// lines, by more than rounding, and the largest distance from its faces or edges.
type Departure struct {
	Vertices int
	Most     float64
}

// rounding is what share of the lengths around a vertex counts as none.
const rounding = 1e-9

// off is how far a vertex is from the nearest of its old faces or edges, and from the nearest plane or line of one.
type off struct{ side, plane, size float64 }

// departures are those of vertices that have moved.
type departures map[int32]off

func (d departures) add(v int32, side, plane, size float64) {
	was, ok := d[v]
	if !ok {
		was = off{side, plane, size}
	}
	d[v] = off{min(side, was.side), min(plane, was.plane), max(size, was.size)}
}

func (d departures) sum() (all Departure) {
	for _, o := range d {
		if o.plane > rounding*o.size {
			all.Vertices++
			all.Most = max(all.Most, o.side)
		}
	}
	return all
}

// Departed compares a mesh of triangles with what it was.
func Departed(was, is *mesh.Mesh) Departure {
	at := func(m *mesh.Mesh, v int32) vector { return vector{m.X[v], m.Y[v], 0} }
	sides := map[edge]bool{} // of one triangle
	for _, c := range was.Cells {
		for k := range c {
			if e := edgeOf(c[k], c[(k+1)%3]); sides[e] {
				delete(sides, e)
			} else {
				sides[e] = true
			}
		}
	}
	all := departures{}
	for e := range sides {
		a, b := at(was, e[0]), at(was, e[1])
		size := length(minus(b, a))
		for _, v := range e {
			if p := at(is, v); p != at(was, v) {
				all.add(v, length(minus(p, onSide(p, a, b))), length(cross(minus(b, a), minus(p, a)))/size, size)
			}
		}
	}
	return all.sum()
}

// DepartedSolid compares a mesh of tetrahedra with what it was.
func DepartedSolid(was, is *mesh.Solid) (Departure, error) {
	faces, err := was.Skin()
	if err != nil {
		return Departure{}, err
	}
	all := departures{}
	for _, f := range faces {
		a, b, c := was.At(f.V[0]), was.At(f.V[1]), was.At(f.V[2])
		n := cross(minus(b, a), minus(c, a))
		for _, v := range f.V {
			if p := is.At(v); p != was.At(v) {
				all.add(v, length(minus(p, onFace(p, a, b, c))), math.Abs(dot(n, minus(p, a)))/length(n),
					max(length(minus(b, a)), length(minus(c, a))))
			}
		}
	}
	return all.sum(), nil
}

// onSide is the position between a and b that is nearest to p.
func onSide(p, a, b vector) vector {
	u := minus(b, a)
	return plus(a, min(max(dot(minus(p, a), u)/dot(u, u), 0), 1), u)
}

// onFace is the position on the triangle of a, b and c that is nearest to p.
func onFace(p, a, b, c vector) vector {
	n := cross(minus(b, a), minus(c, a))
	inside := true
	best, far := a, math.Inf(1)
	for _, e := range [3][2]vector{{a, b}, {b, c}, {c, a}} {
		inside = inside && dot(cross(minus(e[1], e[0]), minus(p, e[0])), n) >= 0
		if q := onSide(p, e[0], e[1]); length(minus(p, q)) < far {
			best, far = q, length(minus(p, q))
		}
	}
	if inside {
		return plus(p, -dot(minus(p, a), n)/dot(n, n), n)
	}
	return best
}
