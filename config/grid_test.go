package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// parseGrid decodes a document that consists of a section [grid].
func parseGrid(text string) (g config.Grid, err error) {
	_, err = config.Parse("c.toml", []byte(text), []string{"solver=toy"}, map[string]config.Decoder{
		"toy": func(root *config.Section, c *config.Case) {
			c.Sections = noSections{}
			g = config.DecodeGrid(root.Sub("grid"))
		}})
	return g, err
}

func TestGrid(t *testing.T) {
	for text, want := range map[string]config.Grid{
		"bounds = [0, -1, 1, 2.5]\ncells = [128, 64]": {
			Dim: 2, Lo: [3]float64{0, -1}, Hi: [3]float64{1, 2.5}, Cells: [3]int{128, 64, 1},
		},
		"bounds = [0, 0, 0, 1, 2, 3]\ncells = [1, 2, 3]\nperiodic = ['z', 'x']\nblocks = [1, 2, 3]": {
			Dim: 3, Hi: [3]float64{1, 2, 3}, Cells: [3]int{1, 2, 3}, Periodic: [3]bool{true, false, true},
			Blocks: [3]int{1, 2, 3},
		},
		"bounds = [0, 0, 1, 1]\ncells = [4, 4]\nperiodic = []\nblocks = [4, 1]": {
			Dim: 2, Hi: [3]float64{1, 1}, Cells: [3]int{4, 4, 1}, Blocks: [3]int{4, 1, 1},
		},
		"bounds = [0, 0, 0, 1, 1, 1]\ncells = 32": {Dim: 3, Hi: [3]float64{1, 1, 1}, Cells: [3]int{32, 32, 32}},
		"bounds = [0, 0, 0, 1, 1, 1]\ncells = [1048576, 1048576, 1]": {
			Dim: 3, Hi: [3]float64{1, 1, 1}, Cells: [3]int{1 << 20, 1 << 20, 1},
		},
	} {
		got, err := parseGrid("[grid]\n" + text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngives %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

// box is a grid with all keys. Each refusal changes one line.
const box = `[grid]
bounds = [0, 0, 1, 1]
cells = [8, 4]
periodic = ["x"]
blocks = [2, 1]
`

func TestGridRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"bounds = [0, 0, 1, 1]", "", "c.toml:1: [grid] bounds: is required"},
		{"[0, 0, 1, 1]", "[0, 0, 1]", "c.toml:2: [grid] bounds: must be [x0, y0, x1, y1] or [x0, y0, z0, x1, y1, z1]"},
		{"[0, 0, 1, 1]", "'unit'", "c.toml:2: [grid] bounds: must be [x0, y0, x1, y1] or"},
		{"[0, 0, 1, 1]", "[0, 0, 1, nan]",
			"c.toml:2: [grid] bounds: must be a list of 4 finite numbers; number 4 is not one"},
		{"[0, 0, 1, 1]", "[0, 0, 1, 0]", "c.toml:2: [grid] bounds: along y from 0 to 0: the first corner must be the " +
			"lower one"},
		{"[0, 0, 1, 1]", "[2, 0, 1, 1]", "c.toml:2: [grid] bounds: along x from 2 to 1: the first corner must be the " +
			"lower one"},
		{"[0, 0, 1, 1]", "[-1e308, 0, 1e308, 1]", "c.toml:2: [grid] bounds: along x from -1e+308 to 1e+308: longer than " +
			"1e+100"},
		{"[0, 0, 1, 1]", "[1e16, 0, 1.0000000000000008e16, 1]",
			"8 cells are too narrow for coordinates of this size in float64"},
		{"cells = [8, 4]", "", "c.toml:1: [grid] cells: is required"},
		{"cells = [8, 4]", "cells = 8.0", "c.toml:3: [grid] cells: must be a list of 2 integers, [x, y], for bounds " +
			"with corners of 2 numbers"},
		{"cells = [8, 4]", "cells = 0", "c.toml:3: [grid] cells: 0 is not between 1 and 16777216"},
		{"cells = [8, 4]", "cells = [8, 4, 4]", "c.toml:3: [grid] cells: must be a list of 2 integers"},
		{"cells = [8, 4]", "cells = [8, 4.0]", "c.toml:3: [grid] cells: holds a float; integers are needed"},
		{"cells = [8, 4]", "cells = [8, 0]", "c.toml:3: [grid] cells: 0 along y is not between 1 and 16777216"},
		{"cells = [8, 4]", "cells = [16777217, 4]", "c.toml:3: [grid] cells: 16777217 along x is not between 1 and"},
		{"cells = [8, 4]", "cells = [16777216, 16777216]", "c.toml:3: [grid] cells: [16777216 16777216] are more than " +
			"1099511627776 cells in all"},
		{"cells = [8, 4]", "cels = [8, 4]", "c.toml:3: [grid] cels: no such key; did you mean cells?"},
		{`["x"]`, `["z"]`, `c.toml:4: [grid] periodic: "z" is not known; choose x or y`},
		{`["x"]`, `["x", "x"]`, `c.toml:4: [grid] periodic: "x" is given twice`},
		{`["x"]`, `true`, `c.toml:4: [grid] periodic: is a boolean; a list of strings is needed`},
		{`["x"]`, `'x,y'`, `c.toml:4: [grid] periodic: is a string; a list of strings is needed: ["x", "y"]`},
		{"cells = [8, 4]", "cells = '8,4'", "for bounds with corners of 2 numbers: [8, 4]"},
		{"blocks = [2, 1]", "blocks = 2", "c.toml:5: [grid] blocks: must be a list of 2 integers"},
		{"blocks = [2, 1]", "blocks = [2, -1]", "c.toml:5: [grid] blocks: -1 along y is not between 1 and"},
		{"blocks = [2, 1]", "blocks = [2, 5]", "c.toml:5: [grid] blocks: 5 blocks along y for 4 cells"},
		{"[grid]", "grid = 3\n[other]", "c.toml:1: grid: is an integer; a table is needed: [grid]"},
	} {
		if strings.Count(box, c.old) != 1 {
			t.Fatalf("%q is not in the grid once", c.old)
		}
		_, err := parseGrid(strings.Replace(box, c.old, c.new, 1))
		if err == nil {
			t.Errorf("%q was accepted", c.new)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error\n%v\ndoes not say\n%s", c.new, err, c.want)
		}
	}
}

// FuzzGrid proves that the cells of an accepted grid have a width, and that the grid prints as the same grid.
func FuzzGrid(f *testing.F) {
	f.Add(box)
	f.Add("grid = { bounds = [0, 0, 0, 1, 2, 3], cells = [1, 2, 3], periodic = ['z'] }")
	f.Add("[grid]\nbounds = [1e15, 0, 1.1e15, 1e-300]\ncells = [2, 2]")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parseGrid(text)
		if err != nil {
			return
		}
		for a := range g.Dim {
			if h := (g.Hi[a] - g.Lo[a]) / float64(g.Cells[a]); !(g.Lo[a]+h > g.Lo[a] && g.Hi[a]-h < g.Hi[a]) {
				t.Errorf("%+v: cells without width along %s", g, "xyz"[a:a+1])
			}
		}
		var p config.Printer
		g.Print(&p)
		if again, err := parseGrid(p.String()); err != nil || again != g {
			t.Errorf("%s\nread back %+v, %v\nwant %+v", p.String(), again, err, g)
		}
	})
}
