package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my dam.toml")
	if err := os.WriteFile(path, []byte(dam), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, nil, solvers)
	if err != nil || c.Name != "my dam" || c.Path("bed.asc") != filepath.Join(dir, "bed.asc") {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := config.Load(filepath.Join(dir, "none.toml"), nil, solvers); err == nil || !strings.Contains(err.Error(),
		"none.toml") {
		t.Error(err)
	}
	if err := os.WriteFile(path, make([]byte, config.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(path, nil, solvers); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
}
