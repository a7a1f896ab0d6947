package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/launch"
)

// Under mpirun, a build without MPI must not run the case once per process; it refuses, and only rank 0 prints the
// error.
func TestForeignLauncherIsRefused(t *testing.T) {
	if mpi.Built {
		t.Skip("this program has MPI")
	}
	dir := caseFile(t, smallCase)
	for rank := range 2 {
		c := atoll(t, dir, []string{"OMPI_COMM_WORLD_SIZE=4", fmt.Sprintf("OMPI_COMM_WORLD_RANK=%d", rank)}, "run",
			"case.toml")
		code, stderr := c.code(t), c.stderr.String()
		if code != 2 || strings.Contains(stderr, "no MPI") != (rank == 0) || rank > 0 && stderr != "" {
			t.Errorf("rank %d: exit code %d, stderr %q", rank, code, stderr)
		}
	}
}

// When several ranks fail, only the ranks whose errors a reader needs print them, and at least one does.
func TestWhichRanksPrint(t *testing.T) {
	lost := func(r int) error { return fmt.Errorf("step 3: %w", &dist.PeerError{Rank: r, Err: dist.ErrPeerLost}) }
	aborted := func(r int) error { return &dist.AbortError{Rank: r, Code: 1, Cause: "NaN"} }
	own := errors.New("disk full")
	for _, test := range []struct {
		name     string
		errs     []error // by rank, nil for a rank that died
		printing string
	}{
		{"rank 2 dies", []error{lost(2), lost(2), nil, lost(2)}, "[0]"},
		{"rank 0 dies", []error{nil, lost(0), lost(0), lost(0)}, "[1]"},
		{"rank 2 fails", []error{aborted(2), aborted(2), own, aborted(2)}, "[0 2]"},
		{"rank 0 fails", []error{own, aborted(0), aborted(0), aborted(0)}, "[0]"},
		{"the case is bad", []error{badInput(own), badInput(own), badInput(own)}, "[0]"},
		{"the case of rank 1 is bad", []error{&sharedError{own, 1}, &sharedError{own, 1}, &sharedError{own, 1}}, "[1]"},
		{"the launcher is wrong", []error{usageError{own}, usageError{own}}, "[0]"},
	} {
		var printing []int
		for r, err := range test.errs {
			if err != nil {
				f := &rankFailure{err, launch.Environment{Launcher: launch.Slurm, Rank: r, Size: len(test.errs)}, false}
				if f.shouldPrint(false) {
					printing = append(printing, r)
				}
				if f.allPrint = true; !f.shouldPrint(false) {
					t.Errorf("%s: rank %d does not print although all should", test.name, r)
				}
			}
		}
		if fmt.Sprint(printing) != test.printing {
			t.Errorf("%s: ranks %v print, want %s", test.name, printing, test.printing)
		}
	}
}

// Ranks with different builds or cases do not start, and all return the same error.
func TestAgree(t *testing.T) {
	bad := errors.New("case.toml:3: no such key")
	for _, test := range []struct {
		name     string
		builds   []string
		errs     []error
		reporter int // -1 if there is no error
		want     string
	}{
		{"same", []string{"b", "b", "b"}, nil, -1, ""},
		{"bad on all", nil, []error{bad, bad}, 0, bad.Error()},
		{"bad on one", nil, []error{nil, nil, bad}, 2, bad.Error()},
		{"another build", []string{"b", "x", "y"}, nil, 0, "rank 1 runs x, not b"},
		{"another case of the last", []string{"b", "b", "x"}, nil, 0, "rank 2 runs x, not b"},
	} {
		var wait sync.WaitGroup
		for rank, comm := range local.New(max(len(test.builds), len(test.errs))) {
			wait.Go(func() {
				var err error
				if test.errs != nil {
					err = firstError(t.Context(), comm, test.errs[rank])
				} else {
					err = agreeOn(t.Context(), comm, test.builds[rank], "rank %d runs %s, not %s")
				}
				var shared *sharedError
				switch {
				case test.reporter < 0:
					if err != nil {
						t.Errorf("%s: %v", test.name, err)
					}
				case !errors.As(err, &shared) || shared.reporter != test.reporter || !strings.Contains(err.Error(), test.want):
					t.Errorf("%s: rank %d: got %v, want %q printed by %d", test.name, rank, err, test.want, test.reporter)
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
}

// TestLauncherIsPrinted: the first line of output says which launcher was detected and which transport was chosen.
func TestLauncherIsPrinted(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "no launcher found; ranks: 1, threads of each: 2, machines: 1; transport local: one process"},
		{[]string{"--ranks", "2", "--transport", "grpc"},
			"started by atoll; ranks: 2, threads of each: 2, machines: 1; transport grpc: "},
	} {
		dir := caseFile(t, smallCase)
		c := atoll(t, dir, nil, append([]string{"run", "case.toml", "--set", "time.end=0.01", "--threads", "2"},
			test.args...)...)
		if code := c.code(t); code != 0 {
			t.Fatalf("exit code %d: %s", code, c.stderr.String())
		}
		line, _, _ := strings.Cut(c.stdout.String(), "\n")
		if !strings.HasPrefix(line, "found ") || !strings.Contains(line, test.want) ||
			strings.Count(c.stdout.String(), "found ") != 1 {
			t.Errorf("%v: printed %q, want a first line with %q", test.args, c.stdout.String(), test.want)
		}
	}
}

func TestOversubscriptionWarning(t *testing.T) {
	dir := caseFile(t, smallCase)
	for _, transport := range []string{launch.InProcess, launch.GRPC} {
		c := atoll(t, dir, nil, "run", "case.toml", "--check", "--threads", "900", "--ranks", "2", "--transport", transport)
		if code := c.code(t); code != 0 || strings.Count(c.stderr.String(), "1800 threads of 2 ranks on") != 1 ||
			strings.Count(c.stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, stderr %q; want one line of warning", transport, code, c.stderr.String())
		}
	}
}

func TestLogRanks(t *testing.T) {
	dir := caseFile(t, smallCase)
	for _, transport := range []string{launch.InProcess, launch.GRPC} {
		c := atoll(t, dir, nil, "run", "case.toml", "--set", "time.end=0.01", "--log-ranks", "--ranks", "3", "--transport",
			transport)
		if code := c.code(t); code != 0 {
			t.Fatalf("%s: exit code %d: %s", transport, code, c.stderr.String())
		}
		for r := 1; r < 3; r++ {
			if want := fmt.Sprintf("\n[rank %d] on ", r); strings.Count("\n"+c.stdout.String(), want) != 1 {
				t.Errorf("%s: want one line that begins with %q in %q", transport, want, c.stdout.String())
			}
		}
	}
}

func TestLaunchSlurm(t *testing.T) {
	dir := caseFile(t, smallCase)
	write := func(args ...string) (int, string, string) {
		c := atoll(t, dir, nil, append([]string{"launch", "slurm", "case.toml"}, args...)...)
		code := c.code(t)
		return code, c.stdout.String(), c.stderr.String()
	}
	code, script, stderr := write("--nodes", "2", "--ntasks", "4", "--", "--set", "physics.cfl=0.5")
	if code != 0 || !strings.Contains(script, "#SBATCH --nodes=2\n") ||
		!strings.Contains(script, "run case.toml --set physics.cfl=0.5\n") {
		t.Errorf("exit code %d, %q, script\n%s", code, stderr, script)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "--ntasks"},
		{[]string{"--ntasks", "2", "--nodes", "3"}, "--ntasks 2 on 3 nodes"},
		{[]string{"--ntasks", "2", "--time", "soon"}, "--time"},
		{[]string{"--ntasks", "2", "--set", "physics.cfl=0.5"}, "--set"},
		{[]string{"--ntasks", "2", "other.toml"}, "after --"},
		{[]string{"--ntasks", "2", "--", "other.toml"}, "other.toml"},
		{[]string{"--ntasks", "2", "--", "--colour"}, "--colour"},
		{[]string{"--ntasks", "2", "--", "--set", "physics.clf=0.5"}, "cfl"},
		{[]string{"--ntasks", "2", "-o", "case.toml"}, "case.toml exists"},
	} {
		if code, script, stderr := write(test.args...); code != 2 || script != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: exit code %d, stderr %q, want a refusal with %q", test.args, code, stderr, test.want)
		}
	}
}

// firstError returns the error of one rank on all ranks of a real communicator.
func TestAgreeOverAComm(t *testing.T) {
	onRanks(t, 3, func(comm dist.Comm) error {
		var own error
		if comm.Rank() == 1 {
			own = badInput(errors.New("no GPU"))
		}
		err := firstError(context.Background(), comm, own)
		var shared *sharedError
		if !errors.As(err, &shared) || shared.reporter != 1 || !strings.Contains(err.Error(), "no GPU") {
			return fmt.Errorf("rank %d: %v", comm.Rank(), err)
		}
		return firstError(context.Background(), comm, nil)
	})
}

func onRanks(t *testing.T, n int, f func(dist.Comm) error) {
	t.Helper()
	var g errgroup.Group
	for _, comm := range local.New(n) {
		g.Go(func() error { return errors.Join(f(comm), comm.Close()) })
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// TestNoGPU: without a usable GPU, --backend cuda ends each command with one line of error and exit code 2.
func TestNoGPU(t *testing.T) {
	dir := caseFile(t, smallCase)
	mesh := squareFile(t, "a.mesh")
	for name, args := range map[string][]string{
		"one rank":  {"run", "case.toml", "--backend", "cuda"},
		"ranks":     {"run", "case.toml", "--backend", "cuda", "--ranks", "3"},
		"processes": {"run", "case.toml", "--backend", "cuda", "--ranks", "2", "--transport", "grpc"},
		"smooth":    {"smooth", mesh, "b.msh", "--backend", "cuda"},
		"bench":     {"bench", "shallow", "--backend", "cuda"},
		"verify":    {"verify", "shallow", "--quick", "--backend", "cuda"},
	} {
		c := atoll(t, dir, []string{"CUDA_VISIBLE_DEVICES="}, args...)
		code, stderr := c.code(t), c.stderr.String()
		if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "atoll: ") ||
			!strings.Contains(stderr, "backend cuda: ") {
			t.Errorf("%s: exit code %d, stderr %q", name, code, stderr)
		}
	}
}
