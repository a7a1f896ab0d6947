package study

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
)

// MaxRuns is the largest number of runs of a study: more are probably a mistake.
const MaxRuns = 1000

// Study is a case with all combinations of values of some keys.
type Study struct {
	Path string // path of the case file
	Dir  string // folder with a subfolder for each run
	Axes []Axis
	Runs []*Run // all combinations; the last axis varies fastest
}

// Run is one run of a study.
type Run struct {
	Values []string // one per axis
	Name   string   // name of its folder
	Dir    string
	Sets   []string // overrides of keys of the case, as "key=value"
	Case   *config.Case

	Before  *summary.Summary // summary of the same case that was already in the folder; nil for none
	Summary *summary.Summary // nil until the run is done
	Err     error            // why the run failed
}

// New reads the case for all combinations of the values in sets, so that errors in any of them are found before the
// first run. sets are overrides with lists of values: see ParseAxes. dir is the folder of the study; "" for one beside
// that of the case. Unless force is set, a folder with results of another case is an error.
func New(path string, sets []string, dir string, force bool, load func(path string, sets []string) (*config.Case,
	error)) (*Study, error) {
	fixed, axes, err := ParseAxes(sets)
	if err != nil {
		return nil, err
	}
	count := 1
	for _, a := range axes {
		if count *= len(a.Values); count > MaxRuns {
			return nil, fmt.Errorf("the lists make more than %d runs: use shorter lists", MaxRuns)
		}
	}
	s := &Study{Path: path, Dir: dir, Axes: axes}
	hashes := map[string]*Run{}
	for n := range count {
		r := s.newRun(n, count, fixed)
		if r.Case, err = load(path, r.Sets); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		if other := hashes[r.Case.Hash()]; other != nil {
			return nil, fmt.Errorf("%s and %s are the same case: remove one of them", other.Name, r.Name)
		}
		hashes[r.Case.Hash()] = r
		s.Runs = append(s.Runs, r)
	}
	if s.Dir == "" {
		s.Dir = filepath.Clean(s.Runs[0].Case.Output.Dir) + "-study"
	}
	for _, r := range s.Runs {
		r.Dir = filepath.Join(s.Dir, r.Name)
		if err := r.readFolder(force); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newRun returns the n-th of count runs.
func (s *Study) newRun(n, count int, fixed []string) *Run {
	r := &Run{Sets: slices.Clone(fixed)}
	var parts []string
	for _, a := range s.Axes {
		count /= len(a.Values)
		v := a.Values[n/count%len(a.Values)]
		r.Values = append(r.Values, v)
		r.Sets = append(r.Sets, a.Key+"="+v)
		parts = append(parts, s.shortKey(a.Key)+"="+v)
	}
	r.Name = folderName(strings.Join(parts, "_"))
	return r
}

// shortKey returns the last part of a key, or the whole key if another axis has the same last part.
func (s *Study) shortKey(key string) string {
	last := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
	for _, a := range s.Axes {
		if a.Key != key && last(a.Key) == last(key) {
			return key
		}
	}
	return last(key)
}

// folderName converts text to a name that is valid on all systems and needs no quotes in shells. If characters are
// lost, a few digits of the hash of the text are added.
func folderName(text string) string {
	lossless := true
	name := strings.NewReplacer(", ", "x", ",", "x", "[", "", "]", "", `"`, "", "'", "").Replace(text)
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("=._+-", r) {
			return r
		}
		lossless = false
		return '-'
	}, name)
	if len(name) > maxName {
		name, lossless = name[:maxName], false
	}
	if !lossless {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(text)))[:7]
	}
	return name
}

// maxName is the largest length of a folder's name.
const maxName = 120

// readFolder reads the results that are already in the folder of the run.
func (r *Run) readFolder(force bool) error {
	if force {
		return nil
	}
	info, err := folder.Read(r.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.CaseSHA256 != r.Case.Hash() {
		return fmt.Errorf("%s has the results of another case, %s of solver %s: choose another folder with --out, or "+
			"replace them with --force", r.Dir, info.Case, info.Solver)
	}
	if info.State != folder.Done {
		return nil
	}
	s, err := summary.Read(r.Dir)
	if err == nil && s.CaseSHA256 == info.CaseSHA256 {
		r.Before, r.Summary = s, s
	}
	return nil // without a valid summary the run is repeated
}

// Remaining returns the runs that are not done.
func (s *Study) Remaining() (remaining []*Run) {
	for _, r := range s.Runs {
		if r.Summary == nil {
			remaining = append(remaining, r)
		}
	}
	return remaining
}
