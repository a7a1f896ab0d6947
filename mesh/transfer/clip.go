package transfer

// clipper intersects triangles, with buffers that it keeps.
type clipper struct {
	x, y, nextX, nextY []float64
}

// intersect returns the intersection of two triangles whose corners are counter-clockwise: the first is clipped by the
// sides of the second (I. E. Sutherland and G. W. Hodgman, Comm. ACM 17 (1974) 32). Coordinates are relative to the
// first corner of the first, also those of the centroid, so that those far from the origin lose no digits.
func (c *clipper) intersect(x, y, ox, oy *[3]float64) (p Piece) {
	x0, y0 := x[0], y[0]
	c.x = append(c.x[:0], 0, x[1]-x0, x[2]-x0)
	c.y = append(c.y[:0], 0, y[1]-y0, y[2]-y0)
	for k := range 3 {
		n := (k + 1) % 3
		if c.clip(ox[k]-x0, oy[k]-y0, ox[n]-x0, oy[n]-y0); len(c.x) < 3 {
			return p
		}
	}
	for k := 2; k < len(c.x); k++ {
		ax, ay, bx, by := c.x[k-1]-c.x[0], c.y[k-1]-c.y[0], c.x[k]-c.x[0], c.y[k]-c.y[0]
		twice := ax*by - ay*bx
		p.Area += twice
		p.X += twice * (ax + bx)
		p.Y += twice * (ay + by)
	}
	if p.Area <= 0 {
		return Piece{}
	}
	p.X, p.Y = c.x[0]+p.X/(3*p.Area), c.y[0]+p.Y/(3*p.Area)
	p.Area /= 2
	return p
}

// clip removes what is at the right of the line from a to b.
func (c *clipper) clip(ax, ay, bx, by float64) {
	dx, dy := bx-ax, by-ay
	c.nextX, c.nextY = c.nextX[:0], c.nextY[:0]
	last := len(c.x) - 1
	px, py := c.x[last], c.y[last]
	before := dx*(py-ay) - dy*(px-ax)
	for k := range c.x {
		qx, qy := c.x[k], c.y[k]
		now := dx*(qy-ay) - dy*(qx-ax)
		if before < 0 && now > 0 || before > 0 && now < 0 {
			t := before / (before - now)
			c.nextX, c.nextY = append(c.nextX, px+t*(qx-px)), append(c.nextY, py+t*(qy-py))
		}
		if now >= 0 {
			c.nextX, c.nextY = append(c.nextX, qx), append(c.nextY, qy)
		}
		px, py, before = qx, qy, now
	}
	c.x, c.nextX = c.nextX, c.x
	c.y, c.nextY = c.nextY, c.y
}
