//go:build linux

package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/internal/needs"
)

// machines are two network namespaces that stand for hosts, connected by one virtual cable.
type machines struct {
	t                *testing.T
	names, addresses [2]string
}

func twoMachines(t *testing.T) *machines {
	t.Helper()
	m := &machines{t: t}
	m.names, m.addresses = hosts(t)
	return m
}

// setLink connects or cuts the cable: state is "up" or "down".
func (m *machines) setLink(state string) {
	if out, err := exec.Command("ip", "-n", m.names[0], "link", "set", "wire", state).CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
}

// runOn makes c a command on the k-th host. ip netns exec replaces itself by c, so that the process id is that of
// c.
func (m *machines) runOn(k int, c *command) *command {
	ip := needs.Program(m.t, "ip", "iproute2")
	c.Args = append([]string{"ip", "netns", "exec", m.names[k], c.Path}, c.Args[1:]...)
	c.Path = ip
	return c
}

// TestChaosOnTwoHosts: a run with two ranks on another host has the output of an undisturbed run, although ranks
// and supervisors on both hosts are killed and stopped, and the cable between them is cut.
func TestChaosOnTwoHosts(t *testing.T) {
	o := chaosOptionsOf(t)
	cases := chaosCases
	if o.times < 10 { // keeps the test short
		cases, o.times = cases[:1], 2
	}
	for k, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := twoMachines(t)
			random := o.random(t, k)
			c.steps = c.steps * max(o.times, 5) / 20
			args := append(c.args(t, o.backend), "--ranks", "4", "--transport", "grpc")
			reference := runUndisturbed(t, args)
			d := &faultyRun{t: t, dir: t.TempDir(), machines: m, args: append(args, "--places", m.addresses[0]+":7000",
				"--slots", "2", "--listen", m.addresses[0]+":0", "--certs", "certs")}
			certs := atoll(t, d.dir, nil, "certs", "certs", "--ranks", "4")
			if code := certs.code(t); code != exitDone {
				t.Fatal(certs.stderr.String())
			}
			d.launch()
			d.startRemote()
			faults := []func(){d.cutNetwork, d.killLauncher, func() { d.disturbRank(random, false) },
				func() { d.disturbRank(random, true) },
				d.killRemote}
			for i := range o.times {
				d.awaitProgress(random)
				before := d.epoch()
				faults[i%len(faults)]()
				d.waitFor("epoch", func() bool { return d.epoch() > before })
			}
			if code, stderr := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if code, stderr := d.remote.end(t); code != exitDone {
				t.Errorf("supervisor: exit code %d: %s", code, stderr)
			}
			compareOutput(t, filepath.Join(reference, "out"), d.out())
		})
	}
}

// cutNetwork cuts the cable for longer than the silence after which members count as lost.
func (d *faultyRun) cutNetwork() {
	d.machines.setLink("down")
	time.Sleep(members.SilenceLimit + 2*time.Second)
	d.machines.setLink("up")
}

// startRemote starts the supervisor on the second host.
func (d *faultyRun) startRemote() {
	d.remote = d.machines.runOn(1, atoll(d.t, d.dir, nil, "supervise", "--join", d.machines.addresses[0]+":7000",
		"--slots", "2", "--listen", d.machines.addresses[1], "--certs", "certs", "--threads", "1"))
	if err := d.remote.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = d.remote.Process.Kill() })
}

func (d *faultyRun) killRemote() {
	if err := d.remote.Process.Kill(); err != nil {
		d.t.Fatal(err)
	}
	d.remote.end(d.t)
	d.startRemote()
}

// random returns the random source of the k-th case. It logs the seed, which reproduces the faults.
func (o chaosOptions) random(t *testing.T, k int) *rand.Rand {
	t.Logf("%s=%d", envSeed, o.seed)
	return rand.New(rand.NewPCG(o.seed, uint64(k)))
}
