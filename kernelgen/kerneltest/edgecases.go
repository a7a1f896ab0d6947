package kerneltest

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"unsafe"
)

// Rounds returns how often a test with n random inputs is to be repeated: once, or until the environment variable
// ATOLL_PARITY, a number of inputs, is reached.
func Rounds(t testing.TB, n int) int {
	text := os.Getenv("ATOLL_PARITY")
	if text == "" {
		return 1
	}
	wanted, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ATOLL_PARITY: %v", err)
	}
	return max(1, (wanted+n-1)/n)
}

// EdgeCase returns a random number for a test of parity (the same bits in Go and in the translated kernel): most are of
// the order of 1, some are small, ±0, denormal, huge, infinite or NaN. The last ones are rare, so that most results
// computed from a dozen numbers are finite.
func EdgeCase[F float32 | float64](rng *rand.Rand) F {
	denormal, huge := F(math.Float32frombits(12345)), F(3e38)
	if unsafe.Sizeof(denormal) == 8 {
		denormal, huge = F(math.Float64frombits(12345)), F(math.Sqrt(math.MaxFloat64)*0x1p500)
	}
	sign := F(1 - 2*int(rng.Uint32()&1))
	switch k := rng.Uint32() % 200; {
	case k < 1:
		return F(math.NaN())
	case k < 2:
		return sign * F(math.Inf(1))
	case k < 4:
		return sign * huge
	case k < 10:
		return sign * denormal
	case k < 24:
		return F(math.Copysign(0, float64(sign)))
	case k < 50:
		return sign * F(1e-7*rng.Float64())
	}
	return sign * F(4*rng.Float64())
}

// FillEdgeCases fills values that consist of numbers of type F only.
func FillEdgeCases[F float32 | float64, T any](rng *rand.Rand, values []T) {
	var one T
	size := unsafe.Sizeof(one) / unsafe.Sizeof(F(0))
	for i := range values {
		for k := range size {
			*(*F)(unsafe.Add(unsafe.Pointer(&values[i]), k*unsafe.Sizeof(F(0)))) = EdgeCase[F](rng)
		}
	}
}
