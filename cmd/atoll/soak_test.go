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

// usage is what a run takes of its machine.
type usage struct {
	memory    int64 // bytes of the launcher
	workers   int64 // bytes of the largest rank
	files     int   // that the launcher has open
	processes int   // that the launcher has started and are there
	disk      int64 // bytes of the folder, but for tables, which grow by rows
	temporary int   // directories of sockets
}

func (u usage) String() string {
	return fmt.Sprintf("launcher %d KiB, %d files, %d processes; rank %d KiB; folder %d KiB; %d directories of sockets",
		u.memory>>10, u.files, u.processes, u.workers>>10, u.disk>>10, u.temporary)
}

func (d *disturbed) usage() (u usage) {
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
			if info, err := e.Info(); err == nil { // it may have gone meanwhile
				u.disk += info.Size()
			}
		}
		return nil
	})
	left, _ := filepath.Glob(filepath.Join(d.dir, "tmp", "*"))
	u.temporary = len(left)
	return u
}

// resident is how much memory a process has, 0 if there is no such process.
func resident(pid int) int64 { return memoryOf(pid, "VmRSS:") }

// memoryOf is what the system tells of a process's memory, in bytes; 0 if there is no such process.
func memoryOf(pid int, what string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(text, []byte(what))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kib << 10
}

// TestSoak: a run of which a rank is killed every minute, for as long as ATOLL_SOAK says, takes no more memory, files
// and disk at its end than after its first minutes, and what it has saved then is what its steps compute.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(envSoak))
	if err != nil {
		t.Skipf("%s does not say how long, as 15m would: make soak", envSoak)
	}
	path, err := filepath.Abs("../../examples/dam-break.toml")
	if err != nil {
		t.Fatal(err)
	}
	d := &disturbed{t: t, dir: t.TempDir()}
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
		t.Logf("%s: minute %d, epoch %d, step %d: %v", time.Now().Format(time.TimeOnly), minute, d.epoch(), d.saved(), late)
		if minute <= 3 {
			early = late
		}
		before := d.epoch()
		d.hit(random, false)
		d.until("epoch", func() bool { return d.epoch() > before })
	}
	d.progress(random)
	if err := d.launcher.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, said := d.launcher.end(t); code != exitSaved {
		t.Fatalf("exit code %d: %s", code, said)
	}
	// The heap of a program that collects its garbage breathes.
	const breath = 16 << 20
	if late.memory > early.memory+breath || late.workers > early.workers+breath || late.files > early.files ||
		late.processes > early.processes || late.disk > early.disk+early.disk/2 || late.temporary > early.temporary {
		t.Errorf("early: %v\nlate:  %v", early, late)
	}
	audit := atoll(t, d.dir, nil, "audit", "out", "--segment", "2")
	if code := audit.code(t); code != exitDone {
		t.Errorf("the last steps are not what they were: exit code %d\n%s%s", code, audit.stdout.String(),
			audit.stderr.String())
	}
}
