//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCaseIsReadOnce proves that a run keeps its case when somebody edits the file: ranks that are started again after
// a loss do not read it.
func TestCaseIsReadOnce(t *testing.T) {
	dir := caseFile(t, longCase)
	c := atoll(t, dir, nil, "run", "case.toml", "-q", "-n", "2", "--transport", "grpc", "--silence", "1m", "--set",
		"checkpoint.steps=3")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				_ = c.Process.Kill()
				t.Fatalf("no %s within a minute", what)
			}
		}
	}
	last := func() string {
		saved := filesLike(t, dir, "out/checkpoints/*.ckpt")
		if len(saved) == 0 {
			return ""
		}
		return saved[len(saved)-1]
	}
	await("checkpoint", func() bool { return last() != "" })
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte("an unfinished edit"), 0o666); err != nil {
		t.Fatal(err)
	}
	rank := ranksOf(t, c.Process.Pid, 2)[1]
	if err := syscall.Kill(rank, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await("second epoch", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "out", "epoch.json"))
		return err == nil && strings.Contains(string(text), `"epoch": 2`)
	})
	before := last()
	await("later checkpoint", func() bool { return last() > before })
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, stderr := c.end(t); code != exitSaved {
		t.Errorf("exit code %d, printed\n%s", code, stderr)
	}
}
