package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/atoll-hpc/atoll/internal/builds"
	"github.com/atoll-hpc/atoll/internal/results"
)

// buildFile is a file in a folder of kept results: it describes the build that they are of.
const buildFile = "build.txt"

// side is one of the two builds, with its results.
type side struct {
	description string
	binary      string // "" if the results are kept ones
	dir         string // folder of the results
	backend     string
	limit       time.Duration // of a case
}

// open returns the side of a commit, a source folder, a binary, or a folder of kept results.
func (o *options) open(ctx context.Context, source, temporary, resultsDir, name string) (*side, error) {
	s := &side{dir: filepath.Join(resultsDir, name), backend: o.backend, limit: o.limit}
	if text, err := os.ReadFile(filepath.Join(source, buildFile)); err == nil {
		s.dir, s.description = source, "results of "+strings.TrimSpace(string(text))
		return s, nil
	}
	var err error
	if s.binary, s.description, err = builds.Binary(ctx, source, filepath.Join(temporary, "builds"), name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	return s, os.WriteFile(filepath.Join(s.dir, buildFile), []byte(s.description+"\n"), 0o666)
}

// folder returns the folder of a case's results.
func (s *side) folder(t *task) string { return filepath.Join(s.dir, t.name()) }

// remove removes the results of a case, unless they are kept ones.
func (s *side) remove(t *task) error {
	if s.binary == "" {
		return nil
	}
	return os.RemoveAll(s.folder(t))
}

// run runs a case, unless its results are kept ones, and returns the time that it took. Errors have the last line of
// the build's standard error.
func (s *side) run(ctx context.Context, t *task) (time.Duration, error) {
	if s.binary == "" {
		if !exists(s.folder(t)) {
			return 0, fmt.Errorf("the old results do not have this case: they are in %s", s.dir)
		}
		return 0, nil
	}
	if err := errors.Join(os.RemoveAll(s.folder(t)), os.MkdirAll(s.folder(t), 0o777)); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	args := t.args
	if !t.resultIsStdout {
		args = append(args[:len(args):len(args)], "--out", s.folder(t), "--backend", s.backend)
	}
	c := exec.CommandContext(ctx, s.binary, args...)
	c.Dir = t.folder
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // at SIGTERM it ends its ranks' processes
	c.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return 0, fmt.Errorf("%w: %s", err, builds.LastLine(stderr.Bytes()))
	}
	elapsed := time.Since(begin)
	if t.resultIsStdout {
		return elapsed, os.WriteFile(filepath.Join(s.folder(t), results.VerifyFile), stdout.Bytes(), 0o666)
	}
	return elapsed, nil
}
