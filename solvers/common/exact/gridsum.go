package exact

import "math"

// GridSum is a sum of many numbers of known bound whose result does not depend on their order, for dot products in
// iterations: each number is rounded to a multiple of a first grid, the rest to one of a second, and the sums of these
// multiples are exact. It takes little longer than a plain sum, and its error is that of n³·2⁻¹⁰⁸ bounds.
type GridSum struct {
	big      [2]float64
	bound    float64
	sum      [2]float64
	exceeded int64 // a number was beyond the bound or not finite: the sum is not valid
}

// Reset begins a sum of at most n numbers over all ranks, none larger than bound.
func (g *GridSum) Reset(n int64, bound float64) {
	*g = GridSum{bound: bound}
	_, bits := math.Frexp(float64(max(n, 4)))
	_, exponent := math.Frexp(bound)
	unit := math.Ldexp(1, bits+exponent-53)
	g.big[0] = 1.5 * math.Ldexp(unit, 52)
	unit = math.Ldexp(unit, bits-54)
	g.big[1] = 1.5 * math.Ldexp(unit, 52)
}

// Part returns an empty sum of the same grids, for a thread.
func (g *GridSum) Part() GridSum { return GridSum{big: g.big, bound: g.bound} }

// Add adds a number.
func (g *GridSum) Add(v float64) {
	if !(v <= g.bound && v >= -g.bound) {
		g.exceeded = 1
		return
	}
	q := (v + g.big[0]) - g.big[0]
	g.sum[0] += q
	g.sum[1] += ((v - q) + g.big[1]) - g.big[1]
}

// AddProducts adds the products of the elements of two arrays.
func (g *GridSum) AddProducts(a, b []float64) {
	b = b[:len(a)]
	big0, big1, bound, sum0, sum1, beyond := g.big[0], g.big[1], g.bound, g.sum[0], g.sum[1], false
	for i, x := range a {
		v := x * b[i]
		beyond = beyond || !(math.Abs(v) <= bound)
		q := (v + big0) - big0
		sum0 += q
		sum1 += ((v - q) + big1) - big1
	}
	if g.sum[0], g.sum[1] = sum0, sum1; beyond {
		g.exceeded = 1
	}
}

// Merge adds the numbers of another sum of the same grids.
func (g *GridSum) Merge(p *GridSum) {
	g.sum[0] += p.sum[0]
	g.sum[1] += p.sum[1]
	g.exceeded |= p.exceeded
}

// Value returns the sum, and whether it is valid.
func (g *GridSum) Value() (float64, bool) { return g.sum[0] + g.sum[1], g.exceeded == 0 }

// Words returns the sum as integers, which ranks add up: multiples of both grids, below 2^53, and whether the sum is
// not valid. SetWords sets it to the result.
func (g *GridSum) Words() (words [3]int64) {
	for k := range g.sum {
		words[k] = int64(g.sum[k] / g.unit(k))
	}
	words[2] = g.exceeded
	return words
}

func (g *GridSum) SetWords(words [3]int64) {
	for k := range g.sum {
		g.sum[k] = float64(words[k]) * g.unit(k)
	}
	g.exceeded = words[2]
}

// unit returns the spacing of a grid.
func (g *GridSum) unit(k int) float64 { return g.big[k] / (1.5 * (1 << 52)) }
