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

// machines are two network namespaces, of which a cable is all that there is between them.
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

// plug puts the cable in, or pulls it out.
func (m *machines) plug(how string) {
	if out, err := exec.Command("ip", "-n", m.names[0], "link", "set", "wire", how).CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
}

// on makes a command one of the k-th host. Its process is the command's own.
func (m *machines) on(k int, c *command) *command {
	ip := needs.Program(m.t, "ip", "iproute2")
	c.Args = append([]string{"ip", "netns", "exec", m.names[k], c.Path}, c.Args[1:]...)
	c.Path = ip
	return c
}

// TestChaosOnTwoHosts: a run of which two ranks are on another machine ends as one that nobody disturbs, though ranks
// and supervisors of both are killed and stopped, and the cable between them is pulled.
func TestChaosOnTwoHosts(t *testing.T) {
	o := chaosOptionsOf(t)
	cases := chaosCases
	if o.times < 10 { // in a test of a minute
		cases, o.times = cases[:1], 2
	}
	for k, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := twoMachines(t)
			random := o.random(t, k)
			args := append(c.args(t, o.backend), "--ranks", "4", "--transport", "grpc")
			whole := undisturbed(t, args)
			d := &disturbed{t: t, dir: t.TempDir(), machines: m, args: append(args, "--places", m.addresses[0]+":7000",
				"--slots", "2", "--listen", m.addresses[0]+":0", "--certs", "certs")}
			certs := atoll(t, d.dir, nil, "certs", "certs", "--ranks", "4")
			if code := certs.code(t); code != exitDone {
				t.Fatal(certs.stderr.String())
			}
			d.launch()
			d.visit()
			ways := []func(){d.pull, d.killLauncher, func() { d.hit(random, false) }, func() { d.hit(random, true) },
				d.killVisitor}
			for i := range o.times {
				d.progress(random)
				before := d.epoch()
				ways[i%len(ways)]()
				d.until("epoch", func() bool { return d.epoch() > before })
			}
			if code, said := d.launcher.end(t); code != exitDone {
				t.Fatalf("exit code %d: %s", code, said)
			}
			if code, said := d.visitor.end(t); code != exitDone {
				t.Errorf("supervisor: exit code %d: %s", code, said)
			}
			sameOutput(t, filepath.Join(whole, "out"), d.out())
		})
	}
}

// pull pulls the cable for longer than the silence after which the others are given up.
func (d *disturbed) pull() {
	d.machines.plug("down")
	time.Sleep(members.SilenceLimit + 2*time.Second)
	d.machines.plug("up")
}

// visit starts the supervisor of the other host.
func (d *disturbed) visit() {
	d.visitor = d.machines.on(1, atoll(d.t, d.dir, nil, "supervise", "--join", d.machines.addresses[0]+":7000",
		"--slots", "2", "--listen", d.machines.addresses[1], "--certs", "certs", "--threads", "1"))
	if err := d.visitor.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = d.visitor.Process.Kill() })
}

func (d *disturbed) killVisitor() {
	if err := d.visitor.Process.Kill(); err != nil {
		d.t.Fatal(err)
	}
	d.visitor.end(d.t)
	d.visit()
}

// random is a source of what happens, which a seed repeats.
func (o chaosOptions) random(t *testing.T, k int) *rand.Rand {
	t.Logf("%s=%d", envSeed, o.seed)
	return rand.New(rand.NewPCG(o.seed, uint64(k)))
}
