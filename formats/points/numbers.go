package points

import (
	"bufio"
	"bytes"
	"strings"
)

// parseLines reads a point from each line: its coordinates, separated by white space, commas or semicolons, and
// then its name, optionally in quotes. In 2D a third number, a height, is ignored. Lines that begin with # are
// comments.
func parseLines(data []byte, dim int) (list []Point, err error) {
	in := bufio.NewScanner(bytes.NewReader(data))
	line := 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		p := Point{Line: line}
		for remaining := text; ; {
			end := strings.IndexAny(remaining, " \t,;")
			if end < 0 {
				end = len(remaining)
			}
			v, ok := parseNumber(remaining[:end])
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
