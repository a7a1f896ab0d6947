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

// podsOf are processes that stand for pods of a Job: each has the environment and the certificate of one.
type podsOf struct {
	*disturbed
	ports []string // of the ranks, of the place where supervisors meet, and of the health of pod 0
	pods  map[int]*command
}

// freePorts are addresses of loopback at which nobody listens.
func freePorts(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // when all are found
		all = append(all, l.Addr().String())
	}
	return all
}

func (p *podsOf) start(index int) {
	p.t.Helper()
	at := p.ports[index]
	args := append(append([]string{}, p.args...), "--listen", at, "--announce", at, "--places", p.ports[6],
		"--certs", filepath.Join(p.dir, "certs"))
	if index == 0 {
		args = append(args, "--health", p.ports[7])
	}
	c := atoll(p.t, p.dir, []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index), "ATOLL_JOB_UID=a1"}, args...)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.pods[index] = c
	p.t.Cleanup(func() { _ = c.Process.Kill() })
	if index == 0 {
		p.launcher = c
	}
}

func (p *podsOf) signal(s syscall.Signal, indices ...int) {
	p.t.Helper()
	for _, i := range indices {
		if err := p.pods[i].Process.Signal(s); err != nil {
			p.t.Fatal(err)
		}
	}
}

// ended waits for the end of pods.
func (p *podsOf) ended(want int, indices ...int) {
	p.t.Helper()
	for _, i := range indices {
		if code, said := p.pods[i].end(p.t); code != want {
			p.t.Fatalf("pod %d: exit code %d, want %d: %s", i, code, want, said)
		}
	}
}

// on waits until the run continues, in a later epoch, on so many ranks.
func (p *podsOf) on(ranks int, after uint64) (epoch uint64) {
	p.t.Helper()
	p.until(fmt.Sprintf("epoch after %d of %d ranks", after, ranks), func() bool {
		e, err := folder.ReadEpoch(p.out())
		epoch = e.Epoch
		return err == nil && e.Ranks == ranks && e.Epoch > after
	})
	return epoch
}

// ready asks the health service of pod 0.
func (p *podsOf) ready() bool {
	conn, err := grpc.NewClient(p.ports[7], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(p.t.Context(), time.Second)
	defer stop()
	r, err := protocol.NewHealthClient(conn).Check(ctx, &protocol.HealthCheckRequest{Service: "ranks"})
	return err == nil && r.Status == protocol.HealthCheckResponse_SERVING
}

// TestPods: a Job that goes from 4 pods to 2 and to 6, and of which pod 0 is killed, ends as an undisturbed run does. A
// pod that is made anew after that has nothing to do.
func TestPods(t *testing.T) {
	t.Parallel()
	c := chaosCases[0]
	c.steps, c.every = 2*c.steps, 2*c.every // so that it does not end before all pods have joined
	args := c.args(t, "cpu")
	whole := undisturbed(t, append(args, "--ranks", "1", "--transport", "local"))
	p := &podsOf{disturbed: &disturbed{t: t, dir: t.TempDir()}, pods: map[int]*command{}}
	p.args = append(args, "--ranks", "4", "--elastic", "1:6")
	p.ports = freePorts(t, 8)
	if c := atoll(t, p.dir, nil, "certs", "certs", "--ranks", "6"); c.code(t) != exitDone {
		t.Fatal(c.stderr.String())
	}
	for i := range 4 {
		p.start(i)
	}
	p.on(4, 0)
	p.until("checkpoint", func() bool { return p.saved() > 0 })
	if !p.ready() {
		t.Error("its rank is at work, and pod 0 is not ready")
	}
	p.signal(syscall.SIGTERM, 3, 2)
	p.ended(exitSaved, 3, 2)
	epoch := p.on(2, 1)
	for i := 2; i < 6; i++ {
		p.start(i)
	}
	epoch = p.on(6, epoch)
	was := p.saved()
	p.until("checkpoint", func() bool { return p.saved() > was })
	p.signal(syscall.SIGKILL, 0)
	_ = p.pods[0].Wait()
	p.start(0)
	p.on(6, epoch)
	p.ended(exitDone, 0, 1, 2, 3, 4, 5)
	s := readSummary(t, filepath.Join(p.out(), "summary.json"))
	one := readSummary(t, filepath.Join(whole, "out", "summary.json"))
	if s.StateSHA256 != one.StateSHA256 || s.Ranks != 6 {
		t.Errorf("state %s on %d ranks, of one rank %s", s.StateSHA256, s.Ranks, one.StateSHA256)
	}
	last := p.epoch()
	p.start(0)
	p.start(4)
	p.ended(exitDone, 0, 4)
	if p.epoch() != last {
		t.Error("pods that were made anew ran the case again")
	}
}

// TestRankThatHangsByItself: of a run whose mesh is a pipe that nobody writes to, rank 0 waits for it for ever, and its
// connections live. It is found, and the run continues when the mesh is there.
func TestRankThatHangsByItself(t *testing.T) {
	t.Parallel()
	dir := caseFile(t, strings.ReplaceAll("solver = 'smooth'\n[mesh]\nfile = 'm.msh'\n[metric]\nfield = 'uniform'\n"+
		"[method]\nsweeps = 3\n[output]\ndir = 'out'\n", "'", `"`))
	mesh := filepath.Join(dir, "m.msh")
	if err := syscall.Mkfifo(mesh, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &disturbed{t: t, dir: dir, args: []string{"run", "case.toml", "--ranks", "2", "--transport", "grpc", "--quiet",
		"--stuck", "2s"}}
	d.launch()
	d.until("second epoch", func() bool { return d.epoch() > 1 })
	if err := os.Rename(squareFile(t, "square.msh"), mesh); err != nil {
		t.Fatal(err)
	}
	code, said := d.launcher.end(t)
	if code != exitDone || !strings.Contains(said, "hangs: it has completed no step") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
