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

// marker is the file by which a folder of kept results is known. It says what build they are of.
const marker = "build.txt"

// side is one of the two builds, with the results of it.
type side struct {
	line    string // what it is
	binary  string // "" if its results were there before
	dir     string // of results
	backend string
	limit   time.Duration
}

// open makes a side of a commit, a folder, a binary, or results that were kept.
func (o *options) open(ctx context.Context, what, temporary, kept, name string) (*side, error) {
	s := &side{dir: filepath.Join(kept, name), backend: o.backend, limit: o.limit}
	if line, err := os.ReadFile(filepath.Join(what, marker)); err == nil {
		s.dir, s.line = what, "results of "+strings.TrimSpace(string(line))
		return s, nil
	}
	var err error
	if s.binary, s.line, err = builds.Binary(ctx, what, filepath.Join(temporary, "builds"), name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	return s, os.WriteFile(filepath.Join(s.dir, marker), []byte(s.line+"\n"), 0o666)
}

// folder holds the results of a case.
func (s *side) folder(w *work) string { return filepath.Join(s.dir, w.name()) }

// forget removes the results of a case, unless they were there before.
func (s *side) forget(w *work) error {
	if s.binary == "" {
		return nil
	}
	return os.RemoveAll(s.folder(w))
}

// results runs a case, and returns how long it took. Errors have the last words of the build.
func (s *side) results(ctx context.Context, w *work) (time.Duration, error) {
	if s.binary == "" {
		if !exists(s.folder(w)) {
			return 0, fmt.Errorf("the old results have nothing of it: they are in %s", s.dir)
		}
		return 0, nil
	}
	if err := errors.Join(os.RemoveAll(s.folder(w)), os.MkdirAll(s.folder(w), 0o777)); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	args := w.args
	if !w.report {
		args = append(args[:len(args):len(args)], "--out", s.folder(w), "--backend", s.backend)
	}
	c := exec.CommandContext(ctx, s.binary, args...)
	c.Dir = w.folder
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // so that it ends the processes of its ranks
	c.WaitDelay = 10 * time.Second
	var printed, complaints bytes.Buffer
	c.Stdout, c.Stderr = &printed, &complaints
	begin := time.Now()
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return 0, fmt.Errorf("%w: %s", err, builds.LastLine(complaints.Bytes()))
	}
	took := time.Since(begin)
	if w.report {
		return took, os.WriteFile(filepath.Join(s.folder(w), results.VerifyFile), printed.Bytes(), 0o666)
	}
	return took, nil
}
