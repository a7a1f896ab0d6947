package levels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Links are the matrix of a coarse level in the plane: of each cell the links to half of the 24 cells at a distance of
// at most two along each axis, at (x, y) from it; those to the other half belong to these cells. They are 0 across
// sides. Extra is what the solution's value of 0 at a side adds to the diagonal.
//
//atoll:constant
type Links[F num.Float] struct {
	R1, R2             []F // (1, 0) and (2, 0)
	A0, A1, A2, A3, A4 []F // (-2, 1) to (2, 1)
	B0, B1, B2, B3, B4 []F // (-2, 2) to (2, 2)
	Extra              []F
}

// row is row c of the matrix times x, from differences, so that it is exactly 0 for constants without Extra.
func (l *Links[F]) row(x []F, c, sy int) F {
	u, w := c+sy, c+2*sy
	d, e := c-sy, c-2*sy
	own := x[c]
	v := l.Extra[c] * own
	v += l.R1[c]*(own-x[c+1]) + l.R1[c-1]*(own-x[c-1])
	v += l.R2[c]*(own-x[c+2]) + l.R2[c-2]*(own-x[c-2])
	v += l.A0[c]*(own-x[u-2]) + l.A0[d+2]*(own-x[d+2])
	v += l.A1[c]*(own-x[u-1]) + l.A1[d+1]*(own-x[d+1])
	v += l.A2[c]*(own-x[u]) + l.A2[d]*(own-x[d])
	v += l.A3[c]*(own-x[u+1]) + l.A3[d-1]*(own-x[d-1])
	v += l.A4[c]*(own-x[u+2]) + l.A4[d-2]*(own-x[d-2])
	v += l.B0[c]*(own-x[w-2]) + l.B0[e+2]*(own-x[e+2])
	v += l.B1[c]*(own-x[w-1]) + l.B1[e+1]*(own-x[e+1])
	v += l.B2[c]*(own-x[w]) + l.B2[e]*(own-x[e])
	v += l.B3[c]*(own-x[w+1]) + l.B3[e-1]*(own-x[e-1])
	v += l.B4[c]*(own-x[w+2]) + l.B4[e-2]*(own-x[e-2])
	return v
}

// both adds a link to the sum of links, and to that of their magnitudes.
func both[F num.Float](a, b F, sum, size *F) {
	*sum += a + b
	*size += num.Abs(a) + num.Abs(b)
}

// InvertWide computes the factors of the smoother's steps: 2 over the sum of a row's magnitudes, which is the inverse
// of the diagonal where no link is negative. By Gershgorin's theorem the scaled matrix has no eigenvalue above 2.
//
//atoll:kernel
func InvertWide[F num.Float](i, j, k int, lattice *Lattice, l *Links[F], inverse []F) {
	c, sy := lattice.at(i, j, k), int(lattice.SY)
	d, e := c-sy, c-2*sy
	sum, size := l.Extra[c], F(0)
	both(l.R1[c], l.R1[c-1], &sum, &size)
	both(l.R2[c], l.R2[c-2], &sum, &size)
	both(l.A0[c], l.A0[d+2], &sum, &size)
	both(l.A1[c], l.A1[d+1], &sum, &size)
	both(l.A2[c], l.A2[d], &sum, &size)
	both(l.A3[c], l.A3[d-1], &sum, &size)
	both(l.A4[c], l.A4[d-2], &sum, &size)
	both(l.B0[c], l.B0[e+2], &sum, &size)
	both(l.B1[c], l.B1[e+1], &sum, &size)
	both(l.B2[c], l.B2[e], &sum, &size)
	both(l.B3[c], l.B3[e-1], &sum, &size)
	both(l.B4[c], l.B4[e-2], &sum, &size)
	v := F(0)
	if sum+size > 0 {
		v = 2 / (sum + size)
	}
	inverse[c] = v
}

// SmoothWide is Smooth on a level with links.
//
//atoll:kernel lanes
func SmoothWide[F num.Float](i, j, k int, lattice *Lattice, l *Links[F], kept, length F, inverse, b, x, t, out []F) {
	c := lattice.at(i, j, k)
	step := kept*t[c] + length*(inverse[c]*(b[c]-l.row(x, c, int(lattice.SY))))
	t[c] = step
	out[c] = x[c] + step
}

// ResidualWide computes b - A x on a level with links.
//
//atoll:kernel lanes
func ResidualWide[F num.Float](i, j, k int, lattice *Lattice, l *Links[F], b, x, r []F) {
	c := lattice.at(i, j, k)
	r[c] = b[c] - l.row(x, c, int(lattice.SY))
}

// Product is a level in the plane, whose matrix makes that of the next one: with the interpolation P it is the product
// PᵀAP, the matrix of Galerkin.
//
//atoll:constant
type Product[F num.Float] struct {
	Transfer
	Wide   bool // the level has links, otherwise coefficients of faces
	AX, AY []F
	Links  Links[F]
	WX, WY []F // weights of interpolation
}

// patch is what Multiply knows of the 8 × 8 cells around those that are interpolated from a coarse cell: the part of
// each that comes from the coarse cell, the part from all cells of the grid, which is 1 except next to sides with a
// value, and the column of A P.
type patch[F num.Float] struct {
	own, all, column [64]F
	extra            F
	x, y             lines
}

// lines are the rows or columns of a patch: the coarse cell that each belongs to, counted from the one of Multiply, the
// step to the next one that it is interpolated from, whether it is inside of the grid, and whether the next one is.
type lines struct {
	first         int // fine cell of the first line
	coarse, step  [8]int
	inside, bound [8]bool
}

// pair adds a link between two cells.
func (p *patch[F]) pair(a F, at, to int) {
	flow := a * (p.own[at] - p.own[to])
	p.column[at] += flow
	p.column[to] -= flow
	p.extra += flow * (p.all[at] - p.all[to])
}

// lower adds the link to the cell at (-x, -y) from cell (i, j), unless that cell adds it.
func (p *patch[F]) lower(a F, i, j, x, y, nx, ny int) {
	if i-x < 2 || i-x >= nx+2 || j-y < 2 || j-y >= ny+2 {
		p.pair(a, i+8*j, i-x+8*(j-y))
	}
}

// Multiply computes the links of coarse cell (i, j).
//
//atoll:kernel grain=256
func Multiply[F num.Float](i, j, k int, m *Product[F], out *Links[F]) {
	x0, _, nx := m.gather(0, i)
	y0, _, ny := m.gather(1, j)
	var p patch[F]
	m.fill(0, i, x0-2, nx+4, &p.x)
	m.fill(1, j, y0-2, ny+4, &p.y)
	for y := range ny + 4 {
		for x := range nx + 4 {
			m.interpolate(&p, x, y)
		}
	}
	for y := 2; y < ny+2; y++ {
		for x := 2; x < nx+2; x++ {
			c := m.Fine.at(x0+x-2, y0+y-2, k)
			if p.all[x+8*y] > 0 && m.Wide {
				m.addLinks(&p, c, x, y, nx, ny)
			} else if p.all[x+8*y] > 0 {
				m.addFaces(&p, c, x, y)
			}
		}
	}
	m.finish(&p, i, j, nx+4, ny+4, out)
}

// fill fills n lines along an axis, of which the first is that of a fine cell, around a coarse cell.
func (t *Transfer) fill(axis int32, coarse, first, n int, l *lines) {
	l.first = first
	for x := range n {
		a, step, inside := t.parents(axis, first+x)
		l.coarse[x], l.step[x], l.inside[x] = a-coarse, step, inside
		l.bound[x] = t.beyond(axis, a+step)
	}
}

// parents returns the coarse cell along an axis that fine cell i, which may be beyond a side, belongs to, and the step
// to the next one that it is interpolated from; inside is false beyond a side that is not periodic.
func (t *Transfer) parents(axis int32, i int) (coarse, step int, inside bool) {
	n := int(t.Cells[axis])
	g, turn := int(t.Lo[axis])+i, 0
	inside = g >= 0 && g < n || t.Periodic[axis]
	if g < 0 {
		g += n
		turn = -1
	} else if g >= n {
		g -= n
		turn = 1
	}
	if !t.Halved[axis] {
		return i, 0, inside
	}
	half := (n + 1) / 2
	coarse = g/2 + turn*half - int(t.Lo[axis])/2
	step = -1
	if g&1 == 1 {
		step = 1
	}
	return coarse, step, inside
}

// beyond reports whether a coarse cell is beyond a side.
func (t *Transfer) beyond(axis int32, coarse int) bool {
	n := int(t.Cells[axis])
	if t.Halved[axis] {
		n = (n + 1) / 2
		coarse += int(t.Lo[axis]) / 2
	} else {
		coarse += int(t.Lo[axis])
	}
	return !t.Periodic[axis] && (coarse < 0 || coarse >= n)
}

// interpolate fills the element of the patch for the fine cell (x, y) of it.
func (m *Product[F]) interpolate(p *patch[F], x, y int) {
	if !p.x.inside[x] || !p.y.inside[y] {
		return
	}
	wx, wy := m.weights(p, x, y)
	p.own[x+8*y] = part(p.x.coarse[x], p.x.step[x], wx) * part(p.y.coarse[y], p.y.step[y], wy)
	all := F(1)
	if p.x.bound[x] {
		all -= wx
	}
	if p.y.bound[y] {
		all *= 1 - wy
	}
	p.all[x+8*y] = all
}

// weights returns the weights of interpolation of the fine cell (x, y) of a patch.
func (m *Product[F]) weights(p *patch[F], x, y int) (wx, wy F) {
	c := m.Fine.at(p.x.first+x, p.y.first+y, 0)
	if m.Halved[0] {
		wx = m.WX[c]
	}
	if m.Halved[1] {
		wy = m.WY[c]
	}
	return wx, wy
}

// part is the weight of the coarse cell 0 for a fine cell of coarse cell own, whose weight of the next one is w.
func part[F num.Float](own, step int, w F) F {
	v := F(0)
	if own == 0 {
		v = 1 - w
	} else if own+step == 0 {
		v = w
	}
	return v
}

// addFaces adds the links across the faces of fine cell c, at (x, y) of the patch, that no other cell adds.
func (m *Product[F]) addFaces(p *patch[F], c, x, y int) {
	at, sy := x+8*y, int(m.Fine.SY)
	p.pair(m.AX[c+1], at, at+1)
	p.pair(m.AY[c+sy], at, at+8)
	if x == 2 || p.all[at-1] == 0 {
		p.pair(m.AX[c], at, at-1)
	}
	if y == 2 || p.all[at-8] == 0 {
		p.pair(m.AY[c], at, at-8)
	}
}

// addLinks adds the links of fine cell c, at (x, y) of the patch, that no other cell adds.
func (m *Product[F]) addLinks(p *patch[F], c, x, y, nx, ny int) {
	at, sy, l := x+8*y, int(m.Fine.SY), m.Links
	own := l.Extra[c] * p.own[at]
	p.column[at] += own
	p.extra += own * p.all[at]
	p.pair(l.R1[c], at, at+1)
	p.pair(l.R2[c], at, at+2)
	p.pair(l.A0[c], at, at+6)
	p.pair(l.A1[c], at, at+7)
	p.pair(l.A2[c], at, at+8)
	p.pair(l.A3[c], at, at+9)
	p.pair(l.A4[c], at, at+10)
	p.pair(l.B0[c], at, at+14)
	p.pair(l.B1[c], at, at+15)
	p.pair(l.B2[c], at, at+16)
	p.pair(l.B3[c], at, at+17)
	p.pair(l.B4[c], at, at+18)
	d, e := c-sy, c-2*sy
	p.lower(l.R1[c-1], x, y, 1, 0, nx, ny)
	p.lower(l.R2[c-2], x, y, 2, 0, nx, ny)
	p.lower(l.A0[d+2], x, y, -2, 1, nx, ny)
	p.lower(l.A1[d+1], x, y, -1, 1, nx, ny)
	p.lower(l.A2[d], x, y, 0, 1, nx, ny)
	p.lower(l.A3[d-1], x, y, 1, 1, nx, ny)
	p.lower(l.A4[d-2], x, y, 2, 1, nx, ny)
	p.lower(l.B0[e+2], x, y, -2, 2, nx, ny)
	p.lower(l.B1[e+1], x, y, -1, 2, nx, ny)
	p.lower(l.B2[e], x, y, 0, 2, nx, ny)
	p.lower(l.B3[e-1], x, y, 1, 2, nx, ny)
	p.lower(l.B4[e-2], x, y, 2, 2, nx, ny)
}

// finish multiplies the column with the transposed interpolation. The patch has nx × ny cells.
func (m *Product[F]) finish(p *patch[F], i, j, nx, ny int, out *Links[F]) {
	var sum [25]F
	for y := range ny {
		for x := range nx {
			v := p.column[x+8*y]
			if v == 0 || p.all[x+8*y] == 0 {
				continue
			}
			wx, wy := m.weights(p, x, y)
			a, b, dx, dy := p.x.coarse[x]+2, p.y.coarse[y]+2, p.x.step[x], p.y.step[y]
			put(&sum, a, b, (1-wx)*(1-wy)*v)
			put(&sum, a+dx, b, wx*(1-wy)*v)
			put(&sum, a, b+dy, (1-wx)*wy*v)
			put(&sum, a+dx, b+dy, wx*wy*v)
		}
	}
	c := m.Coarse.at(i, j, 0)
	out.R1[c], out.R2[c] = m.linkTo(&sum, i, j, 1, 0), m.linkTo(&sum, i, j, 2, 0)
	out.A0[c], out.A1[c] = m.linkTo(&sum, i, j, -2, 1), m.linkTo(&sum, i, j, -1, 1)
	out.A2[c] = m.linkTo(&sum, i, j, 0, 1)
	out.A3[c], out.A4[c] = m.linkTo(&sum, i, j, 1, 1), m.linkTo(&sum, i, j, 2, 1)
	out.B0[c], out.B1[c] = m.linkTo(&sum, i, j, -2, 2), m.linkTo(&sum, i, j, -1, 2)
	out.B2[c] = m.linkTo(&sum, i, j, 0, 2)
	out.B3[c], out.B4[c] = m.linkTo(&sum, i, j, 1, 2), m.linkTo(&sum, i, j, 2, 2)
	out.Extra[c] = p.extra
}

// put adds to an element of 5 × 5.
func put[F num.Float](sum *[25]F, x, y int, v F) {
	if x >= 0 && x < 5 && y >= 0 && y < 5 {
		sum[x+5*y] += v
	}
}

// linkTo is the link of coarse cell (i, j) to that at (x, y) from it, 0 if that is beyond a side.
func (m *Product[F]) linkTo(sum *[25]F, i, j, x, y int) F {
	v := F(0)
	if !m.beyond(0, i+x) && !m.beyond(1, j+y) {
		v = -sum[x+2+5*(y+2)]
	}
	return v
}
