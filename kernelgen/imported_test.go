package kernelgen_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/internal/language"
	"github.com/atoll-hpc/atoll/kernelgen/internal/language/parts"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
)

// checkImports runs a kernel made of another package's types and functions, and kernels with constant parameters
// for each of their values.
func checkImports[F language.Float](t *testing.T, l cudatest.Runner, x, y []F, whole []int64) {
	n := len(x)
	v, flat := make([]parts.Vector[F], n), twoSlices[F](n)
	for i := range v {
		v[i] = parts.Vector[F]{X: x[i], Y: y[i]}
	}
	input := func(i int) any { return []any{v[i], whole[i]} }
	out := twoSlices[parts.Vector[F]](n)
	s := &language.Setting[F]{Low: parts.Vector[F]{X: -3, Y: 2}, High: parts.Vector[F]{X: 5}, Most: 9}
	runBoth(t, l, n, language.NewImportedLoop(s, v, whole, out[0]), language.NewImportedLoop(s, v, whole, out[1]))
	kerneltest.Same(t, "imported", out[0], out[1], input)

	for _, way := range []language.Way{language.Plain, language.Twice, language.Turned} {
		for _, last := range []bool{false, true} {
			var most [2]atomics.Most[F]
			runBoth(t, l, n, language.NewChosenLoop(way, v, last, flat[0], &most[0]),
				language.NewChosenLoop(way, v, last, flat[1], &most[1]))
			kerneltest.Same(t, fmt.Sprint("chosen ", way, last), flat[0], flat[1], input)
			if most[0] != most[1] {
				t.Errorf("chosen %d %t reduces to %v, translated to %v", way, last, most[0].Value(), most[1].Value())
			}
		}
	}
	for _, steps := range []int{1, 2} {
		stretches := x[:len(x)/language.Stretch*language.Stretch]
		n := len(stretches) / language.Stretch
		runBoth(t, l, n, language.NewSharedLoop(steps, stretches, flat[0]),
			language.NewSharedLoop(steps, stretches, flat[1]))
		kerneltest.Same(t, fmt.Sprint("shared ", steps), flat[0][:len(stretches)], flat[1][:len(stretches)], nil)
	}
}

// TestVariants: Launch returns the symbol of the variant of a loop's constants, and panics if there is no such variant.
func TestVariants(t *testing.T) {
	var symbols []string
	for _, way := range []language.Way{language.Plain, language.Turned} {
		for _, last := range []bool{false, true} {
			symbols = append(symbols, language.NewChosenLoop[float32](way, nil, last, nil, nil).Launch().Symbol)
		}
	}
	want := []string{"Chosen_Plain_last_false_f32", "Chosen_Plain_last_true_f32", "Chosen_Turned_last_false_f32",
		"Chosen_Turned_last_true_f32"}
	if !slices.Equal(symbols, want) {
		t.Errorf("symbols %v, want %v", symbols, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a loop without a variant was launched")
		}
	}()
	language.NewSharedLoop[float64](3, nil, nil).Launch()
}
