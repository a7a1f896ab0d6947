// Package slurmtest starts a Slurm cluster for a test, on this machine and as this user. The cluster has its own
// processes munged, slurmctld and slurmd, which end with the test. The package needs the programs of Debian's packages
// slurmctld, slurmd, slurm-client and munge, but neither systemd nor cgroups.
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

// Cluster is a running cluster. Its nodes n1, n2, … all run on this machine.
type Cluster struct {
	t    testing.TB
	dir  string // has the configuration, sockets, state and logs
	env  []string
	logs []string
}

const (
	startLimit = 20 * time.Second // for all nodes to become idle
	stopLimit  = 5 * time.Second  // for a daemon to end after SIGTERM, before SIGKILL
)

// Start starts a cluster, which ends with the test. If Slurm is not installed it skips the test, with a message that
// says what to install.
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
	// The path of munge's socket must be short, and the path of t.TempDir is too long.
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
		// Remaining tasks would outlive their slurmd.
		_ = c.Command("scancel", "--user="+username(t)).Run()
		c.until("all tasks have ended", func() bool {
			sockets, err := filepath.Glob(c.path("n*", "*_[0-9]*.*")) // of slurmstepd
			return err == nil && len(sockets) == 0
		})
	})
	return c
}

// Command returns an unstarted command, of Slurm or another program, with the environment of a user of the cluster.
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

// find returns the path of a program, or "". It also searches the directories of daemons, which PATH may lack.
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
		// At least two processors, so that a node accepts two tasks on any machine.
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

// slurmConf is the configuration without the nodes and the partition. TmpFS gives each node its own directory for PMIx:
// on one machine these would otherwise have the same name.
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

// freePorts returns TCP ports that were free during the call.
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

// daemon starts a daemon in the foreground. At the end of the test, daemons are stopped in reverse order.
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
	// When the test is killed, the kernel kills the daemon.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.logs = append(c.logs, name)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // if the daemon fails, a later wait for the cluster times out, and the test shows the log
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

// until fails the test unless ok becomes true within startLimit.
func (c *Cluster) until(condition string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(startLimit); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("not true after %v: %s", startLimit, condition)
		}
	}
}

// showLogs logs the last lines of the daemons' logs.
func (c *Cluster) showLogs() {
	for _, name := range c.logs {
		text, err := os.ReadFile(name)
		if err != nil {
			c.t.Log(err)
			continue
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		c.t.Logf("last lines of %s:\n%s", filepath.Base(name), bytes.Join(lines[max(0, len(lines)-20):], nil))
	}
}
