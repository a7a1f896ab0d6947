//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// namespaces counts the network namespaces made so far, for unique names.
var namespaces atomic.Int64

// hosts makes two network namespaces that are connected by a virtual cable and stand for two machines.
func hosts(t *testing.T) (names, addresses [2]string) {
	t.Helper()
	ip := needs.Program(t, "ip", "iproute2")
	runIP := func(args ...string) error {
		out, err := exec.Command(ip, args...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return err
	}
	for i := range names {
		names[i] = fmt.Sprintf("atoll%d-%d", os.Getpid(), namespaces.Add(1))
		addresses[i] = fmt.Sprintf("10.77.0.%d", i+1)
		if err := runIP("netns", "add", names[i]); err != nil {
			needs.Missing(t, "no network namespaces, which root can make: %v", err)
		}
		t.Cleanup(func() {
			if err := runIP("netns", "del", names[i]); err != nil {
				t.Error(err)
			}
		})
	}
	commands := [][]string{{"link", "add", "wire", "netns", names[0], "type", "veth", "peer", "name", "wire", "netns",
		names[1]}}
	for i, name := range names {
		commands = append(commands, []string{"-n", name, "addr", "add", addresses[i] + "/24", "dev", "wire"},
			[]string{"-n", name, "link", "set", "wire", "up"}, []string{"-n", name, "link", "set", "lo", "up"})
	}
	for _, args := range commands {
		if err := runIP(args...); err != nil {
			needs.Missing(t, "no virtual cable between network namespaces: %v", err)
		}
	}
	return names, addresses
}

// Ranks on two machines connect by mutual TLS. When the cable between them is cut, each detects the loss of the
// other.
func TestCutOffRankIsDetected(t *testing.T) {
	names, addresses := hosts(t)
	dir := caseFile(t, smallCase)
	if code := atoll(t, dir, nil, "certs", "certs", "--ranks", "2").code(t); code != 0 {
		t.Fatal("no certificates")
	}
	var ranks [2]*command
	for rank := range ranks {
		c := atoll(t, dir, []string{"ATOLL_SIZE=2", fmt.Sprintf("ATOLL_RANK=%d", rank), "ATOLL_TOKEN=lagoon",
			"ATOLL_COORDINATOR=" + addresses[0] + ":7000"}, "run", "case.toml", "--set", "time.end=1000", "--certs", "certs",
			"--listen", ":7000", "--announce", addresses[rank]+":7000", "--silence", "2s")
		c.Args = append([]string{"ip", "netns", "exec", names[rank], c.Path}, c.Args[1:]...)
		c.Path = needs.Program(t, "ip", "iproute2")
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() }) // fails if it has ended
		ranks[rank] = c
	}
	waitForLoop(t, filepath.Join(dir, "out"))
	if out, err := exec.Command("ip", "-n", names[1], "link", "set", "wire", "down").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for rank, c := range ranks {
		_ = c.Wait() // the exit code is checked below
		want := fmt.Sprintf("rank %d: lost (the process died or stopped answering): no heartbeat for 2s", 1-rank)
		if stderr := c.stderr.String(); c.ProcessState.ExitCode() != 1 || !strings.Contains(stderr, want) {
			t.Errorf("rank %d: exit code %d, %q", rank, c.ProcessState.ExitCode(), stderr)
		}
	}
}
