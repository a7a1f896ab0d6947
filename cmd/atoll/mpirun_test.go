//go:build linux && mpi

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestMPIRun runs cases under mpirun: the state is that of a run without MPI, and bad input is reported once.
func TestMPIRun(t *testing.T) {
	mpirun := needs.Program(t, "mpirun", "openmpi-bin")
	underMPI(t, mpirun, caseFile(t, smallCase), true)
	underMPI(t, mpirun, caseFile(t, `
solver = "smooth"
mesh = { generate = "box", bounds = [0, 0, 0, 1, 1, 1], cells = 400, partition = "random" }
metric = { width = "0.1 + 0.1*x", height = "0.2", depth = "0.2", samples = 8 }
method = { smoother = "hybrid", sweeps = 4 }
output = { format = [] }
`), false)
	underMPI(t, mpirun, caseFile(t, `
solver = "smooth"
mesh = { generate = "delaunay", bounds = [0, 0, 1, 1], cells = 400, partition = "random" }
metric = { width = "0.1 + 0.1*x", height = "0.2", samples = 8 }
method = { smoother = "pain-exact", colouring = "first-fit", cull = true, settled = 0.01, sweeps = 8 }
output = { format = [] }
`), false)
}

func underMPI(t *testing.T, mpirun, dir string, refusals bool) {
	t.Helper()
	sessions := t.TempDir() // of Open MPI, whose jobs race for a common one
	under := func(ranks int, args ...string) *command {
		c := atoll(t, dir, []string{"TMPDIR=" + sessions, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
		c.Path = mpirun
		c.Args = append([]string{mpirun, "-np", fmt.Sprint(ranks), "--oversubscribe", self(t), "run", "case.toml"}, args...)
		return c
	}
	alone := atoll(t, dir, nil, "run", "case.toml", "--out", "alone")
	if code := alone.code(t); code != 0 {
		t.Fatal(alone.stderr.String())
	}
	want := readSummary(t, filepath.Join(dir, "alone", "summary.json")).StateSHA256
	for ranks := 2; ranks <= 3; ranks++ {
		c := under(ranks, "--out", "mpi", "--log-ranks")
		if code := c.code(t); code != 0 {
			t.Fatalf("%d ranks: exit code %d\n%s", ranks, code, c.stderr.String())
		}
		s := readSummary(t, filepath.Join(dir, "mpi", "summary.json"))
		if s.StateSHA256 != want || s.Transport != "mpi" || s.Ranks != ranks {
			t.Errorf("state %s on %d ranks over %s, want %s", s.StateSHA256, s.Ranks, s.Transport, want)
		}
		if out := c.stdout.String(); strings.Count(out, "found ") != 1 || strings.Count(out, "[rank 1] on ") != 1 {
			t.Errorf("printed\n%s", out)
		}
	}
	if !refusals {
		return
	}
	for _, args := range [][]string{
		{"--set", "physics.colour=red"}, {"--ranks", "5"}, {"--transport", "grpc"}, {"--transport", "local"},
	} {
		c := under(2, args...)
		if code := c.code(t); code != 2 || strings.Count(c.stderr.String(), "atoll: ") != 1 {
			t.Errorf("%v: exit code %d, stderr\n%s", args, code, c.stderr.String())
		}
	}
}
