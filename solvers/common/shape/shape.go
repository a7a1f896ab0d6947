// Package shape describes bodies of fluid and computes their volume fractions in cells on the host. A Body is made
// from a text (Parse), from an STL file, or by functions such as Ball, and combined by Union, Intersection and
// Difference. Fraction, Divided and Cut compute volume fractions.
package shape

import (
	"fmt"
	"math"
)

// Body is the fluid where the level set Phi is negative. Phi changes by at most Slope per unit of length, so it has
// one sign within |Phi|/Slope of a point; Slope 0 means that no bound is known, as for an expression. Phi is safe for
// concurrent use; for volume fractions each goroutine needs its own copy: see [Body.Copy].
type Body struct {
	Phi   func(x, y, z float64) float64
	Slope float64
	Notes []string // what was mended or left out of a file

	polyhedron *polyhedron // set for a body bounded by triangles
	tree       *node       // set for an analytic body or a combination
	levels     *levels     // set for an expression, an analytic body of Parse, or a combination of these
	coarse     *coarse     // what Fraction of levels, or Divided, has overlooked
	mix        *mix        // set for a combination of which neither tree nor levels is set
}

// Copy returns a copy for another goroutine.
func (b Body) Copy() Body {
	if b.tree != nil {
		b.tree = b.tree.clone()
	}
	if b.mix != nil {
		copied := &mix{op: b.mix.op}
		for _, part := range b.mix.bodies {
			copied.bodies = append(copied.bodies, part.Copy())
		}
		b.mix = copied
	}
	return b
}

// Ball is a ball, or a disk in the plane, where z is 0.
func Ball(x, y, z, radius float64) Body {
	c, a := [3]float64{x, y, z}, [3]float64{radius, radius, radius}
	return analytic(func(px, py, pz float64) float64 { return norm(px-x, py-y, pz-z) - radius }, &quadric{c, a})
}

// analytic makes a body from a level set of slope 1 and a geometry with exact volume fractions.
func analytic(phi func(x, y, z float64) float64, f figure) Body {
	return Body{Slope: 1, Phi: phi, tree: (&node{phi: phi, figure: f}).withNumbers(map[any]int32{})}
}

// Ellipsoid has half-axes a, b, c along the coordinates. In the plane c is any positive number.
func Ellipsoid(x, y, z, a, b, c float64) (Body, error) {
	if !(a > 0 && b > 0 && c > 0) {
		return Body{}, fmt.Errorf("an ellipse needs positive half-axes, not %g, %g, %g", a, b, c)
	}
	least := min(a, b, c)
	return analytic(func(px, py, pz float64) float64 {
		return least * (norm((px-x)/a, (py-y)/b, (pz-z)/c) - 1)
	}, &quadric{[3]float64{x, y, z}, [3]float64{a, b, c}}), nil
}

// Box is the body between two corners. In the plane lo[2] is negative and hi[2] positive.
func Box(lo, hi [3]float64) (Body, error) {
	for d := range lo {
		if !(lo[d] < hi[d]) {
			return Body{}, fmt.Errorf("a box needs its first corner below its second: axis %d has %g and %g", d, lo[d], hi[d])
		}
	}
	return analytic(func(x, y, z float64) float64 {
		return max(lo[0]-x, x-hi[0], lo[1]-y, y-hi[1], lo[2]-z, z-hi[2])
	}, &cuboid{lo, hi}), nil
}

// HalfSpace is the side of a plane through a point that is opposite to the normal.
func HalfSpace(x, y, z, nx, ny, nz float64) (Body, error) {
	l := norm(nx, ny, nz)
	if !(l > 0) || math.IsInf(l, 0) {
		return Body{}, fmt.Errorf("a plane needs a normal, not (%g, %g, %g)", nx, ny, nz)
	}
	return analytic(func(px, py, pz float64) float64 { return ((px-x)*nx + (py-y)*ny + (pz-z)*nz) / l },
		&halfSpace{[3]float64{x, y, z}, [3]float64{nx / l, ny / l, nz / l}}), nil
}

// Cylinder has its axis along coordinate 0, 1 or 2 through the given point, and no ends.
func Cylinder(x, y, z, radius float64, axis int) (Body, error) {
	if axis < 0 || axis > 2 {
		return Body{}, fmt.Errorf("a cylinder's axis is 0, 1 or 2, not %d", axis)
	}
	a := [3]float64{radius, radius, radius}
	a[axis] = math.Inf(1)
	return analytic(func(px, py, pz float64) float64 {
		d := [3]float64{px - x, py - y, pz - z}
		d[axis] = 0
		return norm(d[0], d[1], d[2]) - radius
	}, &quadric{[3]float64{x, y, z}, a}), nil
}

// Torus has its axis along z: ring is the radius of its centre line, radius that of its cross-section.
func Torus(x, y, z, ring, radius float64) Body {
	return analytic(func(px, py, pz float64) float64 {
		return math.Hypot(math.Hypot(px-x, py-y)-ring, pz-z) - radius
	}, &torus{[3]float64{x, y, z}, ring, radius})
}

// SlottedDisk is a disk, or an infinite cylinder along z, with a slot of the given width from below up to y = top
// (Zalesak, J. Comput. Phys. 31, 1979).
func SlottedDisk(x, y, radius, width, top float64) Body {
	far := math.Inf(1)
	disk := analytic(func(px, py, _ float64) float64 { return math.Hypot(px-x, py-y) - radius },
		&quadric{[3]float64{x, y, 0}, [3]float64{radius, radius, far}})
	slot := analytic(func(px, py, _ float64) float64 { return max(math.Abs(px-x)-width/2, py-top) },
		&cuboid{[3]float64{x - width/2, -far, -far}, [3]float64{x + width/2, top, far}})
	return Difference(disk, slot)
}

// Union is the set of points in any of the bodies.
func Union(bodies ...Body) Body { return combined(bodies, 1) }

// Intersection is the set of points in all of the bodies.
func Intersection(bodies ...Body) Body { return combined(bodies, -1) }

// Difference is the set of points in a and not in b.
func Difference(a, b Body) Body { return Intersection(a, Complement(b)) }

// Complement is the set of points not in b.
func Complement(b Body) Body {
	out := Body{Slope: b.Slope, Phi: func(x, y, z float64) float64 { return -b.Phi(x, y, z) }, Notes: b.Notes,
		tree: combinedTree(complement, b), levels: b.levels.complement(), coarse: &coarse{}}
	out.mix = mixOf(complement, &out, b)
	return out
}

func combined(bodies []Body, sign float64) Body {
	op := union
	if sign < 0 {
		op = intersection
	}
	all := Body{tree: combinedTree(op, bodies...), levels: joinedLevels(op == intersection, bodies...), coarse: &coarse{}}
	all.mix = mixOf(op, &all, bodies...)
	known := true
	for _, b := range bodies {
		all.Slope = max(all.Slope, b.Slope)
		known = known && b.Slope > 0
		all.Notes = append(all.Notes, b.Notes...)
	}
	if !known {
		all.Slope = 0
	}
	all.Phi = func(x, y, z float64) float64 {
		least := math.Inf(1)
		for _, b := range bodies {
			least = min(least, sign*b.Phi(x, y, z))
		}
		return sign * least
	}
	return all
}

func norm(x, y, z float64) float64 { return math.Sqrt(x*x + y*y + z*z) }
