// Package air is the physics of the air over shallow water: its drag on the water, and the gradient of its pressure,
// each the same everywhere or a field over time.
package air

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Air is what acts on the water from above. Numbers that change in time are elements of a list of prescribed ones.
type Air[F num.Float] struct {
	WindX, WindY int32     // indices of the velocity 10 m above the water, m/s; both 0 if there is none
	Moving       Course[F] // the same, instead, if it differs in space
	Drag         Drag[F]

	Factor   int32       // index of a factor on Gradient
	Gradient []Vector[F] // of the pressure over the density of the lower layer, of owned cells, m/s²; may be empty
	Pressure Course[F]   // the same, instead, without a factor
}

// Vector is a vector in the plane.
type Vector[F num.Float] struct{ X, Y F }

// Drag is the coefficient of the drag on the water, times the ratio of densities, air over the lower layer: it grows by
// PerSpeed with the speed of the wind in m/s, from Still on, between two bounds.
type Drag[F num.Float] struct{ Still, PerSpeed, Least, Most F }

// Constant returns a coefficient that does not depend on the speed.
func Constant[F num.Float](drag F) Drag[F] { return Drag[F]{Still: drag, Most: drag} }

// of returns the coefficient at a speed.
func (d Drag[F]) of(speed F) F {
	return num.Smaller(num.Larger(d.Still+d.PerSpeed*speed, d.Least), d.Most)
}

// Course is a vector of owned cells in a step, from what is known at three times that follow each other: what it is at
// the first, and by how much it changes to the second, and to the third. The element At of the prescribed numbers is
// the share of the first change in the step, the next element that of the second.
type Course[F num.Float] struct {
	First, Change, Next []Vector[F]
	At                  int32
}

// in returns the vector in cell i.
func (c Course[F]) in(i int, prescribed []F) Vector[F] {
	v, change, share := c.First[i], c.Change[i], prescribed[c.At]
	v.X, v.Y = v.X+share*change.X, v.Y+share*change.Y
	if next := prescribed[c.At+1]; next > 0 {
		change = c.Next[i]
		v.X, v.Y = v.X+next*change.X, v.Y+next*change.Y
	}
	return v
}

// HasWind reports whether there may be wind.
func (a *Air[F]) HasWind() bool { return a.WindX > 0 || len(a.Moving.First) > 0 }

// Wind returns the velocity of the air over cell i, and what it is multiplied by to give the momentum that the water
// takes from it in a time dt, per area and density of the lower layer.
func (a *Air[F]) Wind(i int, prescribed []F, dt F) (x, y, stress F) {
	x, y = prescribed[a.WindX], prescribed[a.WindY]
	if len(a.Moving.First) > 0 {
		v := a.Moving.in(i, prescribed)
		x, y = v.X, v.Y
	}
	speed := num.Sqrt(x*x + y*y)
	return x, y, dt * a.Drag.of(speed) * speed
}

// HasPressure reports whether the pressure differs in space.
func (a *Air[F]) HasPressure() bool { return len(a.Gradient) > 0 || len(a.Pressure.First) > 0 }

// Push returns the velocity by which the gradient of the pressure over cell i slows the water down in a time dt.
func (a *Air[F]) Push(i int, prescribed []F, dt F) (x, y F) {
	if len(a.Gradient) > 0 {
		course := dt * prescribed[a.Factor]
		return course * a.Gradient[i].X, course * a.Gradient[i].Y
	}
	v := a.Pressure.in(i, prescribed)
	return dt * v.X, dt * v.Y
}
