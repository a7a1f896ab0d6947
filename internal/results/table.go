package results

import (
	"fmt"
	"strings"
)

// compareTables compares two CSV files byte for byte, and returns the first row and column that differ.
func compareTables(before, after string) []Difference {
	if before == after {
		return nil
	}
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	titles := strings.Split(a[0], ",")
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		row := fmt.Sprintf("line %d", i+1)
		x, y := strings.Split(a[i], ","), strings.Split(b[i], ",")
		for k := range titles {
			if len(x) == len(titles) && len(y) == len(titles) && x[k] != y[k] {
				return []Difference{changed(row+", "+titles[k], x[k], y[k])}
			}
		}
		return []Difference{changed(row, fmt.Sprintf("%q", a[i]), fmt.Sprintf("%q", b[i]))}
	}
	return []Difference{{"", fmt.Sprintf("%d lines, then %d", len(a)-1, len(b)-1)}}
}
