package points

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
)

// decimalCommas matches the start of a line in which commas are decimal signs, and not between numbers.
var decimalCommas = regexp.MustCompile(`^[+-]?\d+(?:,\d+)?\s*;|^[+-]?\d+,\d+\s+[+-]?\d+,\d+(?:\s|$)`)

// parseLines reads a point from each line: its coordinates, separated by white space, commas or semicolons, and then
// its name, optionally in quotes. Between semicolons, and in the first two numbers between white space if both have
// one, a comma is a decimal sign. In 2D a third number, a height, is ignored. Lines that begin with # are comments.
func parseLines(data []byte, dim int) (list []Point, err error) {
	in := bufio.NewScanner(bytes.NewReader(data))
	line := 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		p, separators := Point{Line: line}, " \t,;"
		if decimalCommas.MatchString(text) {
			separators = " \t;"
		}
		for remaining := text; ; {
			end := strings.IndexAny(remaining, separators)
			if end < 0 {
				end = len(remaining)
			}
			number := remaining[:end]
			if len(separators) == 3 {
				number = strings.Replace(number, ",", ".", 1)
			}
			v, ok := parseNumber(number)
			if !ok || len(p.Position) == 3 {
				p.Name = strings.Trim(remaining, `"'`)
				break
			}
			p.Position = append(p.Position, v)
			if remaining = strings.TrimLeft(remaining[end:], " \t,;"); remaining == "" {
				break
			}
		}
		if len(p.Position) < dim {
			return nil, errorAt(line, "%.40q does not begin with %d finite numbers", text, dim)
		}
		p.Position = p.Position[:dim]
		if len(list) == MaxPoints {
			return nil, errorAt(line, "more than %d points", MaxPoints)
		}
		list = append(list, p)
	}
	if err := in.Err(); err != nil {
		return nil, errorAt(line+1, "%v", err)
	}
	return list, nil
}
