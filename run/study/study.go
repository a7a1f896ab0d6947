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

// MostRuns is how many a study may have: more are a slip in a list.
const MostRuns = 1000

// Study is a case for all combinations of values.
type Study struct {
	Path string // of the case file
	Dir  string // in which each run has its own folder
	Axes []Axis
	Runs []*Run // the last axis the fastest
}

// Run is one of a study.
type Run struct {
	Values []string // one an axis
	Name   string   // of its folder
	Dir    string
	Sets   []string // overrides
	Case   *config.Case

	Before  *summary.Summary // of the same case, which was in the folder already; nil for none
	Summary *summary.Summary // once it is done
	Err     error            // why it is not
}

// New reads the case for all combinations of the values in sets: what is wrong with any of them is told before one is
// run. dir is the folder of the study; empty for one beside that of the case. A folder that has the results of another
// case is refused, unless they are to be replaced.
func New(path string, sets []string, dir string, force bool, load func(path string, sets []string) (*config.Case,
	error)) (*Study, error) {
	fixed, axes, err := Axes(sets)
	if err != nil {
		return nil, err
	}
	count := 1
	for _, a := range axes {
		if count *= len(a.Values); count > MostRuns {
			return nil, fmt.Errorf("the lists make more than %d runs: take shorter ones", MostRuns)
		}
	}
	s := &Study{Path: path, Dir: dir, Axes: axes}
	hashes := map[string]*Run{}
	for n := range count {
		r := s.run(n, count, fixed)
		if r.Case, err = load(path, r.Sets); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		if twin := hashes[r.Case.Hash()]; twin != nil {
			return nil, fmt.Errorf("%s and %s are the same case: leave one of them out", twin.Name, r.Name)
		}
		hashes[r.Case.Hash()] = r
		s.Runs = append(s.Runs, r)
	}
	if s.Dir == "" {
		s.Dir = filepath.Clean(s.Runs[0].Case.Output.Dir) + "-study"
	}
	for _, r := range s.Runs {
		r.Dir = filepath.Join(s.Dir, r.Name)
		if err := r.look(force); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// run is the n-th of so many.
func (s *Study) run(n, count int, fixed []string) *Run {
	r := &Run{Sets: slices.Clone(fixed)}
	var parts []string
	for _, a := range s.Axes {
		count /= len(a.Values)
		v := a.Values[n/count%len(a.Values)]
		r.Values = append(r.Values, v)
		r.Sets = append(r.Sets, a.Key+"="+v)
		parts = append(parts, s.short(a.Key)+"="+v)
	}
	r.Name = plain(strings.Join(parts, "_"))
	return r
}

// short is the last part of a key, where no other axis has the same.
func (s *Study) short(key string) string {
	last := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
	for _, a := range s.Axes {
		if a.Key != key && last(a.Key) == last(key) {
			return key
		}
	}
	return last(key)
}

// plain makes a name that all systems take for a folder, and shells for a word. What is lost of the text is made up for
// by a few digits of its hash.
func plain(text string) string {
	whole := true
	name := strings.NewReplacer(", ", "x", ",", "x", "[", "", "]", "", `"`, "", "'", "").Replace(text)
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("=._+-", r) {
			return r
		}
		whole = false
		return '-'
	}, name)
	if len(name) > longest {
		name, whole = name[:longest], false
	}
	if !whole {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(text)))[:7]
	}
	return name
}

// longest is the name of a folder, at most.
const longest = 120

// look finds what is in the run's folder.
func (r *Run) look(force bool) error {
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
	return nil // without a summary it is run again
}

// Left are the runs that are to be made.
func (s *Study) Left() (left []*Run) {
	for _, r := range s.Runs {
		if r.Summary == nil {
			left = append(left, r)
		}
	}
	return left
}
