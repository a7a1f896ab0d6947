// Package kernels has the kernels of a step of incompressible flow of two fluids on a grid of squares or cubes:
// transport of volume fraction and momentum with the same mass fluxes, viscosity, surface tension, and projection.
//
// Velocities and accelerations are on faces: component d with a cell's index is on the cell's lower face along axis d.
// The functions use only + - × ÷ √ and comparisons, in an order that depends only on the grid, so that every processor
// gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Lattice locates cell (i, j, k) of a block in its arrays, ghosts included, at First + i + j·SY + k·SZ.
//
// In axisymmetric flow, Rings, cells are rings around x = 0, and Inner is the number of cells between that axis and the
// cells with i = 0. Lengths there are in spacings, and volumes, areas and masses per radian, so that those of a cell in
// the plane are multiplied by a radius: that of the centre of a cell, of a face across x, or of an edge.
//
//atoll:constant
type Lattice struct {
	First, SY, SZ int32
	Dim           int32
	Rings         bool
	Inner         int32
}

func (l *Lattice) at(i, j, k int) int { return int(l.First) + i + j*int(l.SY) + k*int(l.SZ) }

// stride returns the distance of neighbours along an axis.
func (l *Lattice) stride(axis int32) int {
	if axis == 1 {
		return int(l.SY)
	}
	if axis == 2 {
		return int(l.SZ)
	}
	return 1
}

// radius is the radius of the centres of cells with an index i.
func radius[F num.Float](l *Lattice, i int) F { return F(i+int(l.Inner)) + 0.5 }

// area is that of the lower face, across an axis, of a ring.
func area[F num.Float](l *Lattice, axis int32, i int) F {
	v := F(i + int(l.Inner))
	if axis != 0 {
		v += 0.5
	}
	return v
}

// Fluids are the properties of the two fluids. The first one is where the volume fraction is 1.
//
//atoll:constant
type Fluids[F num.Float] struct {
	Density, DensityStep     F // of the second fluid, and how much more that of the first one is, in kg/m³
	Viscosity, ViscosityStep F // dynamic, in Pa·s
	Tension                  F // surface tension in N/m
}

// density is that of a mixture.
func (q *Fluids[F]) density(f F) F { return q.Density + q.DensityStep*f }

// ViscosityOf is that of layers of both fluids that are stretched along each other, of which the first is a part f.
func (q *Fluids[F]) ViscosityOf(f F) F { return q.Viscosity + q.ViscosityStep*f }

// inSeries is the viscosity of such layers that are sheared: the stress is the same in all of them.
func (q *Fluids[F]) inSeries(f F) F {
	if f <= 0 {
		return q.Viscosity
	}
	first := q.Viscosity + q.ViscosityStep
	if f >= 1 {
		return first
	}
	return q.Viscosity * first / (q.Viscosity + q.ViscosityStep*(1-f))
}

// between is the density at a face between two cells, the same in all equations.
func (q *Fluids[F]) between(f, g F) F { return 0.5 * (q.density(f) + q.density(g)) }

// mass is that of the volume of a face between cells with the fractions f and g: across x, if radial, half of the two
// rings on both sides of it.
func (q *Fluids[F]) mass(l *Lattice, radial bool, i int, f, g F) F {
	v := 0.5 * (q.density(f) + q.density(g))
	if l.Rings {
		r := radius[F](l, i)
		if radial {
			v = 0.5 * (q.density(f)*(r-1) + q.density(g)*r)
		} else {
			v *= r
		}
	}
	return v
}

// Clock has the length of a step.
type Clock[F num.Float] struct {
	Dt      F // in s
	PerCell F // divided by the spacing
	PerArea F // divided by its square
}

// FillSides sets ghosts beyond the sides of the grid, and faces in the sides, to a·v + b of a cell or face inside.
//
//atoll:kernel block=256
func FillSides[F num.Float](n int, from, to []int32, a, b []F, v []F) {
	v[to[n]] = a[n]*v[from[n]] + b[n]
}

// Speed returns the sum over the axes of the larger speed of a cell's two faces.
//
//atoll:kernel lanes max
func Speed[F num.Float](i, j, k int, l *Lattice, u, v, w []F) F {
	c := l.at(i, j, k)
	lower, upper := num.Abs(u[c]), num.Abs(u[c+1])
	if l.Rings { // what passes a face along x is a larger or smaller part of the cell
		r := radius[F](l, i)
		lower *= (r - 0.5) / r
		upper *= (r + 0.5) / r
	}
	sum := num.Larger(lower, upper) + num.Larger(num.Abs(v[c]), num.Abs(v[c+int(l.SY)]))
	if l.Dim == 3 {
		sum += num.Larger(num.Abs(w[c]), num.Abs(w[c+int(l.SZ)]))
	}
	return sum
}
