package meshfile

// Split divides a quadrangle with the given corners into two triangles: along its shorter diagonal, or that which is
// inside if it is not convex. Its corners may turn in either direction.
func Split(x, y []float64, q [4]int32) [2][3]int32 {
	first := [2][3]int32{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}}
	second := [2][3]int32{{q[0], q[1], q[3]}, {q[1], q[2], q[3]}}
	area := func(t [3]int32) float64 {
		a, b, c := t[0], t[1], t[2]
		return (x[b]-x[a])*(y[c]-y[a]) - (x[c]-x[a])*(y[b]-y[a])
	}
	isInside := func(t [2][3]int32) bool { return area(t[0])*area(t[1]) > 0 }
	square := func(a, b int32) float64 { return (x[a]-x[b])*(x[a]-x[b]) + (y[a]-y[b])*(y[a]-y[b]) }
	switch {
	case !isInside(second):
		return first
	case !isInside(first) || square(q[1], q[3]) < square(q[0], q[2]):
		return second
	}
	return first
}
