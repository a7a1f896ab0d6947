package results

import (
	"fmt"
	"regexp"
	"strings"
)

// reports compares the printed tables of atoll verify line by line: all numbers and verdicts but those of columns that
// tell how long a check took. Words are free to change.
func reports(before, after string) []Difference {
	a, b := figures(before), figures(after)
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

// figure is a line with a number or a verdict.
type figure struct {
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

func figures(report string) (list []figure) {
	lines := strings.Split(report, "\n")
	var timed [][2]int // columns, in characters, of the table that the line is in
	for i, text := range lines {
		switch {
		case strings.TrimSpace(text) == "":
			timed = nil
		case dashes.MatchString(text) && i > 0:
			timed = timings(lines[i-1], text)
		}
		text = blank(text, timed)
		if n := number.FindAllString(text, -1); n != nil {
			list = append(list, figure{i + 1, text, strings.Join(n, " ")})
		}
	}
	return list
}

// timings finds the columns of times, by the titles of a table and the dashes below them.
func timings(titles, rule string) (timed [][2]int) {
	row := []rune(titles)
	for _, span := range column.FindAllStringIndex(rule, -1) {
		if span[1] <= len(row) && timing.MatchString(strings.TrimSpace(string(row[span[0]:span[1]]))) {
			timed = append(timed, [2]int{span[0], span[1]})
		}
	}
	return timed
}

func blank(text string, columns [][2]int) string {
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
