package kernelgen_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/internal/language"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
)

// floats returns all pairs of edge cases, and pairs of random numbers of all magnitudes.
func floats[F language.Float](rng *rand.Rand) (x, y []F) {
	var big, small F = math.MaxFloat32, math.SmallestNonzeroFloat32
	if unsafe.Sizeof(big) == 8 {
		wide, narrow := math.MaxFloat64, math.SmallestNonzeroFloat64
		big, small = F(wide), F(narrow)
	}
	edges := []F{0, F(math.Copysign(0, -1)), 1, -1, 2.5, -2.5, .1, 1 << 24, 1<<24 + 1, big, -big, small, -small,
		1e6 * small, 3, F(math.NaN()), F(math.Inf(1)), F(math.Inf(-1)), big / 2, 1 / big, .49999997, 4503599627370497.5}
	for _, a := range edges {
		for _, b := range edges {
			x, y = append(x, a), append(y, b)
		}
	}
	for range 20000 {
		random := func() F {
			if unsafe.Sizeof(big) == 8 && rng.IntN(2) == 0 {
				return F(math.Float64frombits(rng.Uint64()))
			}
			return F(math.Float32frombits(rng.Uint32()))
		}
		x, y = append(x, random()), append(y, random())
	}
	return x, y
}

func integers(rng *rand.Rand, n int) (x, y []int64, count []uint32) {
	edges := []int64{0, 1, -1, 2, -2, 127, 128, 255, 256, math.MaxInt32, math.MinInt32, 1 << 31, math.MaxInt64,
		math.MinInt64, 1 << 40}
	for len(x) < n {
		random := func() int64 {
			if rng.IntN(3) == 0 {
				return edges[rng.IntN(len(edges))]
			}
			return int64(rng.Uint64()) >> rng.IntN(64)
		}
		x, y, count = append(x, random()), append(y, random()), append(count, uint32(rng.IntN(70)))
		if rng.IntN(100) == 0 {
			count[len(count)-1] = rng.Uint32()
		}
	}
	return x, y, count
}

// TestTranslationHasSameBits compares every kernel of package language with its translations, bit by bit.
func TestTranslationHasSameBits(t *testing.T) {
	cudatest.Parity(t, "internal/language", checkTranslation)
}

func checkTranslation(t *testing.T, l cudatest.Runner) {
	t.Run("integers", func(t *testing.T) { checkIntegers(t, l) })
	t.Run("boxes", func(t *testing.T) { checkBoxes(t, l) })
	t.Run("tiles", func(t *testing.T) { checkTiles[float32](t, l); checkTiles[float64](t, l) })
	t.Run("float32", func(t *testing.T) { checkFloats[float32](t, l) })
	t.Run("float64", func(t *testing.T) { checkFloats[float64](t, l) })
}

// loop is a generated loop.
type loop interface {
	Range(lo, hi int)
	Launch() abi.Launch
}

// runBoth runs one loop in Go and the other one translated, for n indices.
func runBoth(t *testing.T, l cudatest.Runner, n int, inGo, translated loop) {
	t.Helper()
	inGo.Range(0, n)
	l.Run(t, translated, 0, n)
}

// twoSlices returns a pair of slices.
func twoSlices[T any](n int) [2][]T { return [2][]T{make([]T, n), make([]T, n)} }

func checkIntegers(t *testing.T, l cudatest.Runner) {
	x, y, count := integers(rand.New(rand.NewPCG(1, 2)), 20000)
	n := len(x)
	input := func(i int) any { return []any{x[i], y[i], count[i]} }

	w8, w32, w64 := twoSlices[language.Whole8](n), twoSlices[language.Whole32](n), twoSlices[language.Whole64](n)
	b32, b64 := twoSlices[language.Bits32](n), twoSlices[language.Bits64](n)
	runBoth(t, l, n, language.NewIntegersLoop(x, y, count, w8[0], w32[0], w64[0], b32[0], b64[0]),
		language.NewIntegersLoop(x, y, count, w8[1], w32[1], w64[1], b32[1], b64[1]))
	kerneltest.Same(t, "uint8", w8[0], w8[1], input)
	kerneltest.Same(t, "int32", w32[0], w32[1], input)
	kerneltest.Same(t, "int", w64[0], w64[1], input)
	kerneltest.Same(t, "uint32", b32[0], b32[1], input)
	kerneltest.Same(t, "uint64", b64[0], b64[1], input)

	a32, a8, a64 := twoSlices[int32](n), twoSlices[uint8](n), twoSlices[uint64](n)
	runBoth(t, l, n, language.NewAssignedLoop(x, count, a32[0], a8[0], a64[0]),
		language.NewAssignedLoop(x, count, a32[1], a8[1], a64[1]))
	kerneltest.Same(t, "assigned int32", a32[0], a32[1], input)
	kerneltest.Same(t, "assigned uint8", a8[0], a8[1], input)
	kerneltest.Same(t, "assigned uint64", a64[0], a64[1], input)

	control, swaps := twoSlices[int64](n), twoSlices[[6]int64](n)
	runBoth(t, l, n, language.NewControlLoop(x, control[0]), language.NewControlLoop(x, control[1]))
	kerneltest.Same(t, "control", control[0], control[1], input)
	runBoth(t, l, n, language.NewSwapsLoop(x, swaps[0]), language.NewSwapsLoop(x, swaps[1]))
	kerneltest.Same(t, "swaps", swaps[0], swaps[1], input)
}

func checkBoxes(t *testing.T, l cudatest.Runner) {
	b := &language.Box{Nx: 7, Ny: 5, Nz: 3, Shift: [2]int32{1, 3}}
	n := b.Nx * b.Ny * b.Nz
	out := twoSlices[int64](n)
	part := abi.Box{Lo: [3]int{2, 1, 0}, Hi: [3]int{b.Nx, b.Ny, 1}}
	runBoth(t, l, part.Size(), language.NewPlaneLoop(part, b, out[0]), language.NewPlaneLoop(part, b, out[1]))
	kerneltest.Same(t, "plane", out[0], out[1], nil)
	written := 0
	for _, v := range out[0] {
		if v != 0 {
			written++
		}
	}
	if written != part.Size() {
		t.Errorf("%d elements were written, want %d", written, part.Size())
	}

	t.Run("float32", func(t *testing.T) { checkThreeIndices[float32](t, l, b) })
	t.Run("float64", func(t *testing.T) { checkThreeIndices[float64](t, l, b) })
}

func checkThreeIndices[F language.Float](t *testing.T, l cudatest.Runner, b *language.Box) {
	x := make([]F, b.Nx*b.Ny*b.Nz)
	want := F(0)
	for i := range x {
		x[i] = F(i * 37 % 101)
		want = max(want, x[i]+F(i/(b.Nx*b.Ny)))
	}
	var most [2]atomics.Most[F]
	whole := abi.Box{Hi: [3]int{b.Nx, b.Ny, b.Nz}}
	runBoth(t, l, whole.Size(), language.NewSpaceLoop(whole, b, x, &most[0]), language.NewSpaceLoop(whole, b, x, &most[1]))
	if most[0] != most[1] || most[0].Value() != want {
		t.Errorf("reduced over a box: Go has %v, the translation %v, want %v", most[0].Value(), most[1].Value(), want)
	}
}

func checkFloats[F language.Float](t *testing.T, l cudatest.Runner) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := floats[F](rng)
	n := len(x)
	whole, _, _ := integers(rng, n)
	input := func(i int) any { return []any{x[i], y[i], whole[i]} }

	results, constants, numbers := twoSlices[language.Results[F]](n), twoSlices[[8]F](n), twoSlices[language.Numbers[F]](n)
	runBoth(t, l, n, language.NewArithmeticLoop(x, y, results[0]), language.NewArithmeticLoop(x, y, results[1]))
	runBoth(t, l, n, language.NewConstantsLoop(x, constants[0]), language.NewConstantsLoop(x, constants[1]))
	runBoth(t, l, n, language.NewConversionsLoop(x, whole, numbers[0]), language.NewConversionsLoop(x, whole, numbers[1]))
	kerneltest.Same(t, "arithmetic", results[0], results[1], input)
	kerneltest.Same(t, "constants", constants[0], constants[1], input)
	kerneltest.Same(t, "conversions", numbers[0], numbers[1], input)

	stages := twoSlices[F](n)
	plain := make([]F, n)
	for i := range x {
		language.Staged(i, x, y, plain)
	}
	runBoth(t, l, n, language.NewStagedLoop(x, y, stages[0]), language.NewStagedLoop(x, y, stages[1]))
	kerneltest.Same(t, "the kernel and its staged loop", plain, stages[0], input)
	kerneltest.Same(t, "stages", stages[0], stages[1], input)

	checkStructs(t, l, x, y)
	checkImports(t, l, x, y, whole)
	checkReductions(t, l, x, y, whole)
}

func checkStructs[F language.Float](t *testing.T, l cudatest.Runner, x, y []F) {
	n := len(x)
	var clouds [2]*language.Cloud[F]
	for k := range clouds {
		clouds[k] = &language.Cloud[F]{Count: int32(n / 2)}
		for i := range x {
			clouds[k].Items = append(clouds[k].Items, language.Item[F]{Base: language.Base[F]{Size: y[i], Weight: x[i]},
				Alive: i%2 == 0})
			clouds[k].Owner = append(clouds[k].Owner, int32(i%5)-1)
		}
	}
	out := twoSlices[language.Item[F]](n)
	total, extra, scale := &language.Base[F]{Size: 3, Weight: .7}, language.Base[F]{Size: 1.1, Weight: -2}, F(.3)
	for _, on := range []bool{true, false} {
		runBoth(t, l, n, language.NewStructsLoop(clouds[0], total, extra, scale, on, x, out[0]),
			language.NewStructsLoop(clouds[1], total, extra, scale, on, x, out[1]))
		kerneltest.Same(t, "structs", out[0], out[1], func(i int) any { return []any{x[i], y[i], on} })
		kerneltest.Same(t, "owners", clouds[0].Owner, clouds[1].Owner, nil)
	}
}

func checkReductions[F language.Float](t *testing.T, l cudatest.Runner, x, y []F, whole []int64) {
	// A NaN of either sign wins.
	negative := F(math.Copysign(math.NaN(), -1))
	x, y, whole = append(x, negative, 1), append(y, negative, 1), append(whole, 1, 2)
	n := len(x)
	for _, part := range [][2]int{{n - 2, n}, {0, 0}, {3, 4}, {40, 300}, {1, len(x)}} {
		x, y, whole := x[part[0]:part[1]], y[part[0]:part[1]], whole[part[0]:part[1]]
		n := len(x)
		var tallies [2]language.Tally
		var taken, least [2]atomics.Least[F]
		var most [2]atomics.Most[F]
		runBoth(t, l, n, language.NewCountLoop(x, whole, &tallies[0], &taken[0]),
			language.NewCountLoop(x, whole, &tallies[1], &taken[1]))
		runBoth(t, l, n, language.NewLowestLoop(x, &least[0]), language.NewLowestLoop(x, &least[1]))
		runBoth(t, l, n, language.NewHighestLoop(x, y, &most[0]), language.NewHighestLoop(x, y, &most[1]))
		kerneltest.Same(t, "atomics", tallies[:1], tallies[1:], nil)

		low, high := F(math.Inf(1)), F(math.Inf(-1))
		for i := range x {
			low, high = min(low, x[i]), max(high, language.Highest(i, x, y))
		}
		for k := range 2 {
			kerneltest.Same(t, "reductions", []F{low, low, high}, []F{taken[k].Value(), least[k].Value(), most[k].Value()}, nil)
		}
		sink := twoSlices[language.Sink[F]](1)
		runBoth(t, l, 1, language.NewDrainLoop(&least[0], &most[0], sink[0]),
			language.NewDrainLoop(&least[1], &most[1], sink[1]))
		kerneltest.Same(t, "drained", sink[0], sink[1], nil)
		if least != [2]atomics.Least[F]{} || most != [2]atomics.Most[F]{} {
			t.Errorf("after Reset: %v %v", least, most)
		}
	}
}
