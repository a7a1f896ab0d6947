package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestSite: the site of the documentation builds without a warning, such as a dead link.
func TestSite(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import mkdocs, material").CombinedOutput(); err != nil {
		needs.Missing(t, "MkDocs with Material (python3 -m pip install mkdocs-material): %s", out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("python3", "../../scripts/docs", self)
	c.Env = append(os.Environ(), asAtoll+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
