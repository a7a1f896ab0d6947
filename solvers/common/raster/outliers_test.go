package raster

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutliersAreNoted: numbers that files may have where they have no data, and values far from all others, have a
// note with their number and a position, the same however the raster is divided; ground has none.
func TestOutliersAreNoted(t *testing.T) {
	slope := func(c, r int) float64 { return 10 + .1*float64(c) + .01*float64(r) }
	hole := func(value float64, cells ...[2]int) func(c, r int) float64 {
		return func(c, r int) float64 {
			for _, at := range cells {
				if at == [2]int{c, r} {
					return value
				}
			}
			return slope(c, r)
		}
	}
	flat := func(value, other float64) func(c, r int) float64 {
		return func(c, r int) float64 {
			if c == 5 && r == 5 {
				return other
			}
			return value
		}
	}
	for _, c := range []struct {
		name  string
		value func(c, r int) float64 // r counts from the south
		want  string                 // "" for no note
	}{
		{"ground", slope, ""},
		{"flat", func(int, int) float64 { return 3 }, ""},
		{"an island in a sea of level 0", func(c, r int) float64 { return max(0, slope(c, r)-10.5) }, ""},
		{"a quay", func(c, _ int) float64 { return float64(c/6)*10 - 10 }, ""},
		{"a hill", func(c, r int) float64 { return 8 * math.Exp(-math.Hypot(float64(c-6), float64(r-6))) }, ""},
		{"zero", hole(0, [2]int{5, 7}),
			"the value 0 of 1 cell, such as at (55, 75), is far from the others, from 10 to 11.21"},
		{"255", hole(255, [2]int{5, 7}, [2]int{0, 0}), "the value 255 of 2 cells, such as at (5, 5)"},
		{"999", hole(999, [2]int{11, 11}), "the value 999 of 1 cell, such as at (115, 115)"},
		{"-1", hole(-1, [2]int{3, 3}), "the value -1 of 1 cell, such as at (35, 35)"},
		{"a spike", hole(87.5, [2]int{3, 3}), "the value 87.5 of 1 cell, such as at (35, 35)"},
		{"a pit", hole(-50, [2]int{3, 3}), "the value -50 of 1 cell"},
		{"a corner without data", func(c, r int) float64 {
			if c+r < 5 {
				return 0
			}
			return slope(c, r)
		}, "the value 0 of 15 cells"},
		{"a mound", hole(12, [2]int{3, 3}), ""},
		{"a wall on flat ground", flat(-10, 2), ""},
		{"a hole in flat ground", flat(-10, 999.25),
			"the value 999.25 of 1 cell, such as at (55, 55), is far from the others, from -10 to -10"},
		{"a weir at level 0", flat(0, 3), ""},
		{"a hole at level 0", flat(0, -7777), "the value -7777 of 1 cell"},
		{"a pit without bottom", hole(-1e10, [2]int{5, 5}), "refused: a.asc: the value -1e+10 of 1 cell"},
		{"-88888", flat(-10, -88888), "refused: a.asc: the value -88888 of 1 cell"},
		{"a peak of pressure", flat(101325, 103000), ""},
	} {
		var text strings.Builder
		text.WriteString("ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 10\n")
		for row := range 12 {
			for column := range 12 {
				fmt.Fprintf(&text, "%v ", c.value(column, 11-row))
			}
			text.WriteString("\n")
		}
		path := filepath.Join(t.TempDir(), "a.asc")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var first string
		for _, cuts := range [][]float64{{0, 120}, {0, 50, 120}, {0, 15, 85, 120}} {
			var all *Extremes
			for k := range cuts[1:] {
				g, err := Open(path, Options{Box: Box{cuts[k], 0, cuts[k+1], 120}})
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range (Stack{g}).Extremes() {
					if all == nil {
						all = &e
					} else {
						all.Merge(&e)
					}
				}
			}
			list, err := all.Notes()
			notes := strings.Join(list, "; ")
			if err != nil {
				notes = "refused: " + strings.Replace(err.Error(), path, "a.asc", 1)
			}
			if !strings.Contains(notes, c.want) || (notes == "") != (c.want == "") {
				t.Errorf("%s, cut at %v: notes %q, want %q", c.name, cuts, notes, c.want)
			}
			if first == "" {
				first = notes
			}
			if notes != first {
				t.Errorf("%s, cut at %v: notes %q, in one part %q", c.name, cuts, notes, first)
			}
		}
	}
}
