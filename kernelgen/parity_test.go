package kernelgen_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/internal/language"
)

// floats are edge cases in all pairs, and random numbers of all magnitudes.
func floats[F language.Float](rng *rand.Rand) (x, y []F) {
	var big, small F = math.MaxFloat32, math.SmallestNonzeroFloat32
	if unsafe.Sizeof(big) == 8 {
		wide, narrow := math.MaxFloat64, math.SmallestNonzeroFloat64
		big, small = F(wide), F(narrow)
	}
	edges := []F{0, F(math.Copysign(0, -1)), 1, -1, 2.5, -2.5, .1, 1 << 24, 1<<24 + 1, big, -big, small, -small, 1e6 * small, 3,
		F(math.NaN()), F(math.Inf(1)), F(math.Inf(-1)), big / 2, 1 / big, .49999997, 4503599627370497.5}
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
	edges := []int64{0, 1, -1, 2, -2, 127, 128, 255, 256, math.MaxInt32, math.MinInt32, 1 << 31, math.MaxInt64, math.MinInt64, 1 << 40}
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

// equal compares bit by bit, except that any NaN equals any other: processors differ in which NaN they make.
func equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x != x && y != y || math.Float64bits(x) == math.Float64bits(y)
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "_" && !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Slice:
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return a.Equal(b)
}

// compare reports the first elements that differ between Go's results and the translation's.
func compare[T any](t *testing.T, what string, want, got []T, input func(i int) any) {
	t.Helper()
	wrong := 0
	for i := range want {
		if !equal(reflect.ValueOf(want[i]), reflect.ValueOf(got[i])) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s of %v: Go has\n%+v, the translation\n%+v", what, input(i), want[i], got[i])
			}
		}
	}
	if wrong > 3 {
		t.Errorf("%s: %d of %d differ", what, wrong, len(want))
	}
}

func p[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }

func TestTranslationMeansTheSame(t *testing.T) {
	c := compileForCPU(t, "internal/language")
	t.Run("integers", func(t *testing.T) { integersMeanTheSame(t, c) })
	t.Run("planes", func(t *testing.T) { planesMeanTheSame(t, c) })
	t.Run("float32", func(t *testing.T) { floatsMeanTheSame[float32](t, c, "_f32") })
	t.Run("float64", func(t *testing.T) { floatsMeanTheSame[float64](t, c, "_f64") })
}

func integersMeanTheSame(t *testing.T, c *compiled) {
	x, y, count := integers(rand.New(rand.NewPCG(1, 2)), 20000)
	box := []int64{0, int64(len(x))}
	input := func(i int) any { return []any{x[i], y[i], count[i]} }

	type results struct {
		w8  []language.Whole8
		w32 []language.Whole32
		w64 []language.Whole64
		b32 []language.Bits32
		b64 []language.Bits64
	}
	var r [2]results
	for k := range r {
		n := len(x)
		r[k] = results{make([]language.Whole8, n), make([]language.Whole32, n), make([]language.Whole64, n),
			make([]language.Bits32, n), make([]language.Bits64, n)}
	}
	want, got := &r[0], &r[1]
	for i := range x {
		language.Integers(i, x, y, count, want.w8, want.w32, want.w64, want.b32, want.b64)
	}
	c.run(t, "Integers", box, p(&x), p(&y), p(&count), p(&got.w8), p(&got.w32), p(&got.w64), p(&got.b32), p(&got.b64))
	compare(t, "uint8", want.w8, got.w8, input)
	compare(t, "int32", want.w32, got.w32, input)
	compare(t, "int", want.w64, got.w64, input)
	compare(t, "uint32", want.b32, got.b32, input)
	compare(t, "uint64", want.b64, got.b64, input)

	type assigned struct {
		w32 []int32
		w8  []uint8
		b64 []uint64
	}
	var a [2]assigned
	for k := range a {
		a[k] = assigned{make([]int32, len(x)), make([]uint8, len(x)), make([]uint64, len(x))}
	}
	for i := range x {
		language.Assigned(i, x, count, a[0].w32, a[0].w8, a[0].b64)
	}
	c.run(t, "Assigned", box, p(&x), p(&count), p(&a[1].w32), p(&a[1].w8), p(&a[1].b64))
	compare(t, "assigned int32", a[0].w32, a[1].w32, input)
	compare(t, "assigned uint8", a[0].w8, a[1].w8, input)
	compare(t, "assigned uint64", a[0].b64, a[1].b64, input)

	one, other := make([]int64, len(x)), make([]int64, len(x))
	for i := range x {
		language.Control(i, x, one)
	}
	c.run(t, "Control", box, p(&x), p(&other))
	compare(t, "control", one, other, input)

	six, six2 := make([][6]int64, len(x)), make([][6]int64, len(x))
	for i := range x {
		language.Swaps(i, x, six)
	}
	c.run(t, "Swaps", box, p(&x), p(&six2))
	compare(t, "swaps", six, six2, input)
}

func planesMeanTheSame(t *testing.T, c *compiled) {
	b := &language.Box{Nx: 7, Ny: 5, Nz: 3, Shift: [2]int32{1, 3}}
	one, other := make([]int64, b.Nx*b.Ny*b.Nz), make([]int64, b.Nx*b.Ny*b.Nz)
	for j := 1; j < b.Ny; j++ {
		for i := 2; i < b.Nx; i++ {
			language.Plane(i, j, b, one)
		}
	}
	c.run(t, "Plane", []int64{2, int64(b.Nx), 1, int64(b.Ny)}, p(b), p(&other))
	compare(t, "plane", one, other, func(i int) any { return i })

	x := make([]float64, len(one))
	for i := range x {
		x[i] = float64(i * 37 % 101)
	}
	var most, result atomics.Most[float64]
	for k := range b.Nz {
		for j := range b.Ny {
			for i := range b.Nx {
				most.Take(language.Space(i, j, k, b, x))
			}
		}
	}
	to := &result
	c.run(t, "Space_f64", []int64{0, int64(b.Nx), 0, int64(b.Ny), 0, int64(b.Nz)}, p(b), p(&x), p(&to))
	if most != result {
		t.Errorf("reduced over a box: Go has %v, the translation %v", most.Value(), result.Value())
	}
}

func floatsMeanTheSame[F language.Float](t *testing.T, c *compiled, suffix string) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := floats[F](rng)
	n, _, _ := integers(rng, len(x))
	box := []int64{0, int64(len(x))}
	input := func(i int) any { return []any{x[i], y[i], n[i]} }

	results, results2 := make([]language.Results[F], len(x)), make([]language.Results[F], len(x))
	constants, constants2 := make([][8]F, len(x)), make([][8]F, len(x))
	numbers, numbers2 := make([]language.Numbers[F], len(x)), make([]language.Numbers[F], len(x))
	for i := range x {
		language.Arithmetic(i, x, y, results)
		language.Constants(i, x, constants)
		language.Conversions(i, x, n, numbers)
	}
	c.run(t, "Arithmetic"+suffix, box, p(&x), p(&y), p(&results2))
	c.run(t, "Constants"+suffix, box, p(&x), p(&constants2))
	c.run(t, "Conversions"+suffix, box, p(&x), p(&n), p(&numbers2))
	compare(t, "arithmetic", results, results2, input)
	compare(t, "constants", constants, constants2, input)
	compare(t, "conversions", numbers, numbers2, input)

	structsMeanTheSame(t, c, suffix, x, y)
	reductionsMeanTheSame(t, c, suffix, x, y, n)
}

func structsMeanTheSame[F language.Float](t *testing.T, c *compiled, suffix string, x, y []F) {
	var clouds [2]*language.Cloud[F]
	for k := range clouds {
		clouds[k] = &language.Cloud[F]{Count: int32(len(x) / 2)}
		for i := range x {
			clouds[k].Items = append(clouds[k].Items, language.Item[F]{Base: language.Base[F]{Size: y[i], Weight: x[i]}, Alive: i%2 == 0})
			clouds[k].Owner = append(clouds[k].Owner, int32(i%5)-1)
		}
	}
	out, out2 := make([]language.Item[F], len(x)), make([]language.Item[F], len(x))
	total, extra, scale, on := &language.Base[F]{Size: 3, Weight: .7}, language.Base[F]{Size: 1.1, Weight: -2}, F(.3), true
	for _, on = range []bool{true, false} {
		for i := range x {
			language.Structs(i, clouds[0], total, extra, scale, on, x, out)
		}
		c.run(t, "Structs"+suffix, []int64{0, int64(len(x))}, p(clouds[1]), p(&total), p(&extra), p(&scale), p(&on), p(&x), p(&out2))
		compare(t, "structs", out, out2, func(i int) any { return []any{x[i], y[i], on} })
		compare(t, "owners", clouds[0].Owner, clouds[1].Owner, func(i int) any { return i })
	}
}

func reductionsMeanTheSame[F language.Float](t *testing.T, c *compiled, suffix string, x, y []F, n []int64) {
	for _, box := range [][2]int{{0, 0}, {3, 4}, {40, 300}, {1, len(x)}} {
		bounds := []int64{int64(box[0]), int64(box[1])}
		var tallies [2]language.Tally
		var least [4]atomics.Least[F]
		var most [2]atomics.Most[F]
		for i := box[0]; i < box[1]; i++ {
			language.Count(i, x, n, &tallies[0], &least[0])
			least[2].Take(language.Lowest(i, x))
			most[0].Take(language.Highest(i, x, y))
		}
		tally, least1, least3, most1 := &tallies[1], &least[1], &least[3], &most[1]
		c.run(t, "Count"+suffix, bounds, p(&x), p(&n), p(&tally), p(&least1))
		c.run(t, "Lowest"+suffix, bounds, p(&x), p(&least3))
		c.run(t, "Highest"+suffix, bounds, p(&x), p(&y), p(&most1))
		if !equal(reflect.ValueOf(tallies[0]), reflect.ValueOf(tallies[1])) {
			t.Errorf("%v: atomics in Go %+v, in the translation %+v", box, tallies[0], tallies[1])
		}
		if least[0] != least[1] || least[2] != least[3] || most[0] != most[1] {
			t.Errorf("%v: reduced in Go to %v and %v, in the translation to %v and %v", box, least[0].Value(), most[0].Value(),
				least[1].Value(), most[1].Value())
		}
		sink, sink2 := make([]language.Sink[F], 1), make([]language.Sink[F], 1)
		language.Drain(0, &least[0], &most[0], sink)
		c.run(t, "Drain"+suffix, []int64{0, 1}, p(&least1), p(&most1), p(&sink2))
		compare(t, "drained", sink, sink2, func(i int) any { return box })
		if least[1].Value() != F(math.Inf(1)) || most[1].Value() != F(math.Inf(-1)) {
			t.Errorf("after reset: %v and %v", least[1].Value(), most[1].Value())
		}
	}
}
