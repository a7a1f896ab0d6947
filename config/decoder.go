package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config/paths"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// decoder holds a document as generic values, and the line of each. A path consists of the keys from the root to a
// value, each followed by \x00; elements of arrays have their index as key.
type decoder struct {
	file     string
	root     map[string]any
	lines    map[string]int    // in the file, by path
	sets     map[string]string // overrides as the user wrote their keys, by path
	problems []problem
	declared []Key // for which the decoder has asked
	sections []DeclaredSection
}

type problem struct {
	line int // 0 if there is none: such problems are listed last
	text string
}

func (p problem) Error() string { return p.text }

// newDecoder returns a decoder of a document with overrides.
func newDecoder(file string, data []byte, sets []string) (*decoder, error) {
	d := &decoder{file: file, root: map[string]any{}, lines: map[string]int{}, sets: map[string]string{}}
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
	d.index(data)
	for _, set := range sets {
		if err := d.override(set); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// index finds the line of every key.
func (d *decoder) index(data []byte) {
	x := &lineIndex{lines: d.lines, arrays: map[string]int{}}
	for i, b := range data {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
	}
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.KeyValue:
			x.pair(x.table, n)
		case unstable.Table, unstable.ArrayTable:
			x.enter(n)
		}
	}
}

// lineIndex notes the line of each key of a document, by its path.
type lineIndex struct {
	lines  map[string]int
	starts []int          // of lines
	arrays map[string]int // tables so far of each [[array]]
	table  string         // path of the table that keys belong to now
}

// note keeps the line where a path comes first.
func (x *lineIndex) note(path string, n *unstable.Node) {
	if _, known := x.lines[path]; !known {
		x.lines[path] = 1 + sort.SearchInts(x.starts, int(n.Raw.Offset)+1)
	}
}

// enter moves to the table of a [header], or to a new table of an [[array]].
func (x *lineIndex) enter(n *unstable.Node) {
	x.table = ""
	for k := n.Key(); k.Next(); {
		x.table += string(k.Node().Data) + "\x00"
		if n.Kind == unstable.ArrayTable && k.IsLast() {
			x.arrays[x.table]++
		}
		if count := x.arrays[x.table]; count > 0 {
			x.table += strconv.Itoa(count-1) + "\x00"
		}
		x.note(x.table, k.Node())
	}
}

// pair notes a key below a path, and the keys in its value.
func (x *lineIndex) pair(path string, n *unstable.Node) {
	for k := n.Key(); k.Next(); {
		path += string(k.Node().Data) + "\x00"
		x.note(path, k.Node())
	}
	x.value(path, n.Value())
}

// value notes the keys in a value: those of inline tables, also within arrays.
func (x *lineIndex) value(path string, n *unstable.Node) {
	children := n.Children()
	switch n.Kind {
	case unstable.InlineTable:
		for children.Next() {
			x.pair(path, children.Node())
		}
	case unstable.Array:
		for i := 0; children.Next(); {
			if children.Node().Kind != unstable.Comment {
				x.value(path+strconv.Itoa(i)+"\x00", children.Node())
				i++
			}
		}
	}
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
