package operation

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// star is what moves in the plane read of the triangles around a vertex: they read it several times, and the vertices
// lie far apart in memory.
type star []starCell

type starCell struct {
	x       [3][2]float64 // positions of the vertices
	m       [3][3]float64 // their metrics
	moving  int           // index of the vertex that moves
	quality float64
}

// starOf returns the triangles around a vertex, in memory of s.
func starOf(t *mutable.Mesh, cells []int32, v int32, s star) star {
	s = s[:0]
	for _, k := range cells {
		c := &t.Cells[k]
		n := starCell{moving: c.Find(2, v), quality: c.Quality}
		for i, u := range c.V[:3] {
			n.x[i] = [2]float64(t.X[u][:2])
			n.m[i] = [3]float64(t.M[u][:3])
		}
		s = append(s, n)
	}
	return s
}

// mean is the mean of the metrics at the vertices.
func (c *starCell) mean() (m11, m12, m22 float64) {
	const third = 1.0 / 3
	m := &c.m
	return (m[0][0] + m[1][0] + m[2][0]) * third, (m[0][1] + m[1][1] + m[2][1]) * third,
		(m[0][2] + m[1][2] + m[2][2]) * third
}

// derivatives is engine.derivatives in the plane, where d/2 is 1.
func (s star) derivatives(sharp bool) (l local) {
	l.worst = 1
	for k := range s {
		c := &s[k]
		x, i := &c.x, c.moving
		p, q := &x[(i+1)%3], &x[(i+2)%3]
		m11, m12, m22 := c.mean()
		ux, uy, vx, vy := x[i][0]-p[0], x[i][1]-p[1], x[i][0]-q[0], x[i][1]-q[1]
		wx, wy, sx, sy := ux-vx, uy-vy, ux+vx, uy+vy
		n := ux*(m11*ux+m12*uy) + uy*(m12*ux+m22*uy) + (vx*(m11*vx+m12*vy) + vy*(m12*vx+m22*vy)) +
			(wx*(m11*wx+m12*wy) + wy*(m12*wx+m22*wy))
		area := 0.5 * ((x[1][0]-x[0][0])*(x[2][1]-x[0][1]) - (x[1][1]-x[0][1])*(x[2][0]-x[0][0]))
		perSum, perArea := 1/n, 1/area
		ax, ay := perSum*(2*(m11*sx+m12*sy)), perSum*(2*(m12*sx+m22*sy))
		bx, by := perArea*(0.5*(p[1]-q[1])), perArea*(0.5*(q[0]-p[0]))
		hx, hy := ax-bx, ay-by
		power, weight := 1.0, 1/c.quality
		if sharp {
			power, weight = 4, (weight*weight)*(weight*weight)
		}
		curvature := 2 * (2 / n)
		l.gradient[0] += weight * hx
		l.gradient[1] += weight * hy
		l.hessian[0] += weight * (power*hx*hx + curvature*m11 - ax*ax + bx*bx)
		l.hessian[1] += weight * (power*hx*hy + curvature*m12 - ax*ay + bx*by)
		l.hessian[2] += weight * (power*hy*hy + curvature*m22 - ay*ay + by*by)
		l.sum += weight
		l.worst = min(l.worst, c.quality)
	}
	return l
}

// qualityAfter is the quality of the triangle after a move of the vertex.
func (c *starCell) qualityAfter(to *measure.Vector, m *measure.Tensor) float64 {
	c.x[c.moving], c.m[c.moving] = [2]float64(to[:2]), [3]float64(m[:3])
	m11, m12, m22 := c.mean()
	return measure.PlaneQuality(&c.x, m11, m12, m22)
}
