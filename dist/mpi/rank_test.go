//go:build mpi && cgo

package mpi

import (
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
)

func needRank(t *testing.T) {
	if job == nil {
		t.Skip("runs only under mpirun: TestSuiteUnderMPIRun starts it")
	}
}

// newComms returns a new communicator of all ranks.
func newComms(t *testing.T) []dist.Comm {
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return []dist.Comm{c}
}

func TestRankConformance(t *testing.T) {
	needRank(t)
	disttest.RunRank(t, job)
}

func TestRankEndings(t *testing.T) {
	needRank(t)
	for _, k := range disttest.LastCases() {
		if job.Size() >= k.Min {
			t.Run(k.Name, func(t *testing.T) {
				comms := newComms(t)
				disttest.Each(t, comms, k.Run)
				disttest.Close(t, comms)
			})
		}
	}
}

func TestRankStepsAllocateNothing(t *testing.T) {
	needRank(t)
	if job.Size() != 2 {
		t.Skip("needs exactly two ranks")
	}
	disttest.Allocations(t, newComms(t), 0)
}

func TestRankStartsMPIOnce(t *testing.T) {
	needRank(t)
	if c, err := Init(); err == nil {
		t.Errorf("a second Init returned %v", c)
	}
}
