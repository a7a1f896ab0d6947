package halo

import (
	"context"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestPoison: make test poisons ghosts. The linker does not complain if the variable to set does not exist.
func TestPoison(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if set := reflect.TypeFor[Plan]().PkgPath() + ".invariants=on"; !strings.Contains(string(makefile), "-X "+set) {
		t.Errorf("make test does not set %s", set)
	}
	if invariants == "" {
		return // as in user builds
	}
	plan := &Plan{Owned: 1, Ghosts: 1, Peers: []Peer{{Rank: 1, Lo: 1, Hi: 2}}}
	values := []float64{1, 2}
	x := NewHostExchanger(plan, noComm{}, 0, 8)
	if err := x.Start(context.Background(), FieldOf(values)); err != nil {
		t.Fatal(err)
	}
	if values[0] != 1 || !math.IsNaN(values[1]) {
		t.Errorf("%v: the ghost is not poisoned during an exchange", values)
	}
}
