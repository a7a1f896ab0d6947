package kernelgen_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/internal/language"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
)

// checkTiles runs tile kernels with shared memory; the last tile is not full.
func checkTiles[F language.Float](t *testing.T, l cudatest.Runner) {
	x, out := make([]F, 7*language.Stretch+31), twoSlices[F](7*language.Stretch+31)
	for i := range x {
		x[i] = F(rand.New(rand.NewPCG(5, uint64(i))).NormFloat64())
	}
	var most [2]atomics.Most[F]
	runBoth(t, l, 8, language.NewMirrorLoop(x, out[0], &most[0]), language.NewMirrorLoop(x, out[1], &most[1]))
	kerneltest.Same(t, "Mirror", out[0], out[1], nil)
	if out[0][0] != 2*x[language.Stretch-1] || most[0] != most[1] {
		t.Errorf("Mirror begins with %v and reduces to %v, translated %v", out[0][0], most[0].Value(), most[1].Value())
	}
	runBoth(t, l, 8, language.NewRoundsLoop(9, x, out[0]), language.NewRoundsLoop(9, x, out[1]))
	kerneltest.Same(t, "Rounds", out[0], out[1], nil)
	duos := make([]language.Duo[F], len(x))
	for i := range duos {
		duos[i] = language.Duo[F]{A: x[len(x)-1-i], B: F(i)}
	}
	runBoth(t, l, 8, language.NewCarryLoop(duos, x, out[0]), language.NewCarryLoop(duos, x, out[1]))
	kerneltest.Same(t, "Carry", out[0], out[1], nil)
	pages, out := make([]F, 2*language.Page+77), twoSlices[F](2*language.Page+77)
	for i := range pages {
		pages[i] = x[i%len(x)]
	}
	inGo, translated := language.NewTurnLoop(pages, out[0]), language.NewTurnLoop(pages, out[1])
	runBoth(t, l, 3, inGo, translated)
	kerneltest.Same(t, "Turn", out[0], out[1], nil)
	size := int(unsafe.Sizeof(F(0)))
	if got, want := translated.Launch().Shared, (language.Notes*size+15)/16*16+2*language.Page*size+16; got != want {
		t.Errorf("a tile of Turn requests %d bytes of shared memory, want %d", got, want)
	}
}

// TestCopiesAreMerged proves that adjacent numbers are copied by one instruction, and that a loop waits for its copies.
func TestCopiesAreMerged(t *testing.T) {
	text := languageCUDA(t)
	for _, want := range []string{"copy_async<16>(&(*page)[k].A, &duo->A);", "copy_async<8>(&(*page)[k].A, &duo->A);",
		"copy_async<8>(&(*last)[k], &x[add(first, k)]);\n    }\n    copies_done();\n    __syncthreads();"} {
		if !strings.Contains(text, want) {
			t.Errorf("the CUDA C has no %s", want)
		}
	}
}

// TestBarrierBeforeRead proves that a statement outside of a tile's loops that reads shared memory waits for the
// loops before.
func TestBarrierBeforeRead(t *testing.T) {
	text := languageCUDA(t)
	waits := regexp.MustCompile(`__syncthreads\(\);\n    int64 end_? = int64\(\(\*last\)\[2\]\);\n    __syncthreads\(\);`)
	if !waits.MatchString(text) {
		t.Error("the CUDA C of Turn reads shared memory between its loops without a barrier")
	}
}

func languageCUDA(t *testing.T) string {
	t.Helper()
	p, err := kernelgen.Load("internal/language")
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := p.CUDA()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
