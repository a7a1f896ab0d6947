package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMeshInSlices: ranks that are processes read slices of a mesh file, and get the state that one rank gets.
func TestMeshInSlices(t *testing.T) {
	generated := "generate = \"rectangle\"\nbounds = [-5, -5, 5, 5]\ncells = 1800"
	dir := caseFile(t, strings.Replace(smallCase, generated, `file = "m.msh"`, 1))
	run := func(args ...string) {
		t.Helper()
		if c := atoll(t, dir, nil, args...); c.code(t) != 0 {
			t.Fatalf("%q: %s", args, c.stderr.String())
		}
	}
	run("mesh", "generate", "m.msh", "--bounds", "-5,-5,5,5", "--cells", "6000")
	run("run", "case.toml", "--out", "one", "--set", "time.max_steps=5")
	one := readSummary(t, filepath.Join(dir, "one", "summary.json"))
	run("run", "case.toml", "--out", "five", "--ranks", "5", "--transport", "grpc", "--set", "time.max_steps=5")
	if five := readSummary(t, filepath.Join(dir, "five", "summary.json")); five.StateSHA256 != one.StateSHA256 {
		t.Errorf("state %s on one rank, %s on five", one.StateSHA256, five.StateSHA256)
	}
}
