package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config/syntax"
)

// Axis is a key of the case with the values that it takes, as written in overrides.
type Axis struct {
	Key    string
	Values []string
}

// ParseAxes divides overrides "key=value" into those that all runs have, and axes: keys with several values. Commas
// separate values, but not inside brackets, parentheses, braces or quotes: [64, 64] is one value, and so is circle(0,
// 0, 1).
func ParseAxes(sets []string) (fixed []string, axes []Axis, err error) {
	for _, set := range sets {
		key, text, ok := syntax.CutSet(set)
		if !ok {
			return nil, nil, fmt.Errorf("--set %s: write key=value, or key=value,value,…", set)
		}
		values := split(text)
		if len(values) == 1 {
			fixed = append(fixed, set)
			continue
		}
		for i, v := range values {
			switch {
			case v == "":
				return nil, nil, fmt.Errorf("--set %s: value %d of the list is empty", set, i+1)
			case slices.Contains(values[:i], v):
				return nil, nil, fmt.Errorf("--set %s: %s is given twice", set, v)
			}
		}
		if slices.ContainsFunc(axes, func(a Axis) bool { return a.Key == key }) {
			return nil, nil, fmt.Errorf("--set %s: %s has a list of values already", set, key)
		}
		axes = append(axes, Axis{key, values})
	}
	if len(axes) == 0 {
		return nil, nil, errors.New("a study needs a key with several values, as in --set grid.cells=32,64,128")
	}
	return fixed, axes, nil
}

// split splits a list at commas outside brackets and quotes.
func split(text string) (values []string) {
	depth, start := 0, 0
	var quote rune
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case strings.ContainsRune("[({", r):
			depth++
		case strings.ContainsRune("])}", r):
			depth--
		case r == ',' && depth == 0:
			values = append(values, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(values, strings.TrimSpace(text[start:]))
}
