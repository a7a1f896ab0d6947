package primitives

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"pgregory.net/rapid"
)

// image computes the image of a number as backend.Kind defines it.
func image[T Number](op backend.Op, v T) uint64 {
	var u uint64
	switch x := any(v).(type) {
	case int32:
		u = uint64(int64(x)) ^ 1<<63
	case int64:
		u = uint64(x) ^ 1<<63
	case uint32:
		u = uint64(x)
	case uint64:
		u = x
	case float32:
		return image(op, float64(x))
	case float64:
		if x != x {
			return math.MaxUint64
		}
		if u = math.Float64bits(x); u>>63 == 1 {
			u = ^u
		} else {
			u |= 1 << 63
		}
	}
	if op == backend.Min {
		return ^u
	}
	return u
}

func testImage[T Number](t *rapid.T, a, b T) {
	for _, op := range []backend.Op{backend.Min, backend.Max} {
		want := canonicalNaN(combine(op, a, b))
		got := fromImage[T](op, max(image(op, a), image(op, b)))
		if got != want && (got == got || want == want) || math.Signbit(float64(got)) != math.Signbit(float64(want)) {
			t.Fatalf("%v of %v and %v computed from their images is %v, want %v", op, a, b, got, want)
		}
	}
}

// TestImagesOrderNumbers proves that the greatest image is that of the minimum or maximum.
func TestImagesOrderNumbers(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64, 1, -1}
	single := rapid.OneOf(rapid.Float32(), rapid.Map(rapid.SampledFrom(special),
		func(v float64) float32 { return float32(v) }))
	double := rapid.OneOf(rapid.Float64(), rapid.SampledFrom(special))
	rapid.Check(t, func(t *rapid.T) {
		testImage(t, rapid.Int32().Draw(t, "int32"), rapid.Int32().Draw(t, "int32"))
		testImage(t, rapid.Int64().Draw(t, "int64"), rapid.Int64().Draw(t, "int64"))
		testImage(t, rapid.Uint32().Draw(t, "uint32"), rapid.Uint32().Draw(t, "uint32"))
		testImage(t, rapid.Uint64().Draw(t, "uint64"), rapid.Uint64().Draw(t, "uint64"))
		testImage(t, single.Draw(t, "float32"), single.Draw(t, "float32"))
		testImage(t, double.Draw(t, "float64"), double.Draw(t, "float64"))
	})
}
