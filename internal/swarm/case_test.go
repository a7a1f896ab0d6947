package swarm

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/syntax"
	"github.com/atoll-hpc/atoll/solvers"
)

// testCase is a case with its runs, all of which must give the same results. It is what a failure prints, and what
// can be read again.
type testCase struct {
	Solver string
	Text   string            // a small valid case file
	Sets   []string          // overrides of all runs
	Files  map[string][]byte // files that the case names
	Gauges []place           // of which runs write some
	Lines  []place           // transects
	Steps  int               // at most so many are taken
	End    float64           // of the run, in s or sweeps
	Thick  int               // number of blocks that have room for deep ghosts; 0 for none
	Runs   []schedule
}

// place is the position of a gauge or transect, as in a case file.
type place struct{ Name, Key, Value string }

// origin is where the case lies: its files are relative to this folder.
func (c *testCase) path(dir string) string { return filepath.Join(dir, "case.toml") }

// parse decodes the case with more overrides.
func (c *testCase) parse(dir string, sets ...string) (*config.Case, error) {
	return solvers.Parse(c.path(dir), []byte(c.Text), slices.Concat(c.Sets, sets))
}

// drawCase draws a case and the runs to compare.
func drawCase(rt *rapid.T, l limits) *testCase {
	c := &testCase{Files: map[string][]byte{}}
	bases := map[string]func(*rapid.T, *testCase){"plane vof": drawPlane, "plane level-set": drawPlane,
		"space vof": drawSpace, "space level-set": drawSpace, "strip vof": drawStrip, "shallow-water": drawShallow,
		"smooth": drawSmooth, "plane two-phase": drawPlaneFlow, "space two-phase": drawSpaceFlow}
	names := l.only([]string{"plane vof", "strip vof", "shallow-water", "plane level-set", "smooth", "space vof",
		"space level-set", "strip vof", "plane two-phase", "space two-phase"})
	name := pick(rt, "solver", names...)
	c.Solver = name[strings.LastIndex(name, " ")+1:]
	bases[name](rt, c)
	keys, err := solvers.Declared([]byte(c.Text), nil)
	if err != nil {
		rt.Fatalf("the case cannot be read: %v\n%s", err, c.Text)
	}
	scheduled := c.drawKeys(rt, keys)
	c.Sets = c.valid(rt, nil, c.Sets)
	for n := range 1 + below(rt, "runs", 3) {
		c.Runs = append(c.Runs, c.drawSchedule(rt, fmt.Sprintf("run %d", n+1), scheduled, keys, l))
	}
	return c
}

// outer leaves out keys in tables that are values of others, and names that a case chooses.
func outer(keys []config.Key) []config.Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k config.Key) bool { return k.Inner || k.Name == "*" })
}

// drawKeys draws values of some of the keys, and returns those that are drawn for each run.
func (c *testCase) drawKeys(rt *rapid.T, keys []config.Key) (scheduled []config.Key) {
	for _, k := range outer(keys) {
		name := k.String()
		options, found := lookUp(schedules, c.Solver, name)
		if found {
			if options != nil {
				k.Options = options
			}
			scheduled = append(scheduled, k)
			continue
		}
		if options, found = lookUp(values, c.Solver, name); !found {
			if options = optionsOf(k); options == nil || isElsewhere(name, true) {
				continue
			}
		}
		if oneIn(rt, name, 4) {
			c.Sets = append(c.Sets, name+"="+pick(rt, name, options...))
		}
	}
	return scheduled
}

// lookUp returns the entry of a key of a solver, or of all solvers.
func lookUp[T any](table map[string]T, solver, key string) (v T, found bool) {
	if v, found = table[solver+" "+key]; !found {
		v, found = table[key]
	}
	return v, found
}

// optionsOf returns the values that a choice, a switch or an integer in a short range accepts.
func optionsOf(k config.Key) (options []string) {
	switch k.Kind {
	case config.YesOrNo:
		return []string{"true", "false"}
	case config.OneOf:
		for _, o := range k.Options {
			options = append(options, fmt.Sprintf("'%s'", o))
		}
	case config.Integer:
		const few = 4
		for v := k.Bound.Least; k.Bound.Most < k.Bound.Least+few && v <= k.Bound.Most; v++ {
			options = append(options, fmt.Sprint(v))
		}
	}
	return options
}

// isElsewhere reports whether a key is drawn by other code or left out; with exact, whether it itself is listed, not
// one that it is below.
func isElsewhere(name string, exact bool) bool {
	for {
		if _, found := elsewhere[name]; found {
			return true
		}
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 || exact {
			return false
		}
		name = name[:dot]
	}
}

// valid returns the overrides, of those given, that the decoder accepts besides fixed ones: some keys exclude others.
func (c *testCase) valid(rt *rapid.T, fixed, sets []string) []string {
	for {
		_, err := solvers.Parse("case.toml", []byte(c.Text), slices.Concat(fixed, sets))
		if err == nil {
			return sets
		}
		count := len(sets)
		if count == 0 {
			rt.Fatalf("the case is refused: %v\n%s%q", err, c.Text, fixed)
		}
		sets = slices.DeleteFunc(sets, func(set string) bool {
			key, _, _ := syntax.CutSet(set)
			return slices.ContainsFunc(problems(err), func(p string) bool {
				return strings.HasPrefix(p, "--set "+key+":")
			})
		})
		if len(sets) == count {
			sets = sets[:count-1]
		}
	}
}

// problems returns the lines of an error of the decoder.
func problems(err error) (lines []string) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []string{err.Error()}
	}
	for _, e := range joined.Unwrap() {
		lines = append(lines, e.Error())
	}
	return lines
}

// TestEveryKeyIsDrawn proves that the swarm draws each key for which the decoders ask, or lists it as left out.
func TestEveryKeyIsDrawn(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCase(rt, limits{})
		keys, err := solvers.Declared([]byte(c.Text), c.Sets)
		if err != nil {
			rt.Fatal(err)
		}
		for _, k := range outer(keys) {
			name := k.String()
			seen[c.Solver+" "+name], seen[name] = true, true
			_, a := lookUp(schedules, c.Solver, name)
			_, b := lookUp(values, c.Solver, name)
			if !a && !b && !isElsewhere(name, false) && optionsOf(k) == nil {
				rt.Errorf("%s: the swarm does not draw %s: add it to values_test.go", c.Solver, name)
			}
		}
	})
	for name := range values {
		if !seen[name] {
			t.Errorf("no decoder asks for %s", name)
		}
	}
	for name := range schedules {
		if !seen[name] {
			t.Errorf("no decoder asks for %s", name)
		}
	}
}
