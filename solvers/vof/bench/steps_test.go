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

// TestVof proves that all configurations of the benchmark give the same state.
func TestVof(t *testing.T) {
	o := StepOptions{Dim: 2, Cells: []int{64}, Precisions: []string{"float64"}, Threads: []int{1, 2}, Ranks: []int{1, 4},
		Warm: 2, Steps: 30, Repeat: 2, Hash: true}
	for _, c := range [][2]string{{"sweep", ""}, {"step", ""}, {"step", "tiles"}} {
		o.Configs = append(o.Configs, StepConfig{Config: vof.Config{Normal: "myc", Advect: "weymouth-yue", CFL: .5,
			Exchange: c[0], Sweep: c[1]}})
	}
	o.Open = func(_, threads int) (backend.Device, func(), error) {
		dev := cpu.New(threads)
		return dev, dev.Close, nil
	}
	var out bytes.Buffer
	if err := Steps(context.Background(), &out, o); err != nil {
		t.Fatal(err)
	}
	states, schedules := map[string]int{}, map[string]int{}
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); strings.HasPrefix(line, "64×64 ") {
			states[f[len(f)-1]]++
			schedules[f[3]+" "+f[5]]++
		}
	}
	if len(states) != 1 || schedules["sweep cells"] != 4 || schedules["step cells"] != 4 || schedules["step tiles"] != 4 {
		t.Errorf("states %v, ways %v", states, schedules)
	}
}

// TestVofStages checks the rows of the stage tables, and the picture.
func TestVofStages(t *testing.T) {
	o := StepOptions{Cells: []int{16, 32}, Threads: []int{2, 1}, Repeat: 1}
	o.Open = func(_, threads int) (backend.Device, func(), error) {
		dev := cpu.New(threads)
		return dev, dev.Close, nil
	}
	var out bytes.Buffer
	chart, err := VofStages(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(out.String()) {
		rows[strings.Fields(line)[0]]++
	}
	if rows["initialise"] != 4 || rows["reconstruct"] != 8 || rows["speedup,"] != 2 || rows["1"] != 2 || rows["2"] != 2 {
		t.Errorf("rows %v in\n%s", rows, out.String())
	}
	if _, err := chart.Draw(); err == nil {
		t.Error("a picture of two sizes was drawn")
	}
	o.Cells = o.Cells[:1]
	if chart, err = VofStages(&out, o); err != nil {
		t.Fatal(err)
	}
	if _, err := chart.Draw(); err != nil {
		t.Error(err)
	}
	o.Threads = []int{0}
	if _, err := VofStages(&out, o); err == nil {
		t.Error("no threads are accepted")
	}
}
