//go:build linux

package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the program of the ranks, and of a parent process that tests can kill.
const (
	envRole = "ATOLL_TEST_ROLE" // "parent", or the roles of the ranks
	envPIDs = "ATOLL_TEST_PIDS" // a directory in which ranks write their process numbers

	noRaceSleep = "GORACE=atexit_sleep_ms=0" // a rank under the race detector would take a second to exit
)

func TestMain(m *testing.M) {
	if role := os.Getenv(envRole); role == "parent" {
		os.Exit(parent())
	} else if role != "" {
		os.Exit(rank(role))
	}
	goleak.VerifyTestMain(m)
}

// rank plays roles, "exit 3" for all ranks or "exit 3/wait/…" with one for each rank.
func rank(roles string) int {
	p, err := Detect()
	if err != nil || p.Launcher != Atoll {
		fmt.Fprintln(os.Stderr, "not a rank:", p, err)
		return 99
	}
	role := roles
	if each := strings.Split(roles, "/"); len(each) > 1 {
		role = each[p.Rank]
	}
	stop := make(chan os.Signal, 8)
	switch role {
	case "checkpoint", "slow-checkpoint":
		signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	case "ignore-signals":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	}
	if strings.HasPrefix(role, "fail ") {
		signal.Notify(stop, syscall.SIGUSR1)
	}
	writePID(p.Rank, os.Getpid(), "pid")
	if err := os.WriteFile(filepath.Join(p.Sockets, strconv.Itoa(p.Rank)+".sock"), nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	role, argument, _ := strings.Cut(role, " ")
	number, _ := strconv.Atoi(argument)
	switch role {
	case "exit":
		fmt.Println("environment:", p)
		fmt.Fprintln(os.Stderr, "code", number)
		return number
	case "fail": // after SIGUSR1
		<-stop
		return number
	case "progress", "hang":
		for begin, heartbeat := time.Now(), p.Heartbeat(); ; time.Sleep(10 * time.Millisecond) {
			if role == "progress" || time.Since(begin) < 100*time.Millisecond {
				heartbeat()
			}
		}
	case "wait", "ignore-signals":
		time.Sleep(time.Minute)
	case "detect": // exits when it loses a peer
		for {
			for peer := range p.Size {
				if pid, ok := readPID(os.Getenv(envPIDs), peer, "pid"); ok && !isRunning(pid) {
					fmt.Fprintf(os.Stderr, "lost rank %d\n", peer)
					return 1
				}
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "checkpoint":
		s := <-stop
		time.Sleep(100 * time.Millisecond)
		fmt.Fprintln(os.Stderr, "checkpoint after", s, "and", len(stop), "more")
		return 75
	case "slow-checkpoint": // takes longer than Grace in TestSlowCheckpointIsAwaited
		<-stop
		time.Sleep(700 * time.Millisecond)
		return 75
	case "child": // starts a child in its process group, which holds its output open
		cmd := exec.Command("sleep", "60")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return 97
		}
		writePID(p.Rank, cmd.Process.Pid, "child")
		return number
	case "detach-silent", "detach-slow", "detach-fast": // start a child in another session, which writes to the output
		flood(number)
		script := map[string]string{"detach-silent": "exec sleep 60", "detach-slow": "while echo; do sleep 0.05; done",
			"detach-fast": "exec yes ''"}[role]
		cmd := exec.Command("sh", "-c", script)
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return 97
		}
		writePID(p.Rank, cmd.Process.Pid, "child")
		return 0
	case "flood":
		flood(number)
		fmt.Println("the end")
		return 1
	}
	return 96
}

// flood writes lines of 1024 bytes.
func flood(lines int) {
	line := append(bytes.Repeat([]byte{'x'}, 1023), '\n')
	for range lines {
		os.Stdout.Write(line)
	}
}

// parent runs 3 ranks of the role in ATOLL_TEST_RANKS and prints their error.
func parent() int {
	err := Local(context.Background(), LocalConfig{
		Ranks: 3, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: append(os.Environ(), envRole+"="+os.Getenv("ATOLL_TEST_RANKS")),
	})
	fmt.Println("parent:", err)
	return ExitCode(err)
}

// writePID writes a process number to the file that readPID reads. process is "pid" for a rank, "child" for its child.
func writePID(rank, pid int, process string) {
	name := filepath.Join(os.Getenv(envPIDs), fmt.Sprintf("%s%d", process, rank))
	if err := os.WriteFile(name+"~", []byte(strconv.Itoa(pid)), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		panic(err)
	}
}

func readPID(dir string, rank int, process string) (pid int, ok bool) {
	b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s%d", process, rank)))
	if err != nil {
		return 0, false
	}
	pid, err = strconv.Atoi(string(b))
	return pid, err == nil
}

// isRunning reports whether a process exists and is not a zombie.
func isRunning(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := b[bytes.LastIndexByte(b, ')')+1:]
	return len(after) > 1 && after[1] != 'Z' && after[1] != 'X'
}
