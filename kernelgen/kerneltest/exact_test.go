package kerneltest

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest/testdata/unsound"
)

// TestRacesAreExact compares the conflicts reported for random scripts with a check of all pairs of accesses: no
// conflict is missed, and none is reported falsely.
func TestRacesAreExact(t *testing.T) {
	l := Compile(t, "testdata/unsound")
	rng := rand.New(rand.NewPCG(7, 8))
	const tiles, runs = 2, 5000
	racy := 0
	for range runs {
		script := make([]unsound.Step, tiles*2*unsound.Turns*unsound.Steps)
		commonOp := rng.Int32N(8) // most accesses have the same operation, so that many scripts have no conflict
		for i := range script {
			script[i] = unsound.Step{Op: commonOp, Cell: rng.Int32N(unsound.Cells)}
			if rng.IntN(12) == 0 {
				script[i].Op = rng.Int32N(8)
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
		if err := r.checkRaces(); (err != nil) != want {
			t.Fatalf("script %v: reported %v, want a conflict: %v", script, err, want)
		}
	}
	if racy < runs/10 || racy > runs*9/10 {
		t.Errorf("%d of %d scripts have a conflict, want between 10%% and 90%%", racy, runs)
	}
}

// anyConflict reports whether a script has two conflicting accesses whose order is not defined.
func anyConflict(script []unsound.Step) bool {
	for i, a := range script {
		for j, b := range script[:i] {
			// A tile has two loops of unsound.Turns iterations with unsound.Steps accesses each.
			turn := [2]int{i / unsound.Steps, j / unsound.Steps}
			loop := [2]int{turn[0] / unsound.Turns, turn[1] / unsound.Turns}
			sameTile := loop[0]/2 == loop[1]/2
			shared := a.Op&4 != 0
			switch {
			case turn[0] == turn[1], sameTile && loop[0] != loop[1]: // in order
			case a.Cell != b.Cell, a.Op&4 != b.Op&4, shared && !sameTile: // not the same memory
			case a.Op == b.Op && a.Op&3 != unsound.Write: // both read, or commute
			default:
				return true
			}
		}
	}
	return false
}
