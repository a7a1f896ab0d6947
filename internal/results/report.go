package results

import (
	"fmt"
	"regexp"
	"strings"
)

// compareReports compares the printed tables of atoll verify line by line: all numbers and verdicts, except in
// columns with run times. It ignores changes of other text.
func compareReports(before, after string) []Difference {
	a, b := numberLines(before), numberLines(after)
	for i := range min(len(a), len(b)) {
		if a[i].numbers != b[i].numbers {
			return []Difference{changed(fmt.Sprintf("line %d", a[i].line), strings.TrimSpace(a[i].text),
				strings.TrimSpace(b[i].text))}
		}
	}
	if len(a) != len(b) {
		return []Difference{{"", fmt.Sprintf("%d lines with numbers, then %d", len(a), len(b))}}
	}
	return nil
}

// numberLine is a line with a number or a verdict.
type numberLine struct {
	line    int // from 1
	text    string
	numbers string
}

var (
	number = regexp.MustCompile(`[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|\b(ok|FAILED|NaN|Inf)\b`)
	dashes = regexp.MustCompile(`^ *-+(  +-+)* *$`)
	column = regexp.MustCompile(`-+`)
	timing = regexp.MustCompile(`^(s|seconds)$`)
)

// numberLines returns the lines of a report that have numbers or verdicts, without columns of run times.
func numberLines(report string) (list []numberLine) {
	lines := strings.Split(report, "\n")
	var timeColumns [][2]int // of the current table, in characters
	for i, text := range lines {
		switch {
		case strings.TrimSpace(text) == "":
			timeColumns = nil
		case dashes.MatchString(text) && i > 0:
			timeColumns = findTimeColumns(lines[i-1], text)
		}
		text = blankColumns(text, timeColumns)
		if n := number.FindAllString(text, -1); n != nil {
			list = append(list, numberLine{i + 1, text, strings.Join(n, " ")})
		}
	}
	return list
}

// findTimeColumns returns the columns with run times, [first, end) in characters, from the titles of a table and the
// line of dashes below them.
func findTimeColumns(titles, rule string) (columns [][2]int) {
	row := []rune(titles)
	for _, span := range column.FindAllStringIndex(rule, -1) {
		if span[1] <= len(row) && timing.MatchString(strings.TrimSpace(string(row[span[0]:span[1]]))) {
			columns = append(columns, [2]int{span[0], span[1]})
		}
	}
	return columns
}

// blankColumns replaces the characters in columns by spaces.
func blankColumns(text string, columns [][2]int) string {
	if columns == nil {
		return text
	}
	row := []rune(text)
	for _, c := range columns {
		for k := c[0]; k < min(c[1], len(row)); k++ {
			row[k] = ' '
		}
	}
	return string(row)
}
