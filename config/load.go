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

// Load reads a case file. Each element of sets is an override "key.sub=value" with a TOML value; a value that is not
// TOML is taken as a string. solvers are the decoders by solver name.
func Load(path string, sets []string, solvers map[string]Decoder) (*Case, error) {
	data, err := ReadText(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, sets, solvers)
}

// ReadText returns the text of a case file, or more than MaxSize bytes if it is larger.
func ReadText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("case file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("case file: %w", err)
	}
	return data, nil
}

// Parse decodes the text of a case file. The path gives the name of the case, the folder of relative paths, and the
// name in errors; the file is not read. All problems of the case are reported, one line each, in the order of the
// file.
func Parse(path string, data []byte, sets []string, solvers map[string]Decoder) (*Case, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: larger than %d bytes; move data to raster or mesh files that the case names", path,
			MaxSize)
	}
	d, err := newDecoder(path, data, sets)
	if err != nil {
		return nil, err
	}
	c := decodeCase(d, path, solvers)
	c.dir = filepath.Dir(path)
	if err := errors.Join(d.sortedProblems()...); err != nil {
		return nil, err
	}
	return c, nil
}

// Dir returns the folder that relative paths of the case are relative to.
func (c *Case) Dir() string { return c.dir }

// Path returns the path of a file that the case names, and adds the file to Inputs.
func (c *Case) Path(file string) string {
	c.inputs.add(file)
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(c.dir, file)
}

// Hash returns the SHA-256 of the effective case in hexadecimal, without the section [checkpoint], on which no result
// depends. It is the same on all machines and for every style of the text. It does not cover the contents of files
// that the case names.
func (c *Case) Hash() string {
	part := *c
	part.Checkpoint = Checkpoint{}
	sum := sha256.Sum256([]byte(part.String()))
	return hex.EncodeToString(sum[:])
}

// StartHash is the hash of the case without [time] end and max_steps. Cases with the same StartHash have the same
// output up to the earlier of their ends, except for the last step, which may be shortened to meet the end.
func (c *Case) StartHash() string {
	part := *c
	part.Time = Time{Epoch: c.Time.Epoch} // results depend on it: dates in series are read relative to it
	return part.Hash()
}

// StepKeysHash is the hash of the part of the case that determines the steps: StartHash without the output. Cases with
// the same StepKeysHash take the same steps up to the earlier of their ends, except for the last step.
func (c *Case) StepKeysHash() string {
	part := *c
	part.Name, part.Title, part.Gauges, part.Transects, part.Exact = "", "", nil, nil, nil
	part.Output = Output{}
	if c.Output.ExactTimes {
		part.Output.Every = c.Output.Every
	}
	return part.StartHash()
}

// Inputs returns the files for which Path was called, sorted.
func (c *Case) Inputs() []string { return c.inputs.sorted() }

// Note adds a note for the user, in one line: that a file which the case names probably means something else than the
// case, or that its values were converted.
func (c *Case) Note(text string) { c.notes.add(text) }

// Notes returns the different notes so far, sorted.
func (c *Case) Notes() []string { return c.notes.sorted() }

// list is a set of texts. A nil list, of a case that was not decoded from a file, stays empty.
type list struct {
	lock  sync.Mutex
	texts map[string]bool
}

func (l *list) add(text string) {
	if l == nil || text == "" {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.texts == nil {
		l.texts = map[string]bool{}
	}
	l.texts[text] = true
}

func (l *list) sorted() []string {
	if l == nil {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return slices.Sorted(maps.Keys(l.texts))
}

func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
