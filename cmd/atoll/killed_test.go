//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitForLoop waits until a run has finished its set-up and is about to take its first step.
func waitForLoop(t *testing.T, out string) {
	t.Helper()
	for end := time.Now().Add(time.Hour); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(out, "conservation.csv")); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the run did not reach its first step within a minute")
		}
	}
}

// ranksOf returns the process ids, by rank, of the n ranks that a command started.
func ranksOf(t *testing.T, parent, n int) map[int]int {
	t.Helper()
	pids := map[int]int{}
	for deadline := time.Now().Add(time.Hour); len(pids) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d ranks started", len(pids), n)
		}
		entries, err := os.ReadDir("/proc")
		if err != nil {
			t.Skip("no /proc: cannot find the rank processes")
		}
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || parentOf(pid) != parent {
				continue
			}
			env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			for _, v := range strings.Split(string(env), "\x00") {
				if rank, ok := strings.CutPrefix(v, "ATOLL_RANK="); ok {
					r, _ := strconv.Atoi(rank)
					pids[r] = pid
				}
			}
		}
	}
	return pids
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The command's name, in parentheses, may hold spaces.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

// TestKilledRankEndsTheRun: with --retries 0, kill -9 of any rank ends every process, with exit code 1 and a message
// that names the rank.
func TestKilledRankEndsTheRun(t *testing.T) {
	for victim := range 4 {
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			dir := caseFile(t, strings.ReplaceAll(smallCase, "end = 0.2", "end = 1e4"))
			c := atoll(t, dir, nil, "run", "case.toml", "--ranks", "4", "--transport", "grpc", "--retries", "0")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pids := ranksOf(t, c.Process.Pid, 4)
			waitForLoop(t, filepath.Join(dir, "out"))
			if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			code, stderr := c.end(t)
			if code != exitFailed {
				t.Errorf("exit code %d", code)
			}
			for r, pid := range pids {
				if syscall.Kill(pid, 0) == nil && parentOf(pid) == c.Process.Pid {
					t.Errorf("rank %d still runs", r)
				}
			}
			if want := fmt.Sprintf("rank %d was killed by signal 9", victim); !strings.Contains(stderr, want) {
				t.Errorf("stderr does not say %q:\n%s", want, stderr)
			}
		})
	}
}
