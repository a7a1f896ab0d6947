//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// usage is the resources that a run uses on its machine.
type usage struct {
	memory    int64 // resident bytes of the launcher
	workers   int64 // resident bytes of the largest rank
	files     int   // open in the launcher
	processes int   // live children of the launcher
	disk      int64 // bytes in the output folder, without tables, which grow
	temporary int   // temporary folders of sockets
}

func (u usage) String() string {
	return fmt.Sprintf("launcher %d KiB, %d files, %d processes; rank %d KiB; folder %d KiB; %d directories of sockets",
		u.memory>>10, u.files, u.processes, u.workers>>10, u.disk>>10, u.temporary)
}

func (d *faultyRun) usage() (u usage) {
	pid := d.launcher.Process.Pid
	u.memory = resident(pid)
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	u.files = len(files)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil && parentOf(child) == pid {
			u.processes++
			u.workers = max(u.workers, resident(child))
		}
	}
	_ = filepath.WalkDir(d.out(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, ".csv") {
			if info, err := e.Info(); err == nil { // it may have been deleted meanwhile
				u.disk += info.Size()
			}
		}
		return nil
	})
	left, _ := filepath.Glob(filepath.Join(d.dir, "tmp", "*"))
	u.temporary = len(left)
	return u
}

// resident returns the resident memory of a process in bytes, 0 if there is no such process.
func resident(pid int) int64 { return memoryOf(pid, "VmRSS:") }

// memoryOf returns the entry field of /proc/PID/status in bytes; 0 if there is no such process.
func memoryOf(pid int, field string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(text, []byte(field))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kib << 10
}

// TestSoak kills a rank of a run every minute for the duration ATOLL_SOAK. At the end the run uses no more memory,
// files and disk than after the first minutes, and an audit confirms its last checkpoint.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(envSoak))
	if err != nil {
		t.Skipf("set %s to a duration, as in 15m: make soak", envSoak)
	}
	path, err := filepath.Abs("../../examples/dam-break.toml")
	if err != nil {
		t.Fatal(err)
	}
	d := &faultyRun{t: t, dir: t.TempDir()}
	d.args = []string{"run", path, "--out", "out", "--quiet", "--ranks", "4", "--transport", "grpc", "--threads", "1",
		"--set", "mesh.cells=8000", "--set", "time.end=1e6", "--set", "output.every=1e6", "--set", "checkpoint.every=10",
		"--set", "output.conservation_every=100"}
	if err := os.Mkdir(filepath.Join(d.dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(d.dir, "tmp"))
	d.launch()
	random := rand.New(rand.NewPCG(1, 2))
	var early, late usage
	begin := time.Now()
	for minute := 1; time.Since(begin) < length; minute++ {
		time.Sleep(time.Until(begin.Add(time.Duration(minute) * time.Minute)))
		late = d.usage()
		t.Logf("%s: minute %d, epoch %d, step %d: %v", time.Now().Format(time.TimeOnly), minute, d.epoch(), d.savedSteps(),
			late)
		if minute <= 3 {
			early = late
		}
		before := d.epoch()
		d.disturbRank(random, false)
		d.waitFor("epoch", func() bool { return d.epoch() > before })
	}
	d.awaitProgress(random)
	if err := d.launcher.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, stderr := d.launcher.end(t); code != exitSaved {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	// The heap size varies between garbage collections.
	const heapVariation = 16 << 20
	if late.memory > early.memory+heapVariation || late.workers > early.workers+heapVariation ||
		late.files > early.files ||
		late.processes > early.processes || late.disk > early.disk+early.disk/2 || late.temporary > early.temporary {
		t.Errorf("early: %v\nlate:  %v", early, late)
	}
	audit := atoll(t, d.dir, nil, "audit", "out", "--segment", "2")
	if code := audit.code(t); code != exitDone {
		t.Errorf("audit of the last segment: exit code %d\n%s%s", code, audit.stdout.String(),
			audit.stderr.String())
	}
}
