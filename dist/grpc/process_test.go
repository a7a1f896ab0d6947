package grpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
)

// The test binary starts itself again as ranks. These environment variables configure a child.
const (
	childJob         = "GRPC_TEST_JOB"
	childRank        = "GRPC_TEST_RANK"
	childSize        = "GRPC_TEST_SIZE"
	childCoordinator = "GRPC_TEST_COORDINATOR"
)

// jobs are the programs of children after joining. When the run fails they exit without Close, as a program without
// error handling does.
var jobs = map[string]func(ctx context.Context, c dist.Comm) error{
	"cases": func(ctx context.Context, c dist.Comm) error {
		for _, k := range disttest.Cases() {
			if err := k.Run(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
		}
		return c.Close()
	},
	"messages": func(ctx context.Context, c dist.Comm) error {
		return forever(ctx, c, func(c dist.Comm, buf []byte) error {
			n, r := c.Size(), c.Rank()
			a, err := c.Irecv(ctx, (r+1)%n, 0, buf[:len(buf)/2])
			if err != nil {
				return err
			}
			b, err := c.Isend(ctx, (r+n-1)%n, 0, buf[len(buf)/2:])
			if err != nil {
				return err
			}
			return c.Wait(ctx, []dist.Request{a, b})
		})
	},
	"collectives": func(ctx context.Context, c dist.Comm) error {
		return forever(ctx, c, func(c dist.Comm, buf []byte) error {
			_, err := c.Allgatherv(ctx, buf)
			return err
		})
	},
	"aborts": func(ctx context.Context, c dist.Comm) error {
		if c.Rank() == 0 {
			c.Abort(9, errors.New("enough"))
			os.Exit(9)
		}
		return c.Barrier(ctx)
	},
}

func forever(_ context.Context, c dist.Comm, step func(c dist.Comm, buf []byte) error) error {
	buf := make([]byte, 1_000_000)
	for i := 0; ; i++ {
		if err := step(c, buf); err != nil {
			return err
		}
		if i%5 == 4 {
			fmt.Println("running")
		}
	}
}

// ranChildRank runs the job of a child process, and reports whether this process is one.
func ranChildRank() bool {
	job := jobs[os.Getenv(childJob)]
	if job == nil {
		return false
	}
	rank, _ := strconv.Atoi(os.Getenv(childRank))
	size, _ := strconv.Atoi(os.Getenv(childSize))
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	c, err := grpc.Join(ctx, grpc.Config{Rank: rank, Size: size, Coordinator: os.Getenv(childCoordinator)})
	if err == nil {
		err = job(ctx, c)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(3)
	}
	return true
}

// child is a rank that runs; out is complete when ended is closed.
type child struct {
	cmd     *exec.Cmd
	running chan struct{} // closed when the rank has taken steps
	lines   atomic.Int64  // printed lines, one every five steps
	ended   chan struct{}
	out     string
	endedAt time.Time
}

func startChildren(t *testing.T, job string, n int) []*child {
	t.Helper()
	address := "unix:" + grpctest.SocketDir(t) + "/c.sock"
	children := make([]*child, n)
	for r := range children {
		k := &child{cmd: exec.Command(os.Args[0]), running: make(chan struct{}), ended: make(chan struct{})}
		k.cmd.Env = append(os.Environ(), childJob+"="+job, childRank+"="+strconv.Itoa(r), childSize+"="+strconv.Itoa(n),
			childCoordinator+"="+address)
		pipe, err := k.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		k.cmd.Stderr = os.Stderr
		if err := k.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			k.cmd.Process.Kill() // fails if it has ended
			<-k.ended
		})
		go func() {
			defer close(k.ended)
			var output bytes.Buffer
			buf := make([]byte, 4096)
			for {
				n, err := pipe.Read(buf)
				output.Write(buf[:n])
				if lines := int64(bytes.Count(buf[:n], []byte("\n"))); lines > 0 && k.lines.Add(lines) == lines {
					close(k.running)
				}
				if err != nil {
					break
				}
			}
			k.cmd.Wait() // the exit state is read from cmd
			k.out, k.endedAt = output.String(), time.Now()
		}()
		children[r] = k
	}
	return children
}

// waitForSteps waits until the rank has taken more than five further steps, and returns false if it ends instead.
func (k *child) waitForSteps(t *testing.T) bool {
	t.Helper()
	deadline := time.Now().Add(time.Hour)
	for before := k.lines.Load(); k.lines.Load() < before+2; time.Sleep(10 * time.Millisecond) {
		select {
		case <-k.ended:
			return false
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("a rank hangs")
		}
	}
	return true
}

func (k *child) wait(t *testing.T, what <-chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-time.After(time.Hour):
		t.Fatal("a rank hangs")
	}
}

func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("TestConformance runs the same cases in one process, where the race detector sees all ranks")
	}
	for r, k := range startChildren(t, "cases", 4) {
		k.wait(t, k.ended)
		if !k.cmd.ProcessState.Success() {
			t.Errorf("rank %d: %v: %s", r, k.cmd.ProcessState, k.out)
		}
	}
}

func TestProcessThatExitsAfterAbort(t *testing.T) {
	for r, k := range startChildren(t, "aborts", 3) {
		k.wait(t, k.ended)
		if r > 0 && !strings.Contains(k.out, "rank 0 aborted the run: enough") {
			t.Errorf("rank %d: %s", r, k.out)
		}
	}
}
