package verify

import "math"

// dam is the exact solution of the shallow-water equations of one layer after a dam at x = 0 between still water of
// depth left and right < left is removed: a fan to the left, a plateau, and a shock to the right (J. J. Stoker, Water
// Waves, 1957, section 10.8). Over a dry bed, right = 0, the fan alone is left (A. Ritter, 1892).
type dam struct {
	left, right  float64 // depths, m
	depth, speed float64 // of the plateau
	shock        float64 // speed of the shock, or of the front over a dry bed
}

func newDam(left, right float64) dam {
	d := dam{left: left, right: right}
	if right == 0 {
		d.shock = 2 * math.Sqrt(gravity*left)
		return d
	}
	// The speed behind a shock grows with the depth, that in the fan falls with it: they meet once.
	low, high := right, left
	for range 200 {
		d.depth = (low + high) / 2
		if d.behindShock() < d.inFan() {
			low = d.depth
		} else {
			high = d.depth
		}
	}
	d.speed = d.inFan()
	d.shock = d.depth * d.speed / (d.depth - right)
	return d
}

func (d dam) inFan() float64 { return 2 * (math.Sqrt(gravity*d.left) - math.Sqrt(gravity*d.depth)) }

func (d dam) behindShock() float64 {
	return (d.depth - d.right) * math.Sqrt(gravity*(d.depth+d.right)/(2*d.depth*d.right))
}

// at returns depth and velocity at x and t > 0.
func (d dam) at(x, t float64) (h, u float64) {
	s, c := x/t, math.Sqrt(gravity*d.left)
	switch tail := d.speed - math.Sqrt(gravity*d.depth); {
	case s <= -c:
		return d.left, 0
	case s <= tail || d.right == 0 && s < d.shock:
		h = (2*c - s) * (2*c - s) / (9 * gravity)
		return h, 2 * (c + s) / 3
	case d.right > 0 && s < d.shock:
		return d.depth, d.speed
	}
	return d.right, 0
}
