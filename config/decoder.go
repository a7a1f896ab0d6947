package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config/paths"
	"github.com/atoll-hpc/atoll/config/syntax"
	"github.com/pelletier/go-toml/v2"
)

// decoder holds a document as generic values, and the line of each. A path consists of the keys from the root to a
// value, each followed by \x00; elements of arrays have their index as key.
type decoder struct {
	file     string
	root     map[string]any
	lines    map[string]int    // in the file, by path
	sets     map[string]string // overrides as the user wrote their keys, by path
	problems []problem
	declared []Key          // for which the decoder has asked
	places   map[string]int // of keys in declared, by path
	sections []DeclaredSection
}

type problem struct {
	line int // 0 if there is none: such problems are listed last
	text string
}

func (p problem) Error() string { return p.text }

// newDecoder returns a decoder of a document with overrides.
func newDecoder(file string, data []byte, sets []string) (*decoder, error) {
	d := &decoder{file: file, root: map[string]any{}, sets: map[string]string{},
		places: map[string]int{}}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // the byte-order mark that some editors write
	if err := toml.Unmarshal(data, &d.root); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			text := strings.TrimPrefix(syntax.Error(), "toml: ")
			if strings.Contains(text, "escape") {
				text += ": " + paths.Advice
			}
			return nil, fmt.Errorf("%s:%d:%d: %s", file, line, column, text)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d.lines = syntax.Lines(data)
	for _, set := range sets {
		if err := d.override(set); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// fail records a problem with the value at a path; title is the section and key in the message.
func (d *decoder) fail(path, title, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for ancestor := path; ; {
		if key, ok := d.sets[ancestor]; ok {
			if ancestor != path { // the override sets a table that contains the value
				key += ": " + title
			}
			d.problems = append(d.problems, problem{0, fmt.Sprintf("--set %s: %s", key, text)})
			return
		}
		if line, ok := d.lines[ancestor]; ok {
			d.problems = append(d.problems, problem{line, fmt.Sprintf("%s:%d: %s: %s", d.file, line, title, text)})
			return
		}
		if ancestor == "" {
			break
		}
		ancestor = parent(ancestor)
	}
	d.problems = append(d.problems, problem{0, fmt.Sprintf("%s: %s: %s", d.file, title, text)})
}

// parent returns a path without its last key.
func parent(path string) string {
	return path[:strings.LastIndexByte(path[:len(path)-1], 0)+1]
}

// sortedProblems returns the problems in the order of the file, each once: a key on which those before it depend is
// read twice.
func (d *decoder) sortedProblems() []error {
	slices.SortStableFunc(d.problems, func(a, b problem) int {
		if (a.line == 0) != (b.line == 0) {
			return cmp.Compare(b.line, a.line)
		}
		return cmp.Compare(a.line, b.line)
	})
	var errs []error
	for i, p := range d.problems {
		if !slices.Contains(d.problems[:i], p) {
			errs = append(errs, p)
		}
	}
	return errs
}
