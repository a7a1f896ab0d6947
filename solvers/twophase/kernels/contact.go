package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Contact is a side of the grid that the interface meets at a given angle.
//
//atoll:constant
type Contact[F num.Float] struct {
	Lattice
	Axis          int32 // across the side
	First, Second int32 // the axes along it; in the plane the second one is 2
	Inward        int32 // 1 for a lower side, -1 for an upper one
	Layers        int32 // of ghosts
	Cos, Sin      F     // of the angle between the side and the interface, in the first fluid
	F             []F
}

// contactReach is how far from a ghost, in cells along the side, an interface that ends at the side is looked for.
const contactReach = 2

// nearLine is the square of a distance in cells along a line of contact within which planes weigh about the same.
const nearLine = 0.05

// Wet continues the interface beyond a side: ghosts beyond the cell (i, j, k) next to the side get the fraction that
// planes at the given angle, through the mixed cells around that one, leave below them there. Planes count by f(1-f),
// so that the fraction changes little when a cell becomes pure (as Tavares et al., Computers & Fluids 278, 2024, do in
// solids). So heights of columns along the side, and of those across it, continue with the slope that the angle
// demands. Ghosts without a mixed cell nearby keep their value.
//
//atoll:kernel grain=64
func Wet[F num.Float](i, j, k int, q *Contact[F]) {
	c := q.at(i, j, k)
	var sums [8]F
	total := F(0)
	reach := 0
	if q.Dim == 3 {
		reach = contactReach
	}
	for y := -reach; y <= reach; y++ {
		for x := -contactReach; x <= contactReach; x++ {
			e := c + x*q.stride(q.First) + y*q.stride(q.Second)
			f := q.F[e]
			if f > faint && f < 1-faint {
				m, found := q.direction(e)
				if !found {
					continue
				}
				alpha := q.constant(m, f, q.inner(i, x, 0))
				weight := f * (1 - f) / q.aside(m, F(x), F(y))
				total += weight
				alpha += m[q.First]*F(x) + m[q.Second]*F(y) // of the same plane for the cell that e is x, y cells from
				for layer := range int(q.Layers) {
					alpha += m[q.Axis] * F(q.Inward)
					sums[layer] += weight * q.below(m, alpha, q.inner(i, 0, layer+1))
				}
			}
		}
	}
	if total > 0 {
		for layer := range int(q.Layers) {
			q.F[c-(layer+1)*int(q.Inward)*q.stride(q.Axis)] = sums[layer] / total
		}
	}
}

// direction is the normal, out of the first fluid, of the plane at the given angle through a cell next to the side:
// that of the fractions along the side, turned. There is none where the fractions do not change along the side.
func (q *Contact[F]) direction(c int) (m [3]F, found bool) {
	a := q.stride(q.First)
	x, y := q.F[c-a]-q.F[c+a], F(0)
	if q.Dim == 3 {
		b := q.stride(q.Second)
		x = 2*x + (q.F[c-a-b] - q.F[c+a-b]) + (q.F[c-a+b] - q.F[c+a+b])
		y = 2*(q.F[c-b]-q.F[c+b]) + (q.F[c-b-a] - q.F[c+b-a]) + (q.F[c-b+a] - q.F[c+b+a])
	}
	size := num.Sqrt(x*x + y*y)
	if !(size > 0) {
		return m, false
	}
	m[q.Axis] = F(q.Inward) * q.Cos
	m[q.First] = q.Sin * x / size
	if q.Dim == 3 {
		m[q.Second] = q.Sin * y / size
	}
	return m, true
}

// aside grows with the distance of a cell at (x, y) from one with a normal, along the line of contact of that one: the
// plane there does not follow the curve of that line.
func (q *Contact[F]) aside(m [3]F, x, y F) F {
	if q.Dim == 2 {
		return 1
	}
	way := (x*m[q.Second] - y*m[q.First]) / q.Sin
	near := nearLine + way*way
	return near * near
}

// inner is the inner radius, in axisymmetric flow, of a cell along the side or of a ghost in a layer.
func (q *Contact[F]) inner(i, along, layer int) F {
	at := i + along
	if q.Axis == 0 {
		at = i - layer*int(q.Inward)
	}
	return F(at + int(q.Inner))
}

// constant is that of the plane with a normal that leaves a fraction below it.
func (q *Contact[F]) constant(m [3]F, f, inner F) F {
	if q.Rings {
		return geom.RingConstant(m[0], m[1], f, inner)
	}
	if q.Dim == 2 {
		return geom.LineConstant(m[0], m[1], f)
	}
	return geom.PlaneConstant(m[0], m[1], m[2], f)
}

// below is the part of a cell below a plane.
func (q *Contact[F]) below(m [3]F, alpha, inner F) F {
	if q.Rings {
		return geom.RingShare(m[0], m[1], alpha, inner)
	}
	if q.Dim == 2 {
		return geom.Area(m[0], m[1], alpha)
	}
	return geom.Volume(m[0], m[1], m[2], alpha)
}
