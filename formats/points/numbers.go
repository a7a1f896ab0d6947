package points

import (
	"bufio"
	"bytes"
	"strings"
)

// numbers reads a point a line: its coordinates, between white space, commas or semicolons, and then its name, in
// quotes or not. In the plane a third number is a height and is left out. Lines that begin with # are comments.
func numbers(data []byte, dim int) (list []Point, err error) {
	in := bufio.NewScanner(bytes.NewReader(data))
	line := 0
	for in.Scan() {
		line++
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		p := Point{Line: line}
		for rest := text; ; {
			end := strings.IndexAny(rest, " \t,;")
			if end < 0 {
				end = len(rest)
			}
			v, ok := number(rest[:end])
			if !ok || len(p.At) == 3 {
				p.Name = strings.Trim(rest, `"'`)
				break
			}
			p.At = append(p.At, v)
			if rest = strings.TrimLeft(rest[end:], " \t,;"); rest == "" {
				break
			}
		}
		if len(p.At) < dim {
			return nil, at(line, "%.40q does not begin with %d finite numbers", text, dim)
		}
		p.At = p.At[:dim]
		if len(list) == MaxPoints {
			return nil, at(line, "more than %d points", MaxPoints)
		}
		list = append(list, p)
	}
	if err := in.Err(); err != nil {
		return nil, at(line+1, "%v", err)
	}
	return list, nil
}
