// Package language has a kernel for each construct of Go that kernels may contain. Tests run the kernels in Go and in
// translation, and compare the results.
package language

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen

import "math"

type Float interface{ float32 | float64 }

// Results holds the results of every operator and function on floats for a pair of numbers.
type Results[F Float] struct {
	Sum, Difference, Product, Quotient, Negative F
	Root, Size, Floor, Ceil, Trunc, Signed       F
	Min, Max, Min3, MathMin, MathMax             F
	Single, Double                               F
	Pattern                                      uint64 // of a number that is not a NaN
	Less, Equal, LessOrUnordered, NaN, Infinite  bool
}

//atoll:kernel
func Arithmetic[F Float](i int, x, y []F, out []Results[F]) {
	a, b := x[i], y[i]
	out[i] = Results[F]{
		Sum: a + b, Difference: a - b, Product: a * b, Quotient: a / b, Negative: -a,
		Root: F(math.Sqrt(float64(a))), Size: F(math.Abs(float64(a))), Floor: F(math.Floor(float64(a))),
		Ceil: F(math.Ceil(float64(a))), Trunc: F(math.Trunc(float64(a))), Signed: F(math.Copysign(float64(a), float64(b))),
		Min: min(a, b), Max: max(a, b), Min3: min(a, b, 1), MathMin: F(math.Min(float64(a), float64(b))),
		MathMax: F(math.Max(float64(a), float64(b))),
		Single:  F(float32(a) * float32(b)), Double: F(float64(a) / float64(b)),
		Less: a < b, Equal: a == b, LessOrUnordered: a != b && !(a >= b), NaN: math.IsNaN(float64(a)),
		Infinite: math.IsInf(float64(a), 1) || math.IsInf(float64(b), -1),
	}
	if a == a {
		out[i].Pattern = math.Float64bits(float64(a))
	}
}

// Constants are exact: those that a float cannot hold are rounded once, as Go does.
//
//atoll:kernel
func Constants[F Float](i int, x []F, out [][8]F) {
	const third, tiny, big = 1.0 / 3, 1e-30, 1 << 30
	const odd = 1 + 1.0/(1<<24) + 1.0/(1<<60) // in float32, F(odd) is 1 and x*odd is the next number
	o := &out[i]
	o[0] = x[i] * third
	o[1] = x[i] + F(third)
	o[2] = tiny * x[i]
	o[3] = x[i] + big
	o[4] = F(odd)
	o[5] = x[i] * odd
	o[6] = -0.1
	o[7] = F(math.Pi) + math.SmallestNonzeroFloat32 + F(math.Inf(-1)) + F(math.NaN())
}

// Whole holds results of all operators on signed integers (and on uint8), Bits on unsigned ones, of a width in bits.
type (
	Whole8 struct {
		Sum, Difference, Product, Quotient, Rest, And, Or, Xor, Clear, Not, Negative, Left, Right,
		Shifted uint8
	}
	Whole32 struct {
		Sum, Difference, Product, Quotient, Rest, And, Or, Xor, Clear, Not, Negative, Left, Right,
		Shifted int32
	}
	Whole64 struct {
		Sum, Difference, Product, Quotient, Rest, And, Or, Xor, Clear, Not, Negative, Left, Right,
		Shifted int
	}
	Bits32 struct {
		Sum, Difference, Product, Quotient, Rest, And, Or, Xor, Clear, Not, Negative, Left, Right,
		Shifted uint32
	}
	Bits64 struct {
		Sum, Difference, Product, Quotient, Rest, And, Or, Xor, Clear, Not, Negative, Left, Right,
		Shifted uint64
	}
)

// Integers wrap around, shift by any count, and divide towards zero.
//
//atoll:kernel
func Integers(i int, x, y []int64, count []uint32, w8 []Whole8, w32 []Whole32, w64 []Whole64, b32 []Bits32,
	b64 []Bits64) {
	n := count[i]
	{
		a, b := uint8(x[i]), uint8(y[i])|1
		w8[i] = Whole8{a + b, a - b, a * b, a / b, a % b, a & b, a | b, a ^ b, a &^ b, ^a, -a, a << n, a >> n, a<<3 + 7>>b}
	}
	{
		a, b := int32(x[i]), int32(y[i])|1
		w32[i] = Whole32{a + b, a - b, a * b, a / b, a % b, a & b, a | b, a ^ b, a &^ b, ^a, -a, a << n, a >> n,
			a<<3>>1 + -2147483648}
	}
	{
		a, b := int(x[i]), int(y[i])|1
		w64[i] = Whole64{a + b, a - b, a * b, a / b, a % b, a & b, a | b, a ^ b, a &^ b, ^a, -a, a << n, a >> n, 1<<n - a<<63}
	}
	{
		a, b := uint32(x[i]), uint32(y[i])|1
		b32[i] = Bits32{a + b, a - b, a * b, a / b, a % b, a & b, a | b, a ^ b, a &^ b, ^a, -a, a << n, a >> n,
			(a + b) / 7 << 2}
	}
	{
		a, b := uint64(x[i]), uint64(y[i])|1
		b64[i] = Bits64{a + b, a - b, a * b, a / b, a % b, a & b, a | b, a ^ b, a &^ b, ^a, -a, a << n, a >> n,
			a%3 ^ 1<<n>>60}
	}
}

// Assigned has all operators on integers as assignments such as a += 5.
//
//atoll:kernel
func Assigned(i int, x []int64, count []uint32, w32 []int32, w8 []uint8, b64 []uint64) {
	a, c, d := int32(x[i]), uint8(x[i]), uint64(x[i])
	n := count[i]
	a += 5
	a *= a
	a -= 1 << 20
	a++
	a /= 3
	a %= 1000003
	a <<= n
	a |= 8
	a >>= 1
	a--
	c += 200
	c *= c
	c--
	c -= 17
	c <<= 1
	c /= 3
	c ^= 0x55
	c &^= 4
	d *= d
	d &^= 1 << 40
	d ^= 1 << 63
	d -= 3
	d >>= n
	d++
	w32[i], w8[i], b64[i] = a, c, d
}

// Numbers holds the results of conversions between types. A float that overflows the integer is not converted,
// since the result is undefined in Go.
type Numbers[F Float] struct {
	Single float32
	Double float64
	Back   F
	Narrow int32
	Wide   int64
	Byte   uint8
	Bits   uint32
	Index  int
	From   F
	Large  F
}

//atoll:kernel
func Conversions[F Float](i int, x []F, n []int64, out []Numbers[F]) {
	v := x[i]
	if v-v != 0 || v > 1e9 || v < -1e9 {
		v = 0
	}
	out[i] = Numbers[F]{
		Single: float32(x[i]), Double: float64(x[i]), Back: F(float32(x[i])), Narrow: int32(v), Wide: int64(v * 1000),
		Byte: uint8(n[i]), Bits: uint32(n[i]), Index: int(int32(n[i])), From: F(n[i]), Large: F(uint64(n[i])),
	}
}
