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
		return nil, fmt.Errorf("%s: larger than %d bytes; put data into raster or mesh files, which the case names", path,
			MaxSize)
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

// Dir returns the folder that relative paths of the case are relative to.
func (c *Case) Dir() string { return c.dir }

// Path returns the path of a file that the case names, and notes it for Inputs.
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

// StartHash is the hash of the case without [time] end and max_steps. Cases with the same StartHash have the same
// output up to the earlier of their ends, except for the last step, which may be shortened to meet the end.
func (c *Case) StartHash() string {
	of := *c
	of.Time = Time{Epoch: c.Time.Epoch} // results depend on it: series with dates are read relative to it
	return of.Hash()
}

// StepsHash is the StartHash without what the case writes. Cases with the same StepsHash take the same steps up to the
// earlier of their ends, except for the last one.
func (c *Case) StepsHash() string {
	of := *c
	of.Name, of.Title, of.CRS, of.Gauges, of.Transects, of.Exact = "", "", "", nil, nil, nil
	of.Output = Output{}
	if c.Output.ExactTimes {
		of.Output.Every = c.Output.Every
	}
	return of.StartHash()
}

// Inputs are the files that Path was called with: those that the case names and the run has looked up.
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
	if i == nil { // the case was made by a program, and not decoded from a file
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
