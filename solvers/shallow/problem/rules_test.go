package problem

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// operated is a pond into which water comes, with a gate to another one, which a rule closes slowly when the level at a
// place has risen, and a pump that runs by two rules.
const operated = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 450 }
physics = { order = 1, layers = 1, manning = 0.02 }
initial = { depth = "abs(x) < 1 ? -3 : 0", z = "x < 0 ? 1 : 0.2" }
time = { end = 2 }
output = { format = [], conservation_every = 1 }
[[source]]
name = "river"
at = [-3, 0]
radius = 5
discharge = 20
[[gate]]
name = "barrier"
from = [-2, 3]
to = [2, 3]
width = 1
opening = 0.4
travel = 0.5
[[rule]]
structure = "barrier"
watch = "level"
at = [-4, -4]
open = 1.1
close = 1.4
[[pump]]
name = "polder"
from = [2, -3]
to = [-2, -3]
discharge = 0.5
radius = 1.5
[[rule]]
structure = "polder"
start = 0.25
stop = 0.21
[[rule]]
structure = "polder"
watch = "discharge"
line = [[-2, -5], [-2, 5]]
table = [[0, 1], [20, 0.5]]
`

// column returns a column of a table.
func column(t *testing.T, dir, name string) (values []float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(rows[0], name)
	if k < 0 {
		t.Fatalf("no column %s in %v", name, rows[0])
	}
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[k], 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

// TestRulesOperate: the gate is open at first, then closes within half a second, and stays closed; the pump starts.
// What they do is in the table, on any number of ranks and after restarts.
func TestRulesOperate(t *testing.T) {
	var tables []string
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		if _, err := runtest.Run(t, operated, ranks, 1, runtest.Local, dir); err != nil {
			t.Fatal(err)
		}
		times, setting := column(t, dir, "t"), column(t, dir, "setting_barrier")
		closing := slices.IndexFunc(setting, func(v float64) bool { return v < .4 })
		closed := slices.Index(setting, 0)
		if setting[0] != .4 || closing < 2 || closed < closing {
			t.Fatalf("settings %v", setting)
		}
		if took := times[closed] - times[closing-1]; took < .5 || took > .6 {
			t.Errorf("the gate has closed in %g s", took)
		}
		pump := column(t, dir, "setting_polder")
		if pump[0] != 0 || slices.Max(pump) < .5 || slices.Max(pump) > 1 {
			t.Errorf("the pump runs at %v", pump)
		}
		if q := column(t, dir, "discharge_polder"); slices.Max(q) != slices.Max(pump)/2 {
			t.Errorf("the pump has %v m³/s", q)
		}
		text, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, string(text))
	}
	if tables[0] != tables[1] {
		t.Error("the tables of one rank and of three differ")
	}
	runtest.Restarts(t, operated, []int{1, 3}, "physics.order=2")
}

// TestRefusedRules: rules that make no sense are refused, with the key.
func TestRefusedRules(t *testing.T) {
	for _, c := range [][3]string{
		{"structure = \"barrier\"", "structure = \"barier\"", `[[rule]] structure: there is no structure "barier"`},
		{"structure = \"barrier\"", "structure = \"river\"", `"river" is a source: a rule operates`},
		{"close = 1.4", "close = 1.1", "[[rule]] close: is the same as open"},
		{"close = 1.4", "", "[[rule]] close: is required with open"},
		{"open = 1.1\nclose = 1.4", "", "[[rule]]: needs two numbers"},
		{"open = 1.1\nclose = 1.4", "start = 1.1\nstop = 1.0", "[[rule]] start: is for a pump"},
		{"open = 1.1", "open = 1.1\ntable = [[0, 0], [1, 1]]", "[[rule]] table: cannot be combined"},
		{"start = 0.25\nstop = 0.21", "start = 0.2\nstop = 0.21", "[[rule]] stop: 0.21 m is above start, 0.2 m"},
		{"[20, 0.5]", "[20, 1.5]", "[[rule]] table: share 1.5 of row 2"},
		{"[20, 0.5]", "[-1, 0.5]", "[[rule]] table: number -1 of row 2"},
		{"watch = \"level\"\n", "", "[[rule]] at: needs watch"},
		{"at = [-4, -4]\n", "", "[[rule]] at: is required"},
		{"travel = 0.5\n[[rule]]\nstructure = \"barrier\"\nwatch = \"level\"\nat = [-4, -4]\nopen = 1.1\nclose = 1.4",
			"travel = 0.5", `c.toml:19: [[gate]] travel: is the time in which a [[rule]] opens or closes "barrier"`},
		{"discharge = 0.5\n", "discharge = 0.5\nstart = 1\n", "[[rule]] structure: the pump \"polder\" has start already"},
		{"width = 1\n", "width = 1\nsill = 1\ntop = 0.5\n", "[[gate]] top: 0.5 m is not above sill, 1 m"},
	} {
		text := strings.Replace(operated, c[0], c[1], 1)
		if _, err := solvers.Parse("c.toml", []byte(text), nil); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v does not say %q", c[1], err, c[2])
		} else if strings.Contains(c[2], "no structure") && strings.Contains(err.Error(), "travel") {
			t.Errorf("%s: error %v about travel too", c[1], err)
		}
	}
	for _, c := range [][3]string{
		{"at = [-4, -4]", "at = [-40, -4]", `rule of gate "barrier": (-40, -4) is outside of the mesh`},
		{"line = [[-2, -5], [-2, 5]]", "line = [[-20, -5], [-20, 5]]", `rule of pump "polder": the line from [-20 -5]`},
		{"to = [-2, -3]\n", "", `rule of pump "polder": "fall" is the level at from less`},
	} {
		text := strings.Replace(operated, c[0], c[1], 1)
		text = strings.Replace(text, "start = 0.25", "watch = \"fall\"\nstart = 0.25", 1)
		if _, err := runtest.Run(t, text, 2, 1, runtest.Local, t.TempDir()); err == nil ||
			!strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v does not say %q", c[1], err, c[2])
		}
	}
}

// TestRulesReadBack: the effective case has all keys of gates and rules.
func TestRulesReadBack(t *testing.T) {
	c, err := solvers.Parse("c.toml", []byte(operated), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := solvers.Parse("c.toml", []byte(c.String()), nil)
	if err != nil || again.Hash() != c.Hash() || !strings.Contains(c.String(), "table = [[0, 1], [20, 0.5]]") {
		t.Errorf("%v: case\n%s", err, c)
	}
}
