package schema

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// marker is the line before a table of a page of the manual: <!-- keys: SOLVER SECTION -->.
var marker = pattern.Of(`^<!-- keys: (\S+) (\S+) -->$`)

// Fill returns a page of the manual with its tables of keys made from the declarations of these. The line
//
//	<!-- keys: vof method -->
//
// is before the table of the section [method] of solver vof (that of a table which is the value of a key is named
// velocity.factor), which ends at the first line that is not of a table. All
// else on the page stays.
func Fill(page []byte, solvers map[string]config.Decoder) ([]byte, error) {
	explored := map[string]*explorer{}
	var out []string
	inTable := false
	for _, line := range strings.Split(string(page), "\n") {
		if inTable = inTable && strings.HasPrefix(line, "|"); inTable {
			continue
		}
		out = append(out, line)
		m := marker().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		x := explored[m[1]]
		if x == nil {
			var err error
			if x, err = explore(m[1], solvers); err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
			explored[m[1]] = x
		}
		rows := x.rows(m[2])
		if rows == nil {
			return nil, fmt.Errorf("%s: there is no section with declared keys of this name", line)
		}
		out = append(append(out, "| key | meaning | default |", "| --- | --- | --- |"), rows...)
		inTable = true
	}
	return []byte(strings.Join(out, "\n")), nil
}

// rows returns the rows of the keys of a section, or of a table that is a value.
func (x *explorer) rows(section string) (rows []string) {
	for _, name := range x.order {
		k := x.keys[name][0]
		if k.Path != section || k.Name == "*" {
			continue
		}
		for _, other := range x.keys[name][1:] {
			if other.Doc != "" && k.Doc == "" {
				k = other
			}
		}
		if k.Doc == "" {
			continue // of the names that a case chooses
		}
		rows = append(rows, strings.Join([]string{"", " `" + k.Name + "` ", " " + escape(meaning(&k)) + " ",
			strings.TrimRight(" "+escape(fallback(&k)), " ") + " ", ""}, "|"))
	}
	return rows
}

// escape writes a text for a cell of a table.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// fallback is the text for the default.
func fallback(k *config.Key) string {
	switch {
	case k.Default == "" && k.Required:
		return "required"
	case k.Default == "":
		return "none"
	}
	return strings.TrimSpace(k.Default)
}

// meaning is the text for what a key means, with its options, unit and bounds.
func meaning(k *config.Key) string {
	var limits []string
	if missing := func(o string) bool { return !strings.Contains(k.Doc, o) }; slices.ContainsFunc(k.Options, missing) {
		options := "`" + strings.Join(k.Options, "`, `") + "`"
		limits = append(limits, map[bool]string{true: "a list of ", false: "one of "}[k.Kind == config.SomeOf]+options)
	}
	for _, l := range []string{Superscript(k.Unit), bounds(k)} {
		if l != "" && l != "1" {
			limits = append(limits, l)
		}
	}
	text := k.Doc
	if len(limits) > 0 {
		text += " (" + strings.Join(limits, ", ") + ")"
	}
	return text
}

// bounds is the text for the bounds of a number, "" for those that need no word.
func bounds(k *config.Key) string {
	const many = 1 << 30
	b := k.Bound
	switch {
	case k.Range != "":
		return strings.TrimSpace(k.Range)
	case k.Kind == config.Integer && b.Most == b.Least+1:
		return fmt.Sprintf("%.0f or %.0f", b.Least, b.Most)
	case k.Kind == config.Integer && b.Most < many:
		return fmt.Sprintf("%.0f to %.0f", b.Least, b.Most)
	case k.Kind == config.Integer && b.Least > 0:
		return fmt.Sprintf("at least %.0f", b.Least)
	case k.Kind != config.Number || b.Least == 0 && !b.AboveLeast && b.Most == math.MaxFloat64:
		return ""
	}
	return strings.TrimLeft(strings.TrimPrefix(b.String(), "a finite number"), " ,")
}

// Superscript writes the exponents of a unit, such as m3/s, as people do: m³/s.
func Superscript(unit string) string {
	return exponent().ReplaceAllStringFunc(unit, func(s string) string {
		digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
		return s[:len(s)-1] + string(digits[s[len(s)-1]-'0'])
	})
}

var exponent = pattern.Of(`[a-z][2-9]`)

// link is a link in Markdown, which only pages of the manual have.
var link = pattern.Of(`\[([^\]]+)\]\([^)\s]+\)`)

// plain returns a text of the manual without links.
func plain(text string) string { return link().ReplaceAllString(text, "$1") }

// Undocumented returns the keys of a solver that have no meaning declared, but for those in tables that are values, and
// names that the case chooses.
func Undocumented(name string, solvers map[string]config.Decoder) ([]string, error) {
	x, err := explore(name, solvers)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, key := range x.order {
		if !slices.ContainsFunc(x.keys[key], func(k config.Key) bool { return k.Doc != "" }) {
			names = append(names, key)
		}
	}
	return names, nil
}

// Marked reports whether a page of the manual has tables for Fill.
func Marked(page []byte) bool { return bytes.Contains(page, []byte("<!-- keys: ")) }
