package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// atoll bench run runs cases in temporary folders and prints one row of the documented columns for each.
func TestBenchRun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one.toml", "two.toml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(smallCase), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := atoll(t, dir, nil, "bench", "run", "one.toml", "two.toml", "--set", "mesh.cells=450")
	if code := c.code(t); code != 0 {
		t.Fatalf("exit code %d\n%s", code, c.stderr.String())
	}
	text := strings.TrimSpace(c.stdout.String())
	lines := strings.Split(text, "\n")
	for k, name := range []string{"one.toml", "two.toml"} {
		fields := strings.Fields(lines[len(lines)-2+k])
		if len(fields) != 14 || fields[0] != name || fields[1] != "450" {
			t.Fatalf("fields %q in\n%s", fields, text)
		}
		for n, v := range fields[2 : len(fields)-1] {
			if x, err := strconv.ParseFloat(v, 64); err != nil || n != 7 && n != 10 && x <= 0 {
				t.Errorf("%s: column %d is %q", name, n+2, v)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("the folder of the case's own output was written to")
	}
	c = atoll(t, dir, nil, "bench", "run", "one.toml", "--set", "mesh.cells=-1")
	if code := c.code(t); code == 0 || !strings.Contains(c.stderr.String(), "cells") {
		t.Errorf("exit code %d, %s", code, c.stderr.String())
	}
}

// TestBenchEstimates: atoll bench estimates prints estimated memory and time beside measured ones.
func TestBenchEstimates(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.toml"), []byte(smallCase), 0o666); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, dir, nil, "bench", "estimates", "one.toml", "--threads", "1", "--limit", "1.2")
	if code := c.code(t); code != 0 {
		t.Fatalf("exit code %d\n%s", code, c.stderr.String())
	}
	line := c.stdout.String()[strings.Index(c.stdout.String(), "one.toml"):]
	if !regexp.MustCompile(`^one.toml +\S+ MiB +\S+ MiB +[+-]\d\.\d% +- +- +- +\S+ MiB +\S+ MiB +\S.* m?s +\S+ m?s\n$`).
		MatchString(line) {
		t.Errorf("got %q", line)
	}
}
