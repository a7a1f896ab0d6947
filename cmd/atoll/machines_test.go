//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/cmd/atoll/places"
)

// machines are two network namespaces, which stand for two machines: a cable is between them, and nothing else.
type machines struct {
	t     *testing.T
	names [2]string
	cable string // the end of it at the first one
}

// address is where the k-th is found by the other.
func (h *machines) address(k int) string { return fmt.Sprintf("10.77.0.%d", k+1) }

// twoMachines makes them; where that cannot be done the test is skipped.
func twoMachines(t *testing.T, number int) *machines {
	t.Helper()
	id := fmt.Sprintf("at%d-%d", os.Getpid()%100000, number)
	h := &machines{t: t, names: [2]string{id + "a", id + "b"}, cable: id + "a"}
	ip := func(args ...string) error {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v: %w: %s", args, err, out)
		}
		return nil
	}
	for _, name := range h.names {
		if err := ip("netns", "add", name); err != nil {
			t.Skipf("no network namespaces: %v", err)
		}
		t.Cleanup(func() { _ = ip("netns", "del", name) })
	}
	steps := [][]string{{"link", "add", h.names[0], "netns", h.names[0], "type", "veth", "peer", "name", h.names[1],
		"netns", h.names[1]}}
	for k, name := range h.names {
		steps = append(steps, []string{"-n", name, "addr", "add", h.address(k) + "/24", "dev", name},
			[]string{"-n", name, "link", "set", name, "up"}, []string{"-n", name, "link", "set", "lo", "up"})
	}
	for _, s := range steps {
		if err := ip(s...); err != nil {
			t.Skipf("no cable between network namespaces: %v", err)
		}
	}
	return h
}

// plug puts the cable in, or pulls it out.
func (h *machines) plug(how string) {
	if out, err := exec.Command("ip", "-n", h.names[0], "link", "set", h.cable, how).CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
}

// on makes a command one of the k-th host. Its process is the command's own.
func (h *machines) on(k int, c *command) *command {
	ip, err := exec.LookPath("ip")
	if err != nil {
		h.t.Fatal(err)
	}
	c.Args = append([]string{"ip", "netns", "exec", h.names[k], c.Path}, c.Args[1:]...)
	c.Path = ip
	return c
}

// TestChaosOnTwoHosts: a run of which two ranks are on another machine ends as one that nobody disturbs, though ranks
// and supervisors of both are killed and stopped, and the cable between them is pulled.
func TestChaosOnTwoHosts(t *testing.T) {
	o := chaosOptionsOf(t)
	cases := chaosCases
	if o.times < 10 { // in a test of a minute
		cases = cases[:1]
	}
	for k, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := twoMachines(t, k)
			random := o.random(t, k)
			args := append(c.args(t, o.backend), "--ranks", "4", "--transport", "grpc")
			whole := undisturbed(t, args)
			d := &disturbed{t: t, dir: t.TempDir(), hosts: h, args: append(args, "--places", h.address(0)+":7000",
				"--slots", "2", "--listen", h.address(0)+":0", "--certs", "certs")}
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
	d.hosts.plug("down")
	time.Sleep(places.Silence + 2*time.Second)
	d.hosts.plug("up")
}

// visit starts the supervisor of the other host.
func (d *disturbed) visit() {
	d.visitor = d.hosts.on(1, atoll(d.t, d.dir, nil, "supervise", "--join", d.hosts.address(0)+":7000", "--slots", "2",
		"--listen", d.hosts.address(1), "--certs", "certs", "--threads", "1"))
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
