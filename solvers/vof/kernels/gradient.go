package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Gradients is the gradient of a field by Green and Gauss, equation (2) of Francois, Lo and Sewell (ASME 2014): the
// fractions of a cell's faces are averages over their vertices, those of the vertices over their cells.
//
//atoll:constant
type Gradients[F num.Float] struct {
	Lattice
	H          [3]F // sides of a cell
	F          []F
	DX, DY, DZ []F // DZ in space only
}

//atoll:kernel
func Gradient2[F num.Float](i, j int, g *Gradients[F]) {
	c, sy := g.at(i, j, 0), int(g.SY)
	s, m, n := g.F[c-sy-1:c-sy+2], g.F[c-1:c+2], g.F[c+sy-1:c+sy+2]
	mx := (s[0] - s[2]) + 2*(m[0]-m[2]) + (n[0] - n[2])
	my := (s[0] - n[0]) + 2*(s[1]-n[1]) + (s[2] - n[2])
	g.DX[c], g.DY[c] = mx*(-1/(8*g.H[0])), my*(-1/(8*g.H[1]))
}

// put2 stores the gradient of cell c with the stencil q. x and y are factors, -1/(8 h): most gradients are zero, and
// division of zero is slow on a GPU.
func (g *Gradients[F]) put2(c int, q *stencil2[F], x, y F) {
	mx, my := q.youngs()
	g.DX[c], g.DY[c] = mx*x, my*y
}

// triple is a cell and its neighbours along x.
type triple[F num.Float] struct{ w, c, e F }

func (g *Gradients[F]) triple(c int) triple[F] { return triple[F]{g.F[c-1], g.F[c], g.F[c+1]} }

func stacked[F num.Float](s, c, n *triple[F]) stencil2[F] {
	return stencil2[F]{s.w, s.c, s.e, c.w, c.c, c.e, n.w, n.c, n.e}
}

// GradientRows is the number of cells along y that an index of GradientRows2 computes.
const GradientRows = 4

// GradientRows2 is Gradient2 for cells (i, 4j) to (i, 4j+3). It reads all input before it writes, so that a GPU waits
// once for memory, and each value once except for the adjacent rows.
//
//atoll:kernel
func GradientRows2[F num.Float](i, j int, g *Gradients[F]) {
	c, sy := g.at(i, GradientRows*j, 0), int(g.SY)
	below, a, b := g.triple(c-sy), g.triple(c), g.triple(c+sy)
	d, e, above := g.triple(c+2*sy), g.triple(c+3*sy), g.triple(c+4*sy)
	x, y := -1/(8*g.H[0]), -1/(8*g.H[1])
	q := stacked(&below, &a, &b)
	g.put2(c, &q, x, y)
	q = stacked(&a, &b, &d)
	g.put2(c+sy, &q, x, y)
	q = stacked(&b, &d, &e)
	g.put2(c+2*sy, &q, x, y)
	q = stacked(&d, &e, &above)
	g.put2(c+3*sy, &q, x, y)
}

//atoll:kernel
func Gradient3[F num.Float](i, j, k int, g *Gradients[F]) {
	c := g.at(i, j, k)
	q := stencil3At(g.F, c, int(g.SY), int(g.SZ))
	mx, my, mz := q.youngs()
	g.DX[c], g.DY[c], g.DZ[c] = mx*(-1/(32*g.H[0])), my*(-1/(32*g.H[1])), mz*(-1/(32*g.H[2]))
}

// Curvatures computes the curvature in mixed cells from height functions, in 1/m and positive for a ball of fluid.
// Pure cells and those without heights get None.
//
//atoll:constant
type Curvatures[F num.Float] struct {
	Lattice
	H      [3]F
	None   F
	F, Out []F
}

//atoll:kernel
func Curvature2[F num.Float](i, j int, v *Curvatures[F]) {
	c := v.at(i, j, 0)
	out := v.None
	if f := v.F[c]; f > 0 && f < 1 {
		// found is the curvature
		_, _, found, ok := heights2(v.F, c, int(v.SY), v.H[0], v.H[1])
		if ok {
			out = found
		}
	}
	v.Out[c] = out
}

//atoll:kernel
func Curvature3[F num.Float](i, j, k int, v *Curvatures[F]) {
	c := v.at(i, j, k)
	out := v.None
	if f := v.F[c]; f > 0 && f < 1 {
		// found is the curvature
		_, _, _, found, ok := heights3(v.F, c, int(v.SY), int(v.SZ), v.H[0], v.H[1], v.H[2])
		if ok {
			out = found
		}
	}
	v.Out[c] = out
}
