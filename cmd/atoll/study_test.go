//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStudy: a study runs the case for each value and writes a table. Repeated, it runs nothing again.
func TestStudy(t *testing.T) {
	dir := caseFile(t, smallCase)
	args := []string{"study", "case.toml", "--set", "mesh.cells=200,800", "--set", "time.end=0.02", "--metric", "mass1"}
	for _, want := range []string{"cells=800: done in", "2 of 2 runs are done already"} {
		c := atoll(t, dir, nil, args...)
		if code := c.code(t); code != 0 || !strings.Contains(c.stderr.String(), want) ||
			!strings.HasPrefix(c.stdout.String(), "| mesh.cells | cells | steps | wall (s) |") {
			t.Fatalf("exit code %d: %s%s", code, c.stdout.String(), c.stderr.String())
		}
	}
	for _, file := range []string{"study.csv", "study.md", "cells=200/summary.json", "cells=800/gauges/centre.csv"} {
		if _, err := os.Stat(filepath.Join(dir, "out-study", file)); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range [][]string{{}, {"--set", "mesh.cells=200,-1"}, {"--set", "mesh.cells=200,400", "--jobs", "-1"},
		{"--set", "mesh.cells=200,400", "--metric", "mas"}} {
		c := atoll(t, dir, nil, append([]string{"study", "case.toml"}, wrong...)...)
		if code := c.code(t); code != exitUsage {
			t.Errorf("%q: exit code %d: %s", wrong, code, c.stderr.String())
		}
	}
}

// TestStoppedStudyGoesOn: a signal stops the runs of a study with their states saved, and the same command
// continues from there.
func TestStoppedStudyGoesOn(t *testing.T) {
	dir := caseFile(t, smallCase)
	args := []string{"study", "case.toml", "--set", "mesh.cells=900,1800", "--set", "time.end=100", "--set",
		"time.max_steps=1500", "--set", "output.format=[]", "--set", "output.every=0"}
	c := atoll(t, dir, nil, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "out-study", "cells=900", "conservation.csv")
	for end := time.Now().Add(time.Hour); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if rows, err := os.ReadFile(table); err == nil && strings.Count(string(rows), "\n") > 5 {
			break
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitSaved || !strings.Contains(c.stderr.String(),
		"continues from there") {
		t.Fatalf("exit code %d: %s", code, c.stderr.String())
	}
	saved, err := filepath.Glob(filepath.Join(dir, "out-study", "*", "checkpoints", "*.ckpt"))
	if err != nil || len(saved) == 0 {
		t.Fatalf("%q, %v", saved, err)
	}
	c = atoll(t, dir, nil, args...)
	if code := c.code(t); code != 0 || strings.Count(c.stdout.String(), "1500") != 2 {
		t.Errorf("exit code %d: %s%s", code, c.stdout.String(), c.stderr.String())
	}
}

// TestOrderOfTwoLayers: smooth waves of the surface and of the interface of two layers converge to their exact
// solutions with order 2.
func TestOrderOfTwoLayers(t *testing.T) {
	for _, name := range []string{"surface-wave", "interface-wave"} {
		path, err := filepath.Abs(filepath.Join("..", "..", "examples", name+".toml"))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		c := atoll(t, dir, nil, "study", path, "--set", "mesh.cells=250,1000", "--set", "time.end=100", "--set",
			"output.format=[]", "--metric", "h1_l1_error,h2_l1_error", "--out", "study")
		if code := c.code(t); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, c.stderr.String())
		}
		lines := strings.Split(strings.TrimSpace(c.stdout.String()), "\n")
		finer := strings.Split(lines[len(lines)-1], "|")
		for _, column := range []int{6, 8} {
			if order, err := strconv.ParseFloat(strings.TrimSpace(finer[column]), 64); err != nil || order < 1.8 {
				t.Errorf("%s: order %q in\n%s", name, finer[column], c.stdout.String())
			}
		}
	}
}
