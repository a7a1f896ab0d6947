// Package slurmtest brings up a cluster of Slurm for a test, on this machine and as this user, with a munged,
// slurmctld and slurmd processes of its own, and takes it down again. It needs Debian's slurmctld, slurmd,
// slurm-client and munge, or the same programs from elsewhere, and neither systemd nor cgroups.
package slurmtest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// Cluster is a running cluster. Its nodes are called n1, n2 and so on, and are all this machine.
type Cluster struct {
	t    testing.TB
	dir  string // of configuration, sockets, state and logs
	env  []string
	logs []string
}

const (
	startLimit = 20 * time.Second // for all nodes to be idle
	stopLimit  = 5 * time.Second  // for a daemon to end, before it is killed
)

// Start brings up a cluster of so many nodes, which ends with the test. The test is skipped where Slurm is not
// installed, and says what to install.
func Start(t testing.TB, nodes int) *Cluster {
	t.Helper()
	programs := map[string]string{}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo", "scancel"} {
		path := find(name)
		if path == "" {
			needs.Missing(t, "%s is not installed (Debian: apt-get install slurmctld slurmd slurm-client munge)", name)
		}
		programs[name] = path
	}
	// The path of munge's socket has to be short, which that of t.TempDir is not.
	dir, err := os.MkdirTemp("/tmp", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: dir}
	t.Cleanup(func() {
		if t.Failed() {
			c.showLogs()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c.configure(nodes)
	c.env = []string{"SLURM_CONF=" + c.path("slurm.conf")}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "SLURM") && !strings.HasPrefix(entry, "SBATCH") && !strings.HasPrefix(entry, "SRUN") {
			c.env = append(c.env, entry)
		}
	}
	c.daemon(programs["munged"], "--foreground", "--force", "--key-file="+c.path("munge.key"),
		"--socket="+c.path("munge.socket"), "--pid-file="+c.path("munged.pid"), "--seed-file="+c.path("munged.seed"))
	c.until("munged listens", func() bool { _, err := os.Stat(c.path("munge.socket")); return err == nil })
	c.daemon(programs["slurmctld"], "-D", "-c")
	for n := range nodes {
		c.daemon(programs["slurmd"], "-D", "-N", fmt.Sprintf("n%d", n+1))
	}
	c.until("all nodes are idle", func() bool {
		out, err := c.Command("sinfo", "--noheader", "--Node", "--format=%T").Output()
		return err == nil && strings.Count(string(out), "idle\n") == nodes
	})
	t.Cleanup(func() {
		// Tasks that are left would outlive their slurmd.
		_ = c.Command("scancel", "--user="+username(t)).Run()
		c.until("all tasks have ended", func() bool {
			left, err := filepath.Glob(c.path("n*", "*_[0-9]*.*")) // the sockets of slurmstepd
			return err == nil && len(left) == 0
		})
	})
	return c
}

// Command prepares one of Slurm's commands, or any other, as a user of the cluster would start it.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	path := find(name)
	if path == "" {
		path = name
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append([]string(nil), c.env...)
	return cmd
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

// find looks where daemons are too, which is not in everybody's PATH.
func find(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

func username(t testing.TB) string {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// configure writes slurm.conf and munge's key.
func (c *Cluster) configure(nodes int) {
	key := make([]byte, 1024)
	rand.Read(key)
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	ports := freePorts(c.t, nodes+1)
	name := username(c.t)
	conf := strings.NewReplacer("HOST", host, "DIR", c.dir, "USER", name, "PORT", fmt.Sprint(ports[0])).Replace(slurmConf)
	for n := range nodes {
		node := fmt.Sprintf("n%d", n+1)
		// Two processors at least, so that a node takes two tasks on any machine.
		conf += fmt.Sprintf("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d\n", node, host, ports[n+1],
			max(2, runtime.NumCPU()))
		for _, dir := range []string{node, filepath.Join("tmp", node)} {
			if err := os.MkdirAll(c.path(dir), 0o700); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	conf += "PartitionName=test Nodes=ALL Default=YES MaxTime=5 State=UP\n"
	for file, content := range map[string][]byte{"slurm.conf": []byte(conf), "munge.key": key} {
		if err := os.WriteFile(c.path(file), content, 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := os.Mkdir(c.path("state"), 0o700); err != nil {
		c.t.Fatal(err)
	}
}

// slurmConf is the configuration but for nodes and partition. TmpFS keeps the nodes' directories of PMIx apart, which
// on one machine would have the same name.
const slurmConf = `ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket
CredType=cred/munge
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.%n.pid
TmpFS=DIR/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
`

// freePorts returns ports that nobody listened on a moment ago.
func freePorts(t testing.TB, n int) []int {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// daemon starts a daemon in the foreground; it ends after all daemons that are started later.
func (c *Cluster) daemon(path string, args ...string) {
	c.t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = c.env
	name := c.path(fmt.Sprintf("%d-%s.log", len(c.logs), filepath.Base(path)))
	log, err := os.Create(name)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	// A test that is killed takes its cluster with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.logs = append(c.logs, name)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // a daemon that fails shows in what the cluster does not do, and in its log
	}()
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(stopLimit):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
}

func (c *Cluster) until(what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(startLimit); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("after %v still not so: %s", startLimit, what)
		}
	}
}

// showLogs shows the ends of the daemons' logs.
func (c *Cluster) showLogs() {
	for _, name := range c.logs {
		text, err := os.ReadFile(name)
		if err != nil {
			c.t.Log(err)
			continue
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		c.t.Logf("%s ends:\n%s", filepath.Base(name), bytes.Join(lines[max(0, len(lines)-20):], nil))
	}
}
