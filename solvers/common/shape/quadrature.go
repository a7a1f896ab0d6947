package shape

import (
	"math"
	"slices"
)

// Fraction returns the volume fraction of the body in a cell. For analytic bodies and their combinations it is exact
// up to 1e-11. For other bodies it is a quadrature: lengths along the axis nearest to the normal are integrated over
// the other axes by adaptive Gauss–Kronrod rules, between the positions where the interface crosses edges of the
// cell. For smooth bodies with radii of three cells and more the fractions add up to the volume within 1e-12. A cell
// into which the interface enters between corners is divided first. If the Slope is not known, it is estimated from
// the corners; bodies and gaps much smaller than a cell may then be missed.
func (b Body) Fraction(c Cell) float64 {
	if b.tree != nil {
		return b.tree.exactFraction(&c)
	}
	return b.fraction(c, 3)
}

// fraction divides a cell at most `levels` times.
func (b Body) fraction(c Cell, levels int) float64 {
	var middle [3]float64
	diagonal := 0.0
	for d := range 3 {
		middle[d] = c.Lo[d]
		if d < c.Dim {
			middle[d] += c.H[d] / 2
			diagonal += c.H[d] * c.H[d] / 4
		}
	}
	v := b.Phi(middle[0], middle[1], middle[2])
	pure := 0.0
	if v < 0 {
		pure = 1
	}
	if b.Slope > 0 && math.Abs(v) > b.Slope*math.Sqrt(diagonal) {
		return pure
	}
	sameSign, change := true, 0.0
	for k := range 1 << c.Dim {
		at := c.corner(k)
		w := b.Phi(at[0], at[1], at[2])
		sameSign = sameSign && v < 0 == (w < 0)
		change = max(change, math.Abs(w-v))
	}
	if sameSign && b.Slope == 0 && math.Abs(v) > 2*change {
		return pure
	}
	if sameSign && levels > 0 {
		sum := 0.0
		part := c
		for d := range c.Dim {
			part.H[d] /= 2
		}
		for k := range 1 << c.Dim {
			part.Lo = c.Lo
			for d := range c.Dim {
				part.Lo[d] += float64(k>>d&1) * part.H[d]
			}
			sum += b.fraction(part, levels-1)
		}
		return sum / float64(int(1)<<c.Dim)
	}
	return b.integrated(c, middle)
}

// corner returns a corner of the cell; bit d of k is its position along axis d.
func (c *Cell) corner(k int) [3]float64 {
	at := c.Lo
	for d := range c.Dim {
		at[d] += float64(k>>d&1) * c.H[d]
	}
	return at
}

func (b Body) integrated(c Cell, middle [3]float64) float64 {
	q := quadrature{body: b, cell: c}
	// Choose the axis along which the level set changes most between opposite sides.
	most := -1.0
	for d := range c.Dim {
		below, above := middle, middle
		below[d], above[d] = c.Lo[d], c.Lo[d]+c.H[d]
		if v := math.Abs(b.Phi(above[0], above[1], above[2]) - b.Phi(below[0], below[1], below[2])); v > most {
			most, q.axes[0] = v, d
		}
	}
	n := 1
	for d := range c.Dim {
		if d != q.axes[0] {
			q.axes[n] = d
			n++
		}
	}
	q.at = c.Lo
	return min(1, max(0, q.part(c.Dim-1)))
}

type quadrature struct {
	body Body
	cell Cell
	axes [3]int // lengths lie along the first
	at   [3]float64
}

// part returns the fraction inside the body of the line, rectangle or box that the first n+1 axes span at q.at.
func (q *quadrature) part(n int) float64 {
	axis := q.axes[n]
	lo, h := q.cell.Lo[axis], q.cell.H[axis]
	cuts := []float64{0, 1}
	if n == 0 {
		return q.length(&cuts)
	}
	for edge := range 1 << n { // edges along this axis
		for d := range n {
			a := q.axes[d]
			q.at[a] = q.cell.Lo[a] + float64(edge>>d&1)*q.cell.H[a]
		}
		q.roots(axis, &cuts)
	}
	slices.Sort(cuts)
	fractionAt := func(x float64) float64 {
		q.at[axis] = lo + x*h
		return q.part(n - 1)
	}
	sum := 0.0
	for k := 1; k < len(cuts); k++ {
		if cuts[k] > cuts[k-1] {
			sum += integral(fractionAt, cuts[k-1], cuts[k], 1e-14, 30)
		}
	}
	return sum
}

// length returns the fraction inside the body of the line along the first axis.
func (q *quadrature) length(cuts *[]float64) float64 {
	axis := q.axes[0]
	q.roots(axis, cuts)
	slices.Sort(*cuts)
	sum := 0.0
	for k := 1; k < len(*cuts); k++ {
		a, b := (*cuts)[k-1], (*cuts)[k]
		if q.phi(axis, (a+b)/2) < 0 {
			sum += b - a
		}
	}
	return sum
}

// phi is the level set at fraction x along the axis.
func (q *quadrature) phi(axis int, x float64) float64 {
	q.at[axis] = q.cell.Lo[axis] + x*q.cell.H[axis]
	return q.body.Phi(q.at[0], q.at[1], q.at[2])
}

// roots adds the positions where the level set changes its sign along the axis, sampled at eight intervals.
func (q *quadrature) roots(axis int, cuts *[]float64) {
	const parts = 8
	x0, v0 := 0.0, q.phi(axis, 0)
	for k := 1; k <= parts; k++ {
		x1 := float64(k) / parts
		v1 := q.phi(axis, x1)
		if v0 < 0 != (v1 < 0) {
			*cuts = append(*cuts, q.root(axis, x0, x1, v0, v1))
		}
		x0, v0 = x1, v1
	}
}

// root returns the sign change between x0 and x1 by the Illinois method (modified false position).
func (q *quadrature) root(axis int, x0, x1, v0, v1 float64) float64 {
	last := 0
	for range 60 {
		x := x0 - v0*(x1-x0)/(v1-v0)
		if !(x > x0 && x < x1) || x1-x0 < 1e-15 {
			return min(x1, max(x0, x))
		}
		v := q.phi(axis, x)
		if v < 0 == (v0 < 0) {
			if x-x0 < 1e-16 {
				return x
			}
			x0, v0 = x, v
			if last < 0 {
				v1 /= 2
			}
			last = -1
		} else {
			x1, v1 = x, v
			if last > 0 {
				v0 /= 2
			}
			last = 1
		}
	}
	return (x0 + x1) / 2
}

// Nodes and weights of the 15-point Kronrod rule, and weights of the embedded 7-point Gauss rule.
var (
	kronrodNode = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
		0.864864423359769072789712788640926, 0.741531185599394439863864773280788, 0.586087235467691130294144691693840,
		0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0}
	kronrodWeight = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
		0.104790010322250183839876322541518, 0.140653259715525918745189590510238, 0.169004726639267902826583426598550,
		0.190350578064785409913256402421014, 0.204432940075298892414161999234649, 0.209482141084727828012999174891714}
	gaussWeight = [8]float64{0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
		0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327}
)

// integral halves [a, b] until the two rules agree to tol, at most depth times.
func integral(f func(float64) float64, a, b, tol float64, depth int) float64 {
	middle, half := (a+b)/2, (b-a)/2
	v := f(middle)
	kronrod, gauss := kronrodWeight[7]*v, gaussWeight[7]*v
	for k := range 7 {
		v := f(middle-half*kronrodNode[k]) + f(middle+half*kronrodNode[k])
		kronrod += kronrodWeight[k] * v
		gauss += gaussWeight[k] * v
	}
	if depth == 0 || math.Abs(kronrod-gauss)*half <= tol {
		return kronrod * half
	}
	return integral(f, a, middle, tol, depth-1) + integral(f, middle, b, tol, depth-1)
}
