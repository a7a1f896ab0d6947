//go:build mpi && cgo

package mpi

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// The test program starts itself again under mpirun. This environment variable sets the role of its ranks: "suite"
// runs the tests whose names begin with TestRank, anything else is a fault.
const roleVariable = "ATOLL_TEST_ROLE"

// job is the communicator of a rank that mpirun has started.
var job dist.Comm

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	c, err := Init()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	job = c
	if role != "suite" {
		code := runFaultRole(role)
		if code == 0 {
			_ = c.Close()
		}
		os.Exit(code)
	}
	code := m.Run()
	if err := c.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// mpirun runs this program on n ranks and returns what all of them printed, and the exit code.
func mpirun(t *testing.T, n int, role string, limit time.Duration, args ...string) (output string, code int) {
	t.Helper()
	path, err := exec.LookPath("mpirun")
	if err != nil {
		t.Fatal("tests with the tag mpi need mpirun")
	}
	// Concurrent jobs of Open MPI have races in a shared session directory.
	sessions, err := os.MkdirTemp("", "mpi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sessions) })
	all := append([]string{"-np", strconv.Itoa(n), os.Args[0]}, args...)
	cmd := exec.Command(path, all...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "TMPDIR="+sessions,
		"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timeout := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !timeout.Stop() {
		t.Fatalf("mpirun -np %d had not ended after %v:\n%s", n, limit, text.String())
	}
	if err != nil && cmd.ProcessState.ExitCode() < 0 {
		t.Fatal(err)
	}
	return text.String(), cmd.ProcessState.ExitCode()
}

func TestSuiteUnderMPIRun(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprintf("ranks=%d", n), func(t *testing.T) {
			t.Parallel()
			out, code := mpirun(t, n, "suite", patience, "-test.run", "^TestRank",
				"-test.v="+strconv.FormatBool(testing.Verbose()))
			if code != 0 {
				t.Errorf("exit code %d:\n%s", code, out)
			} else if got := strings.Count(out, "PASS\n"); got < n {
				t.Errorf("%d of %d ranks passed:\n%s", got, n, out)
			} else {
				t.Log(out)
			}
		})
	}
}
