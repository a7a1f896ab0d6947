package levels

import (
	"math"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Scale is the unit of a sum: the power of two above the largest addend.
type Scale struct{ Scale, Unscale float64 }

// Iteration is the state of conjugate gradients.
type Iteration struct {
	Product, Alpha, Beta float64 // product of residual and preconditioned residual; lengths of steps
	Mean                 float64 // that is subtracted from the residual of a singular system
	Tolerance            float64 // of the largest residual
	Residual             float64 // the largest one
	Count                int64   // iterations of this solution
}

// Sums are fixed-point numbers in two words, with 30 and 60 bits after the point: a number of magnitude at most 1 is
// rounded to a multiple of 2^-30, and the rest to one of 2^-60. The words add up without rounding, so that a sum does
// not depend on the order; up to 2^32 numbers fit.
const (
	highOnes, highBits = 0x1.8p22, 0x4158 << 48
	lowOnes, lowBits   = 0x1.8p-8, 0x3f78 << 48

	threads = 128
	chunk   = 8 * threads
	block   = 256 // of which a number with 53 bits holds the words' sums
)

// Chunks returns the number of chunks of n numbers, for AddProducts.
func Chunks(n int) int { return (n + chunk - 1) / chunk }

// Prepare prepares a sum of numbers whose largest magnitude is bound, which it resets.
//
//atoll:kernel
func Prepare[F num.Float](i int, bound *atomics.Most[F], s *Scale, sum []int64) {
	v := float64(bound.Value())
	bound.Reset()
	setScale(v, s)
	sum[i] = 0
	sum[i+1] = 0
}

// PrepareProducts prepares the sum of the products of a residual and its quotient by the diagonal of the matrix. The
// largest quotient is the iteration's Residual, and heaviest the largest coefficient of the diagonal.
//
//atoll:kernel
func PrepareProducts[F num.Float](i int, it *Iteration, heaviest *atomics.Most[F], s *Scale, sum []int64) {
	setScale(it.Residual*it.Residual*float64(heaviest.Value()), s)
	sum[i] = 0
	sum[i+1] = 0
}

func setScale(v float64, s *Scale) {
	s.Scale, s.Unscale = 0, 0
	if v-v != 0 && v > 0 || v != v {
		s.Unscale = math.NaN()
	} else if v > 0 {
		e := int(math.Float64bits(v)>>52) - 1022 // v < 2^e
		s.Scale, s.Unscale = powerOfTwo(-e), powerOfTwo(e)
	}
}

// powerOfTwo returns 2^n for |n| below 1023.
func powerOfTwo(n int) float64 {
	base, power := 2.0, 1.0
	if n < 0 {
		base, n = 0.5, -n
	}
	for n > 0 {
		if n&1 == 1 {
			power *= base
		}
		base *= base
		n /= 2
	}
	return power
}

// value is a sum that Prepare has begun: NaN if a number was not finite.
func (s *Scale) value(sum []int64) float64 {
	return s.Unscale * (float64(sum[0])*0x1p-30 + float64(sum[1])*0x1p-60)
}

// AddProducts adds the products of the numbers of chunk t of x and y, or with plain those of x.
//
//atoll:kernel tile block=128
func AddProducts[F num.Float](t int, plain bool, s *Scale, x, y []F, sum []int64, high, low *[threads]int64) {
	for k := range int32(threads) {
		h, l := int64(0), int64(0)
		for n := range 8 {
			at := t*chunk + n*threads + int(k)
			if at < len(x) {
				v := float64(x[at])
				if !plain {
					v *= float64(y[at])
				}
				v *= s.Scale
				top := v + highOnes
				rest := v - (top - highOnes) + lowOnes
				h += int64(math.Float64bits(top)) - highBits
				l += int64(math.Float64bits(rest)) - lowBits
			}
		}
		high[k] = h
		low[k] = l
	}
	for k := range int32(8) {
		h, l := int64(0), int64(0)
		for n := k * 16; n < (k+1)*16; n++ {
			h += high[n]
			l += low[n]
		}
		if h != 0 {
			atomic.AddInt64(&sum[0], h)
		}
		if l != 0 {
			atomic.AddInt64(&sum[1], l)
		}
	}
}

// SumBlocks returns the number of blocks of n numbers, for AddBlock.
func SumBlocks(n int) int { return (n + block - 1) / block }

// AddBlock does for block b what AddProducts does for a chunk, to the bit. On processors each lane of a vector has a
// block of its own.
//
//atoll:kernel lanes plain=false,true
func AddBlock[F num.Float](b int, plain bool, s *Scale, x, y []F, sum []int64) {
	high, low := 0.0, 0.0 // both are exact
	for n := range block {
		at := b*block + n
		//atoll:mostly
		if at < len(x) {
			v := float64(x[at])
			if !plain {
				v *= float64(y[at])
			}
			v *= s.Scale
			top := v + highOnes - highOnes
			rest := v - top + lowOnes - lowOnes
			high += top
			low += rest
		}
	}
	atomic.AddInt64(&sum[0], int64(high*0x1p30))
	atomic.AddInt64(&sum[1], int64(low*0x1p60))
}

// MaxProduct returns the magnitude of a product.
//
//atoll:kernel lanes max
func MaxProduct[F num.Float](i int, x, y []F) F { return num.Abs(x[i] * y[i]) }

// SetMean computes the mean of n cells from their sum.
//
//atoll:kernel
func SetMean(i int, n float64, s *Scale, sum []int64, it *Iteration) {
	it.Mean = s.value(sum) / n
}

// Subtract subtracts the mean from the residual of a cell, and returns its magnitude.
//
//atoll:kernel max
func Subtract[F num.Float](i, j, k int, l *Lattice, it *Iteration, r []F) F {
	c := l.at(i, j, k)
	v := r[c] - F(it.Mean)
	r[c] = v
	return num.Abs(v)
}

// Begin begins iterations from the largest residual, which it resets.
//
//atoll:kernel
func Begin[F num.Float](i int, residual *atomics.Most[F], it *Iteration, done []int32) {
	it.Residual = float64(residual.Value())
	residual.Reset()
	it.Product, it.Alpha, it.Beta, it.Count = 0, 0, 0, 0
	done[i] = 0
	if it.Residual <= it.Tolerance {
		done[i] = 1
	}
}

// Turn computes the length β of the old direction in the new one, from the product of residual and preconditioned
// residual.
//
//atoll:kernel
func Turn(i int, s *Scale, sum []int64, it *Iteration, done []int32) {
	product := s.value(sum)
	it.Beta = 0
	if it.Count > 0 && it.Product != 0 {
		it.Beta = product / it.Product
	}
	if done[i] == 0 {
		it.Product = product
	}
}

// Direct computes the new direction.
//
//atoll:kernel lanes
func Direct[F num.Float](i, j, k int, l *Lattice, it *Iteration, z, d []F) {
	c := l.at(i, j, k)
	d[c] = z[c] + F(it.Beta)*d[c]
}

// Measure computes the length α of the step from the product of the direction d and A d; 0 once the iterations are
// done.
//
//atoll:kernel
func Measure(i int, s *Scale, sum []int64, it *Iteration, done []int32) {
	product := s.value(sum)
	it.Alpha = 0
	if done[i] == 0 && product != 0 {
		it.Alpha = it.Product / product
	}
}

// Step takes the step in a cell, and returns the magnitude of the residual.
//
//atoll:kernel lanes max
func Step[F num.Float](i, j, k int, l *Lattice, it *Iteration, d, q, x, r []F) F {
	c := l.at(i, j, k)
	alpha := F(it.Alpha)
	x[c] += alpha * d[c]
	v := r[c] - alpha*q[c]
	r[c] = v
	return num.Abs(v)
}

// Judge ends the iterations if the largest residual, which it resets, is within the tolerance, or after the most.
//
//atoll:kernel
func Judge[F num.Float](i int, most int64, residual *atomics.Most[F], it *Iteration, done []int32) {
	if done[i] == 0 {
		it.Residual = float64(residual.Value())
		it.Count++
		if it.Residual <= it.Tolerance || it.Count >= most {
			done[i] = 1
		}
	}
	residual.Reset()
}
