package levels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Transfer is between a level and the next coarser one. Along a halved axis the fine cells 2I and 2I+1 of the whole
// grid make the coarse cell I; if the number of cells is odd, the last one stays alone. A rank's block begins at an
// even cell along halved axes.
//
// Between the centre of a coarse cell and that of the next one lie, along a line of fine cells, half of the link
// inside of the one, the link between them, and half of the link inside of the other: resistances 1/a in series. They
// make the coarse coefficients, and the weights of interpolation, which are those of the solution of the equation
// along the line (as in Alcouffe, Brandt, Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981).
//
//atoll:constant
type Transfer struct {
	Fine, Coarse Lattice
	Halved       [3]bool
	Periodic     [3]bool
	Cells        [3]int32 // of the whole fine grid
	Lo           [3]int32 // first fine cell of the block
}

// children returns the first fine cell of coarse cell i along an axis, and the number of its fine cells.
func (t *Transfer) children(axis int32, i int) (first, n int) {
	if !t.Halved[axis] {
		return i, 1
	}
	if int(t.Lo[axis])+2*i+1 >= int(t.Cells[axis]) {
		return 2 * i, 1
	}
	return 2 * i, 2
}

// half is the resistance of half a link.
func half[F num.Float](a F) F {
	if a > 0 {
		return 0.5 / a
	}
	return 0
}

// link is the coefficient between the centres of the coarse cells on both sides of the fine face c, which is face g of
// the whole grid along the axis.
func link[F num.Float](axis int32, t *Transfer, g, c int, a []F) F {
	v := a[c]
	if !(v > 0) || !t.Halved[axis] {
		return v
	}
	s, n := t.Fine.stride(axis), int(t.Cells[axis])
	below := g - 1
	if below < 0 && t.Periodic[axis] {
		below = n - 1
	}
	r := 1 / v
	if below >= 0 && below&1 == 1 {
		r += half(a[c-s])
	}
	if g+1 < n {
		r += half(a[c+s])
	}
	return 1 / r
}

// CoarsenFaces computes the coefficient of the lower face, across an axis, of coarse cell (i, j, k): links in
// parallel.
//
//atoll:kernel
func CoarsenFaces[F num.Float](i, j, k int, axis int32, t *Transfer, fine, coarse []F) {
	x, nx := t.children(0, i)
	y, ny := t.children(1, j)
	z, nz := t.children(2, k)
	first, g := [3]int{x, y, z}, 0
	if g = int(t.Lo[axis]) + first[axis]; g > int(t.Cells[axis]) { // the upper side of an odd number of cells
		g--
		first[axis]--
	}
	if axis == 0 {
		nx = 1
	} else if axis == 1 {
		ny = 1
	} else {
		nz = 1
	}
	sum := F(0)
	for c := range nz {
		for b := range ny {
			for a := range nx {
				sum += link(axis, t, g, t.Fine.at(first[0]+a, first[1]+b, first[2]+c), fine)
			}
		}
	}
	coarse[t.Coarse.at(i, j, k)] = sum
}

// Weigh computes the weight with which cell (i, j, k) takes the next coarse cell along an axis: that on the side of
// the fine cell's neighbour in it. Its own coarse cell has the rest.
//
//atoll:kernel
func Weigh[F num.Float](i, j, k int, axis int32, t *Transfer, a, w []F) {
	c, s, n := t.Fine.at(i, j, k), t.Fine.stride(axis), int(t.Cells[axis])
	at := [3]int{i, j, k}
	g := int(t.Lo[axis]) + at[axis]
	inner, between, beyond := F(0), F(0), F(0)
	if g&1 == 1 {
		inner, between = a[c], a[c+s]
		next := g + 1
		if next == n && t.Periodic[axis] {
			next = 0
		}
		if next+1 < n {
			beyond = half(a[c+2*s])
		}
	} else if g+1 < n {
		inner, between = a[c+s], a[c]
		next := g - 1
		if next < 0 && t.Periodic[axis] {
			next = n - 1
		}
		if next >= 0 && next&1 == 1 {
			beyond = half(a[c-s])
		}
	}
	weight := F(0)
	if between > 0 {
		own := half(inner)
		weight = own / (own + 1/between + beyond)
	}
	w[c] = weight
}

// Weights are the weights of interpolation along each axis.
//
//atoll:constant
type Weights[F num.Float] struct{ X, Y, Z []F }

// Restrict computes the right-hand side of coarse cell (i, j, k) from residuals, with the transposed interpolation:
// from its own fine cells, and those next to them.
//
//atoll:kernel lanes
func Restrict[F num.Float](i, j, k int, t *Transfer, w *Weights[F], r, b []F) {
	x0, x1, nx := t.gather(0, i)
	y0, y1, ny := t.gather(1, j)
	z0, z1, nz := t.gather(2, k)
	sum := F(0)
	for c := range nz {
		z := z0 + c
		for a := range ny {
			y := y0 + a
			first := t.Fine.at(x0, y, z)
			for n := range nx {
				at := first + n
				v := r[at]
				if t.Halved[0] {
					v *= share(w.X[at], n >= 1 && x0+n <= x1)
				}
				if t.Halved[1] {
					v *= share(w.Y[at], a >= 1 && y <= y1)
				}
				if t.Halved[2] {
					v *= share(w.Z[at], c >= 1 && z <= z1)
				}
				sum += v
			}
		}
	}
	b[t.Coarse.at(i, j, k)] = sum
}

// gather returns the first fine cell along an axis that coarse cell i gathers from, the last of its own, and the
// number of those to gather from.
func (t *Transfer) gather(axis int32, i int) (first, last, n int) {
	first, n = t.children(axis, i)
	last = first + n - 1
	if t.Halved[axis] {
		first--
		n += 2
	}
	return first, last, n
}

// share is the part of a fine cell's number that belongs to its own coarse cell, or to the next one.
func share[F num.Float](w F, own bool) F {
	if own {
		return 1 - w
	}
	return w
}

// Prolong adds the interpolation of the coarse solution to x.
//
//atoll:kernel lanes
func Prolong[F num.Float](i, j, k int, t *Transfer, w *Weights[F], coarse, x, out []F) {
	c := t.Fine.at(i, j, k)
	a, dx := t.parent(0, i)
	b, dy := t.parent(1, j)
	d, dz := t.parent(2, k)
	at := t.Coarse.at(a, b, d)
	sy, sz := dy*int(t.Coarse.SY), dz*int(t.Coarse.SZ)
	wx, wy := F(0), F(0)
	if t.Halved[0] {
		wx = w.X[c]
	}
	if t.Halved[1] {
		wy = w.Y[c]
	}
	v := bilinear(coarse, at, dx, sy, wx, wy)
	if t.Halved[2] {
		wz := w.Z[c]
		v = (1-wz)*v + wz*bilinear(coarse, at+sz, dx, sy, wx, wy)
	}
	out[c] = x[c] + v
}

// parent returns the coarse cell of fine cell i along an axis, and the step to the next one that it is interpolated
// from.
func (t *Transfer) parent(axis int32, i int) (coarse, step int) {
	if !t.Halved[axis] {
		return i, 0
	}
	if i&1 == 1 {
		return i / 2, 1
	}
	return i / 2, -1
}

func bilinear[F num.Float](x []F, c, dx, dy int, wx, wy F) F {
	return (1-wy)*((1-wx)*x[c]+wx*x[c+dx]) + wy*((1-wx)*x[c+dy]+wx*x[c+dy+dx])
}
