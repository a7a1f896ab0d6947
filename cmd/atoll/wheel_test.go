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

// TestWheel: the wheel installs the program, and the Python package runs cases and reads their results
// (python/tests/test_package.py).
func TestWheel(t *testing.T) {
	python := newEnvironment(t)
	c := exec.Command(python, "-W", "error", filepath.Join("..", "..", "python", "tests", "test_package.py"))
	c.Env = append(os.Environ(), asAtoll+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
