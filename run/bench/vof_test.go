package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// TestVof: all rows of a table have the same state, whatever the way.
func TestVof(t *testing.T) {
	o := VofOptions{Dim: 2, Cells: []int{64}, Precisions: []string{"float64"}, Threads: []int{1, 2}, Ranks: []int{1, 4}, Warm: 2, Steps: 30,
		Repeat: 2, Hash: true}
	for _, exchange := range []string{"sweep", "step"} {
		o.Configs = append(o.Configs, vof.Config{Normal: "myc", Advect: "weymouth-yue", CFL: .5, Exchange: exchange})
	}
	o.Configs = append(o.Configs, vof.Config{Normal: "myc", Advect: "weymouth-yue", CFL: .5, Exchange: "step", Sweep: "tiles"})
	o.Open = func(_, threads int) (backend.Device, func(), error) {
		dev := cpu.New(threads)
		return dev, dev.Close, nil
	}
	var out bytes.Buffer
	if err := Vof(context.Background(), &out, o); err != nil {
		t.Fatal(err)
	}
	states, ways := map[string]int{}, map[string]int{}
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); strings.HasPrefix(line, "64×64 ") {
			states[f[len(f)-1]]++
			ways[f[3]+" "+f[5]]++
		}
	}
	if len(states) != 1 || ways["sweep cells"] != 4 || ways["step cells"] != 4 || ways["step tiles"] != 4 {
		t.Errorf("states %v, ways %v", states, ways)
	}
}

func TestVofStages(t *testing.T) {
	dev := cpu.New(1)
	defer dev.Close()
	var out bytes.Buffer
	if err := VofStages(&out, []int{16, 32}, 1, dev); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
