package kernels

// Gradients is the gradient of a field by Green and Gauss, equation (2) of Francois, Lo and Sewell (ASME 2014): the
// fractions of a cell's faces are averages over their vertices, those of the vertices over their cells.
//
//atoll:constant
type Gradients[F Float] struct {
	Lattice
	H          [3]F // sides of a cell
	F          []F
	DX, DY, DZ []F // DZ in space only
}

//atoll:kernel block=256
func Gradient2[F Float](i, j int, g *Gradients[F]) {
	c := g.at(i, j, 0)
	q := around2(g.F, c, int(g.SY))
	mx, my := q.youngs()
	g.DX[c], g.DY[c] = -mx/(8*g.H[0]), -my/(8*g.H[1])
}

//atoll:kernel
func Gradient3[F Float](i, j, k int, g *Gradients[F]) {
	c := g.at(i, j, k)
	q := around3(g.F, c, int(g.SY), int(g.SZ))
	mx, my, mz := q.youngs()
	g.DX[c], g.DY[c], g.DZ[c] = -mx/(32*g.H[0]), -my/(32*g.H[1]), -mz/(32*g.H[2])
}

// Curvatures is the curvature from height functions in mixed cells, in 1/m and positive for a ball of fluid. Cells that
// are pure or whose heights do not exist get None.
//
//atoll:constant
type Curvatures[F Float] struct {
	Lattice
	H      [3]F
	None   F
	F, Out []F
}

//atoll:kernel
func Curvature2[F Float](i, j int, v *Curvatures[F]) {
	c := v.at(i, j, 0)
	out := v.None
	if f := v.F[c]; f > 0 && f < 1 {
		_, _, found, ok := heights2(v.F, c, int(v.SY), v.H[0], v.H[1])
		if ok {
			out = found
		}
	}
	v.Out[c] = out
}

//atoll:kernel
func Curvature3[F Float](i, j, k int, v *Curvatures[F]) {
	c := v.at(i, j, k)
	out := v.None
	if f := v.F[c]; f > 0 && f < 1 {
		_, _, _, found, ok := heights3(v.F, c, int(v.SY), int(v.SZ), v.H[0], v.H[1], v.H[2])
		if ok {
			out = found
		}
	}
	v.Out[c] = out
}
