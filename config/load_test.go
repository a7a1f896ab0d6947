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
	c, err := config.Load(path, nil, kinds)
	if err != nil || c.Name != "my dam" || c.Path("bed.asc") != filepath.Join(dir, "bed.asc") {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := config.Load(filepath.Join(dir, "none.toml"), nil, kinds); err == nil || !strings.Contains(err.Error(),
		"none.toml") {
		t.Error(err)
	}
	if err := os.WriteFile(path, make([]byte, config.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(path, nil, kinds); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
}

// TestByteOrderMark: a file that begins with one is the same case, and its lines have the same numbers.
func TestByteOrderMark(t *testing.T) {
	decoders := map[string]Decoder{"toy": func(root *Section, c *Case) {
		c.Sections = none{}
		c.DecodeCourse(root, 2, Written{Fields: []string{"q"}, Usual: []string{"q"}, Formats: []string{"vti"}})
	}}
	const text = "solver = 'toy'\n[time]\nend = 1\n"
	c, err := Parse("c.toml", []byte("\ufeff"+text), nil, decoders)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := Parse("c.toml", []byte(text), nil, decoders); err != nil || plain.Hash() != c.Hash() {
		t.Errorf("%v: another case", err)
	}
	_, err = Parse("c.toml", []byte("\ufeff"+text+"ends = 1\n"), nil, decoders)
	if err == nil || !strings.HasPrefix(err.Error(), "c.toml:4: ") {
		t.Error(err)
	}
}
