// Package turn is how the velocity of water turns on the rotating earth.
package turn

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Rate returns at which rate, in rad/s, the velocity in cell i turns clockwise: the Coriolis parameter in 1/s, and on
// the sphere the rate at which the axes east and north turn under water that goes east, tan(latitude)/radius, in 1/m,
// times its velocity to the east in m/s. A list that is empty counts as 0.
func Rate[F num.Float](i int, coriolis, curvature []F, east F) (rate F) {
	if len(coriolis) > 0 {
		rate = coriolis[i]
	}
	if len(curvature) > 0 {
		rate += curvature[i] * east
	}
	return rate
}

// Factors returns cosine and sine of the angle by which a velocity turns in a time dt: twice that whose tangent is half
// of dt times the rate.
func Factors[F num.Float](dt, rate F) (along, across F) {
	a := dt * rate / 2
	return (1 - a*a) / (1 + a*a), 2 * a / (1 + a*a)
}
