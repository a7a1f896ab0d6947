package kerneltest

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest/testdata/unsound"
)

// TestRacesAreExact compares what is found in random scripts with a look at all pairs of accesses: none is missed, and
// none is invented.
func TestRacesAreExact(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	rng := rand.New(rand.NewPCG(7, 8))
	const tiles, runs = 2, 5000
	racy := 0
	for range runs {
		script := make([]unsound.Step, tiles*2*unsound.Turns*unsound.Steps)
		usual := rng.Int32N(8) // most accesses are alike, so that many scripts are sound
		for i := range script {
			script[i] = unsound.Step{How: usual, Cell: rng.Int32N(unsound.Cells)}
			if rng.IntN(12) == 0 {
				script[i].How = rng.Int32N(8)
			}
		}
		x, out := make([]int64, unsound.Cells), make([]int64, len(script)/unsound.Steps)
		k := abi.Launch{Symbol: "Play", Block: 128, Dims: 1, Tile: true, Args: []abi.Arg{abi.ElementsOf("script", script),
			abi.ElementsOf("x", x), abi.ElementsOf("out", out)}}
		r, err := l.prepare(l.entries["Play"], k, 0, tiles)
		if err != nil {
			t.Fatal(err)
		}
		want := anyConflict(script)
		if want {
			racy++
		}
		if err := r.races(); (err != nil) != want {
			t.Fatalf("script %v: reported %v, want a conflict: %v", script, err, want)
		}
	}
	if racy < runs/10 || racy > runs*9/10 {
		t.Errorf("%d of %d scripts have a conflict: the others prove little", racy, runs)
	}
}

// anyConflict looks for two accesses of a script whose order is open, although it matters.
func anyConflict(script []unsound.Step) bool {
	for i, a := range script {
		for j, b := range script[:i] {
			// A tile has two loops of some turns, which have some steps.
			turn := [2]int{i / unsound.Steps, j / unsound.Steps}
			loop := [2]int{turn[0] / unsound.Turns, turn[1] / unsound.Turns}
			sameTile := loop[0]/2 == loop[1]/2
			shared := a.How&4 != 0
			switch {
			case turn[0] == turn[1], sameTile && loop[0] != loop[1]: // in order
			case a.Cell != b.Cell, a.How&4 != b.How&4, shared && !sameTile: // not the same memory
			case a.How == b.How && a.How&3 != unsound.Write: // both read, or commute
			default:
				return true
			}
		}
	}
	return false
}
