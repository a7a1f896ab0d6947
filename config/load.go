package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// MaxSize is the size in bytes of the largest case file that is read.
const MaxSize = 256 << 10

// Load reads a case file. Each of sets is an override, "key.sub=value", with the value in TOML; a value that is
// not TOML is taken as a string. The decoders are those of all solvers, by name.
func Load(path string, sets []string, solvers map[string]Decoder) (*Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("case file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("case file: %w", err)
	}
	return Parse(path, data, sets, solvers)
}

// Parse decodes the text of a case file. The path gives the name of the case, the folder of relative paths, and
// what errors call the file; it is not read. All that is wrong with the case is reported, a line each, in the
// order of the file.
func Parse(path string, data []byte, sets []string, solvers map[string]Decoder) (*Case, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: larger than %d bytes; large data belong into rasters and mesh files", path, MaxSize)
	}
	d, err := newDecoder(path, data)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		if err := d.override(set); err != nil {
			return nil, err
		}
	}
	c := decodeCase(d, path, solvers)
	c.dir = filepath.Dir(path)
	if err := errors.Join(d.sorted()...); err != nil {
		return nil, err
	}
	return c, nil
}

// Dir returns where relative paths of the case start.
func (c *Case) Dir() string { return c.dir }

// Path returns where a file is that the case names.
func (c *Case) Path(file string) string {
	c.inputs.add(file)
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(c.dir, file)
}

// Hash returns the SHA-256 of the effective case in hexadecimal, but for the section [checkpoint], which no result
// depends on. It is the same on all machines and for all ways to write the case. It does not cover the contents of the
// files that the case names.
func (c *Case) Hash() string {
	of := *c
	of.Checkpoint = Checkpoint{}
	sum := sha256.Sum256([]byte(of.String()))
	return hex.EncodeToString(sum[:])
}

// StartHash is the hash of the case but for when it ends. Cases with the same one have the same output as far as both
// go, but for the last step.
func (c *Case) StartHash() string {
	of := *c
	of.Time = Time{Epoch: c.Time.Epoch} // from which dates in series count
	return of.Hash()
}

// StepsHash is the hash of all that steps follow from. Cases with the same one have the same steps as far as both go,
// but for the last one, whatever they write.
func (c *Case) StepsHash() string {
	of := *c
	of.Name, of.Title, of.CRS, of.Gauges, of.Transects, of.Exact = "", "", "", nil, nil, nil
	of.Output = Output{}
	if c.Output.ExactTimes {
		of.Output.Every = c.Output.Every
	}
	return of.StartHash()
}

// Inputs are the files that the case has named, and that somebody has asked the path of.
func (c *Case) Inputs() []string {
	if c.inputs == nil {
		return nil
	}
	c.inputs.lock.Lock()
	defer c.inputs.lock.Unlock()
	return slices.Sorted(maps.Keys(c.inputs.of))
}

// inputs are files by their names in a case.
type inputs struct {
	lock sync.Mutex
	of   map[string]bool
}

func (i *inputs) add(file string) {
	if i == nil { // of a case that was not decoded
		return
	}
	i.lock.Lock()
	defer i.lock.Unlock()
	if i.of == nil {
		i.of = map[string]bool{}
	}
	i.of[file] = true
}

func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
