//go:build linux && mpi

package main

import (
	"bytes"
	"fmt"
	"os"
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

// TestAdaptUnderMPI: atoll adapt under mpirun writes the bytes that it writes without, and an error of the input is
// printed once.
func TestAdaptUnderMPI(t *testing.T) {
	mpirun := needs.Program(t, "mpirun", "openmpi-bin")
	dir := filepath.Dir(squareFile(t, "a.msh"))
	adapt := []string{"adapt", "a.msh", "one.msh", "--width", "0.05 + 0.1*x", "--height", "0.1", "--gradation", "1.3"}
	alone := atoll(t, dir, nil, adapt...)
	if code := alone.code(t); code != 0 {
		t.Fatal(alone.stderr.String())
	}
	want, err := os.ReadFile(filepath.Join(dir, "one.msh"))
	if err != nil {
		t.Fatal(err)
	}
	under := mpiCommand(t, mpirun, dir)
	for ranks := 2; ranks <= 3; ranks++ {
		adapt[2] = "mpi.msh"
		c := under(ranks, adapt...)
		if code := c.code(t); code != 0 || strings.Count(c.stdout.String(), "written ") != 1 {
			t.Fatalf("%d ranks: exit code %d\n%s%s", ranks, code, c.stdout.String(), c.stderr.String())
		}
		if got, err := os.ReadFile(filepath.Join(dir, "mpi.msh")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d ranks: another file than that of one, or %v", ranks, err)
		}
	}
	c := under(2, "adapt", "a.msh", "mpi.msh", "--size", "-1")
	if code := c.code(t); code != 2 || strings.Count(c.stderr.String(), "atoll: ") != 1 {
		t.Errorf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
}

// mpiCommand returns a function that makes commands of this program under mpirun.
func mpiCommand(t *testing.T, mpirun, dir string) func(ranks int, args ...string) *command {
	sessions := t.TempDir() // of Open MPI, whose jobs race for a common one
	return func(ranks int, args ...string) *command {
		c := atoll(t, dir, []string{"TMPDIR=" + sessions, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
		c.Path = mpirun
		c.Args = append([]string{mpirun, "-np", fmt.Sprint(ranks), "--oversubscribe", self(t)}, args...)
		return c
	}
}

func underMPI(t *testing.T, mpirun, dir string, refusals bool) {
	t.Helper()
	run := mpiCommand(t, mpirun, dir)
	under := func(ranks int, args ...string) *command {
		return run(ranks, append([]string{"run", "case.toml"}, args...)...)
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
