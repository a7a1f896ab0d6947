package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// newEnvironment makes a wheel of this program and the Python package, installs it into an environment of its own, and
// returns the path of that environment's Python, which has the modules of the system's too.
func newEnvironment(t *testing.T) (python string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not tested: scripts/wheel on Windows")
	}
	system := needs.Xarray(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(env []string, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), env...)
		out, err := c.Output()
		if err != nil {
			var text []byte
			if exit, ok := err.(*exec.ExitError); ok {
				text = exit.Stderr
			}
			t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, text)
		}
		return strings.TrimSpace(string(out))
	}
	wheel := run([]string{"ATOLL_WHEEL_LEVEL=0"}, system, "../../scripts/wheel", dir, program)
	environment := filepath.Join(dir, "environment")
	run(nil, system, "-m", "venv", "--without-pip", "--system-site-packages", environment)
	python = filepath.Join(environment, "bin", "python")
	run([]string{"PIP_NO_CACHE_DIR=1"}, system, "-m", "pip", "--disable-pip-version-check", "--python", python, "install",
		"-q", "--no-index", "--no-deps", wheel)
	return python
}

// TestPython: the wheel installs the program, the Python package runs cases and reads their results, drives runs, and
// passes the tests of the Basic Model Interface for a mesh and for a grid.
func TestPython(t *testing.T) {
	python := newEnvironment(t)
	run := func(t *testing.T, dir string, env []string, args ...string) {
		t.Helper()
		c := exec.Command(python, args...)
		c.Dir, c.Env = dir, append(append(os.Environ(), asAtoll+"=1"), env...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	tests, err := filepath.Abs(filepath.Join("..", "..", "python", "tests"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"test_package.py", "test_bmi.py"} {
		t.Run(name, func(t *testing.T) { run(t, t.TempDir(), nil, "-W", "error", filepath.Join(tests, name)) })
	}
	for _, page := range []string{"README.md", "docs/python.md"} {
		t.Run("Python in "+filepath.Base(page), func(t *testing.T) {
			run(t, t.TempDir(), nil, "-W", "error", "-c", pythonIn(t, page))
		})
	}
	for _, name := range []string{"flood", "ball"} {
		t.Run("bmi-tester of "+name, func(t *testing.T) {
			if out, err := exec.Command(python, "-c", "import bmi_tester, bmipy").CombinedOutput(); err != nil {
				needs.Missing(t, "bmi-tester (python3 -m pip install bmi-tester bmipy): %s", out)
			}
			dir := t.TempDir()
			run(t, dir, []string{"PYTHONPATH=" + tests}, "-c", "import test_bmi; test_bmi.write_cases()")
			// Otherwise pytest skips the conftest.py of bmi-tester, which is in another folder than the case.
			run(t, dir, []string{"PYTEST_ADDOPTS=--confcutdir=/ -p no:cacheprovider"}, "-m", "bmi_tester", "atoll:Bmi",
				"--config-file", name+".toml", "--root-dir", dir)
		})
	}
}

// pythonIn returns the Python code of a page, up to the section about other tools, which needs results of its own.
func pythonIn(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	page, _, _ = strings.Cut(string(text), "\n## Reading results")
	var code strings.Builder
	for _, block := range strings.Split(page, "```python\n")[1:] {
		inside, _, _ := strings.Cut(block, "```\n")
		code.WriteString(inside)
	}
	if code.Len() < 100 {
		t.Fatalf("%s has no Python", page)
	}
	return code.String()
}
