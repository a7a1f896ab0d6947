package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Methods to find a normal.
const (
	Youngs  int32 = iota // the 9-point or 27-point gradient, on a uniform grid the same as that of Green-Gauss
	Mixed                // mixed Youngs-centred (Aulisa et al., J. Comput. Phys. 225, 2007)
	ELVIRA               // Pilliod and Puckett, J. Comput. Phys. 199, 2004
	LVIRA                // the minimum, over all slopes, of ELVIRA's residual with a smaller weight of the corners
	Heights              // centred differences of height functions, Mixed where they fail
)

// stencil2 is the volume fractions of a cell and its neighbours, named by the compass.
type stencil2[F num.Float] struct{ sw, s, se, w, c, e, nw, n, ne F }

func stencil2At[F num.Float](f []F, c, sy int) stencil2[F] {
	return stencil2[F]{f[c-sy-1], f[c-sy], f[c-sy+1], f[c-1], f[c], f[c+1], f[c+sy-1], f[c+sy], f[c+sy+1]}
}

// normal2 computes the normal in cell c by the method way: Youngs, Mixed and so on. difference is the step of LVIRA's
// finite differences.
func normal2[F num.Float](f []F, c, sy int, way int32, difference F) (mx, my F) {
	if way == Heights {
		return simple2(f, c, sy, way)
	}
	q := stencil2At(f, c, sy)
	return q.normal(way, difference)
}

// simple2 is normal2 for Youngs, Mixed and Heights. A kernel without the other methods needs half the registers.
func simple2[F num.Float](f []F, c, sy int, way int32) (mx, my F) {
	if way == Heights {
		mx, my, _, ok := heights2(f, c, sy, 1, 1)
		if ok {
			return mx, my
		}
	}
	q := stencil2At(f, c, sy)
	return q.simple(way)
}

// normal computes the normal from the nine cells by any method except Heights.
func (q *stencil2[F]) normal(way int32, difference F) (mx, my F) {
	switch way {
	case ELVIRA:
		return q.elvira()
	case LVIRA:
		return q.lvira(difference)
	}
	return q.simple(way)
}

// simple computes the normal by Youngs or Mixed.
func (q *stencil2[F]) simple(way int32) (mx, my F) {
	if way == Youngs {
		return q.youngs()
	}
	return q.mixed()
}

func (q *stencil2[F]) youngs() (mx, my F) {
	return (q.sw - q.se) + 2*(q.w-q.e) + (q.nw - q.ne), (q.sw - q.nw) + 2*(q.s-q.n) + (q.se - q.ne)
}

// fluidSide returns 1 if the fluid lies below, -1 if above.
func fluidSide[F num.Float](below, above F) F {
	if below >= above {
		return 1
	}
	return -1
}

// mixed returns the one of the two centred normals that is better aligned with its axis, or Youngs' if that is less
// aligned.
func (q *stencil2[F]) mixed() (mx, my F) {
	w, e := q.sw+q.w+q.nw, q.se+q.e+q.ne
	s, n := q.sw+q.s+q.se, q.nw+q.n+q.ne
	x, y := (w-e)/2, (s-n)/2
	var own F
	if num.Abs(x) <= num.Abs(y) { // heights along y
		mx, my = x, fluidSide(s, n)
		own = 1 / (1 + num.Abs(x))
	} else {
		mx, my = fluidSide(w, e), y
		own = 1 / (1 + num.Abs(y))
	}
	yx, yy := q.youngs()
	if sum := num.Abs(yx) + num.Abs(yy); sum >= geom.Faint && num.Larger(num.Abs(yx), num.Abs(yy)) < own*sum {
		return yx, yy
	}
	return mx, my
}

// residual returns Σ(f - f~)² over the neighbours, with f~ from the line that gives the centre's volume fraction; at
// corners w (f - f~) is used.
func (q *stencil2[F]) residual(mx, my, w F) F {
	a := geom.LineConstant(mx, my, q.c)
	d := w * (geom.Area(mx, my, a+mx+my) - q.sw)
	sum := d * d
	d = geom.Area(mx, my, a+my) - q.s
	sum += d * d
	d = w * (geom.Area(mx, my, a-mx+my) - q.se)
	sum += d * d
	d = geom.Area(mx, my, a+mx) - q.w
	sum += d * d
	d = geom.Area(mx, my, a-mx) - q.e
	sum += d * d
	d = w * (geom.Area(mx, my, a+mx-my) - q.nw)
	sum += d * d
	d = geom.Area(mx, my, a-my) - q.n
	sum += d * d
	d = w * (geom.Area(mx, my, a-mx-my) - q.ne)
	return sum + d*d
}

// elvira selects from six slopes, left, centred and right differences along either axis, the one with the smallest
// residual.
func (q *stencil2[F]) elvira() (mx, my F) {
	w, m, e := q.sw+q.w+q.nw, q.s+q.c+q.n, q.se+q.e+q.ne
	s, o, n := q.sw+q.s+q.se, q.w+q.c+q.e, q.nw+q.n+q.ne
	up, right := fluidSide(s, n), fluidSide(w, e)
	best := F(1e9)
	for k := range 6 {
		x, y := right, up
		switch k {
		case 0:
			x = (w - e) / 2
		case 1:
			x = w - m
		case 2:
			x = m - e
		case 3:
			y = (s - n) / 2
		case 4:
			y = s - o
		case 5:
			y = o - n
		}
		if r := q.residual(x, y, 1); r < best {
			best, mx, my = r, x, y
		}
	}
	return mx, my
}

// diagonalWeight2 is the weight of corner neighbours in LVIRA, at which a curved interface deviates most from a line.
// With a weight of 1 errors of the reversed vortex are up to twice as large (T = 8, 128²).
const diagonalWeight2 = 1. / 16

// lvira minimises the residual, beginning with ELVIRA's normal, by Newton's method for the zero of its derivative, with
// central differences of step difference. A step is at most 0.1, and 0.1 against the slope where the residual is not
// convex. It is divided by 4 until the residual decreases.
func (q *stencil2[F]) lvira(difference F) (mx, my F) {
	mx, my = q.elvira()
	steep := num.Abs(mx) > num.Abs(my)
	if steep {
		mx, my = mx/num.Abs(mx), my/num.Abs(mx)
	} else {
		mx, my = mx/num.Abs(my), my/num.Abs(my)
	}
	best := q.residual(mx, my, diagonalWeight2)
	for range 8 {
		if best <= difference*difference*difference*difference {
			break
		}
		dx, dy := difference, F(0)
		if steep {
			dx, dy = 0, difference
		}
		above, below := q.residual(mx+dx, my+dy, diagonalWeight2), q.residual(mx-dx, my-dy, diagonalWeight2)
		slope, bend := (above-below)/2, above-2*best+below
		turn := F(0.1) / difference // the step, in units of difference
		if slope > 0 {
			turn = -turn
		}
		if bend > 0 && num.Abs(slope) < num.Abs(turn)*bend {
			turn = -slope / bend
		}
		better := false
		for range 6 {
			if r := q.residual(mx+turn*dx, my+turn*dy, diagonalWeight2); r < best {
				mx, my, best, better = mx+turn*dx, my+turn*dy, r, true
				break
			}
			turn /= 4
		}
		if !better {
			break
		}
	}
	return mx, my
}
