//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	protocol "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/atoll-hpc/atoll/run/folder"
)

// podRun is a run of processes that stand for the pods of a Job: each has the environment and the certificate of
// one.
type podRun struct {
	*faultyRun
	env       []string // of pods, in addition to that of every pod
	addresses []string // addresses of the 6 ranks, of the server that supervisors join, and of the health service of pod 0
	pods      map[int]*command
}

// freePorts returns n loopback addresses with unused ports.
func freePorts(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // only once all are found, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

func (p *podRun) start(index int) {
	p.t.Helper()
	address := p.addresses[index]
	args := append(append([]string{}, p.args...), "--listen", address, "--announce", address, "--places", p.addresses[6],
		"--certs", filepath.Join(p.dir, "certs"))
	if index == 0 {
		args = append(args, "--health", p.addresses[7])
	}
	env := append([]string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index), "ATOLL_JOB_UID=a1"}, p.env...)
	c := atoll(p.t, p.dir, env, args...)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.pods[index] = c
	p.t.Cleanup(func() { _ = c.Process.Kill() })
	if index == 0 {
		p.launcher = c
	}
}

func (p *podRun) signal(s syscall.Signal, indices ...int) {
	p.t.Helper()
	for _, i := range indices {
		if err := p.pods[i].Process.Signal(s); err != nil {
			p.t.Fatal(err)
		}
	}
}

// expectExit waits for pods to end and checks their exit codes.
func (p *podRun) expectExit(want int, indices ...int) {
	p.t.Helper()
	for _, i := range indices {
		if code, stderr := p.pods[i].end(p.t); code != want {
			p.t.Fatalf("pod %d: exit code %d, want %d: %s", i, code, want, stderr)
		}
	}
}

// waitForRanks waits until the run is in an epoch later than after, on so many ranks, and returns that epoch.
func (p *podRun) waitForRanks(ranks int, after uint64) (epoch uint64) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf("epoch after %d of %d ranks", after, ranks), func() bool {
		e, err := folder.ReadEpoch(p.out())
		epoch = e.Epoch
		return err == nil && e.Ranks == ranks && e.Epoch > after
	})
	return epoch
}

// ready asks the health service of pod 0.
func (p *podRun) ready() bool {
	conn, err := grpc.NewClient(p.addresses[7], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(p.t.Context(), time.Second)
	defer stop()
	r, err := protocol.NewHealthClient(conn).Check(ctx, &protocol.HealthCheckRequest{Service: "ranks"})
	return err == nil && r.Status == protocol.HealthCheckResponse_SERVING
}

// TestPods: a Job that is resized from 4 pods to 2 and to 6, and whose pod 0 is killed, has the result of an
// undisturbed run. A pod that is recreated after the end exits at once.
func TestPods(t *testing.T) {
	t.Parallel()
	c := chaosCases[0]
	c.steps /= 3
	args := c.args(t, "cpu")
	reference := runUndisturbed(t, append(args, "--ranks", "1", "--transport", "local"))
	p := &podRun{faultyRun: &faultyRun{t: t, dir: t.TempDir()}, pods: map[int]*command{}}
	p.args = append(args, "--ranks", "4", "--elastic", "1:6")
	joined := filepath.Join(t.TempDir(), "joined")
	p.env = []string{slowsWriter + "=checkpoints/step_@" + joined} // so that it does not end before all pods have joined
	p.addresses = freePorts(t, 8)
	if c := atoll(t, p.dir, nil, "certs", "certs", "--ranks", "6"); c.code(t) != exitDone {
		t.Fatal(c.stderr.String())
	}
	for i := range 4 {
		p.start(i)
	}
	p.waitForRanks(4, 0)
	p.waitFor("checkpoint", func() bool { return p.savedSteps() > 0 })
	if !p.ready() {
		t.Error("pod 0 is not ready while its rank runs")
	}
	p.signal(syscall.SIGTERM, 3, 2)
	p.expectExit(exitSaved, 3, 2)
	epoch := p.waitForRanks(2, 1)
	for i := 2; i < 6; i++ {
		p.start(i)
	}
	epoch = p.waitForRanks(6, epoch)
	was := p.savedSteps()
	p.waitFor("checkpoint", func() bool { return p.savedSteps() > was })
	p.signal(syscall.SIGKILL, 0)
	_ = p.pods[0].Wait()
	p.start(0)
	p.waitForRanks(6, epoch)
	if err := os.WriteFile(joined, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.expectExit(exitDone, 0, 1, 2, 3, 4, 5)
	s := readSummary(t, filepath.Join(p.out(), "summary.json"))
	one := readSummary(t, filepath.Join(reference, "out", "summary.json"))
	if s.StateSHA256 != one.StateSHA256 || s.Ranks != 6 {
		t.Errorf("state %s on %d ranks, want %s as on one rank", s.StateSHA256, s.Ranks, one.StateSHA256)
	}
	last := p.epoch()
	p.start(0)
	p.start(4)
	p.expectExit(exitDone, 0, 4)
	if p.epoch() != last {
		t.Error("recreated pods ran the case again")
	}
}

// TestPodsOutliveFaults: pod 0 of a Job whose volume is full ends with the exit code after which the Job replaces it,
// and the run is completed by its successor and the pods that have waited.
func TestPodsOutliveFaults(t *testing.T) {
	t.Parallel()
	p := &podRun{faultyRun: &faultyRun{t: t, dir: caseFile(t, smallCase)}, pods: map[int]*command{}}
	p.args = []string{"run", "case.toml", "-q", "--ranks", "2", "--retries", "0", "--set", "checkpoint.steps=3"}
	p.env = []string{fullDisk + "=case_000002.vtu@" + filepath.Join(t.TempDir(), "freed")}
	p.addresses = freePorts(t, 8)
	if c := atoll(t, p.dir, nil, "certs", "certs", "--ranks", "6"); c.code(t) != exitDone {
		t.Fatal(c.stderr.String())
	}
	p.start(0)
	p.start(1)
	p.expectExit(exitLost, 0)
	if got := p.pods[0].stderr.String(); !strings.Contains(got, "no space left on device") {
		t.Errorf("pod 0 printed %s", got)
	}
	p.start(0)
	p.expectExit(exitDone, 0, 1)
}

// TestHungRankIsDetected: the mesh of a run is a named pipe without a writer, so that rank 0 hangs while its
// connections stay alive. The hang is detected, and the run completes once a real mesh replaces the pipe.
func TestHungRankIsDetected(t *testing.T) {
	t.Parallel()
	dir := caseFile(t, strings.ReplaceAll("solver = 'smooth'\n[mesh]\nfile = 'm.msh'\n[metric]\nfield = 'uniform'\n"+
		"[method]\nsweeps = 3\n[output]\ndir = 'out'\n", "'", `"`))
	mesh := filepath.Join(dir, "m.msh")
	if err := syscall.Mkfifo(mesh, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &faultyRun{t: t, dir: dir, args: []string{"run", "case.toml", "--ranks", "2", "--transport", "grpc", "--quiet",
		"--stuck", "2s"}}
	d.launch()
	d.waitFor("second epoch", func() bool { return d.epoch() > 1 })
	if err := os.Rename(squareFile(t, "square.msh"), mesh); err != nil {
		t.Fatal(err)
	}
	code, stderr := d.launcher.end(t)
	if code != exitDone || !strings.Contains(stderr, "it has completed no step") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
