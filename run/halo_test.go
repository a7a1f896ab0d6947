package run

import (
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestHaloReachesTheSolver: every solver is told how to exchange ghosts, and refuses in the same words what cannot be.
func TestHaloReachesTheSolver(t *testing.T) {
	for _, c := range []struct {
		name, text string
		set        []string
	}{
		{"shallow-water", wet, nil},
		{"vof", swirl, nil},
		{"smooth", wavy, []string{"method.deep=true"}}, // else NCCL is refused for another reason
	} {
		t.Run(c.name, func(t *testing.T) {
			for halo, want := range map[string]string{"nccl": "halo nccl cannot be: ", "carrier pigeon": "is not known"} {
				if err := withHalo(t, c.text, halo, c.set); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("halo %s: error %v does not say %q", halo, err, want)
				}
			}
			for _, halo := range []string{"", "auto"} {
				if err := withHalo(t, c.text, halo, c.set); err != nil {
					t.Errorf("halo %q: %v", halo, err)
				}
			}
		})
	}
}

// withHalo sets a case up on two ranks, on devices that are not linked, and returns the error of rank 0.
func withHalo(t *testing.T, text, halo string, sets []string) error {
	c, err := solvers.Parse("case.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	var ranks sync.WaitGroup
	for rank, comm := range openLocal(t, len(errs)) {
		ranks.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			_, errs[rank] = Run(t.Context(), Options{Case: c, Comm: comm, Device: dev, Halo: halo, Check: true})
			_ = comm.Close() // which fails after an error of the run
		})
	}
	ranks.Wait()
	return errs[0]
}
