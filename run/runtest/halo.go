package runtest

import (
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// HaloOptionReachesSolver tests that the solver gets the option for the halo exchanger and refuses unavailable ones
// with the common message.
func HaloOptionReachesSolver(t *testing.T, text string, sets ...string) {
	for halo, want := range map[string]string{"nccl": "NCCL halo exchange unavailable: ",
		"p2p":            "P2P halo exchange unavailable: ",
		"carrier pigeon": "is not known"} {
		if err := withHalo(t, text, halo, sets); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("halo %s: error %v does not say %q", halo, err, want)
		}
	}
	for _, halo := range []string{"", "auto"} {
		if err := withHalo(t, text, halo, sets); err != nil {
			t.Errorf("halo %q: %v", halo, err)
		}
	}
}

// withHalo sets up a case on two ranks, on devices that are not linked, and returns the error of rank 0.
func withHalo(t *testing.T, text, halo string, sets []string) error {
	c, err := solvers.Parse("case.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	var ranks sync.WaitGroup
	for rank, comm := range Local(t, len(errs)) {
		ranks.Go(func() {
			dev := cpu.New(1)
			defer dev.Close()
			_, errs[rank] = run.Run(t.Context(), run.Options{Case: c, Comm: comm, Device: dev, Halo: halo, Check: true})
			_ = comm.Close() // fails after an error of the run
		})
	}
	ranks.Wait()
	return errs[0]
}
