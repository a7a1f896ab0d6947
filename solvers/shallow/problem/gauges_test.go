package problem

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// channel is a uniform flow of 0.5 m²/s along a channel 10 m wide.
const channel = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [0, 0, 40, 10], cells = 600 }
physics = { layers = 1 }
initial = { depth = 1, h = 1, u = 0.5 }
boundary = { left = { discharge = 0.5 }, right = { level = 0 } }
time = { end = 2 }
output = { format = [] }

[[gauge]]
name = "along"
line = [[2, 5], [20, 5], [38, 8]]
points = 4
every = 1

[[gauge]]
file = "FILE"
every = 1

[[transect]]
name = "across"
line = [[12.3, -1], [14, 6], [12, 11]]
every = 0.5
`

// TestGaugesOnAnyRanks proves that gauges along a line and from a file, and transects, give the same values on any
// number of ranks.
func TestGaugesOnAnyRanks(t *testing.T) {
	points := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(points, []byte("name,x,y\npier,3,3\nbridge,30,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(channel, "FILE", points, 1)
	var want []string
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		if _, err := runtest.Run(t, text, ranks, 1, runtest.Local, dir); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"gauges.nc", "transects.nc", "transects/across.csv", "gauges/along-4.csv",
			"gauges/bridge.csv"} {
			file, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if ranks == 1 {
				want = append(want, string(file))
			} else if want[i] != string(file) {
				t.Errorf("%s differs on %d ranks", name, ranks)
			}
		}
	}
	rows := strings.Split(strings.TrimSpace(want[2]), "\n")
	if len(rows) != 6 || rows[0] != "t,discharge" {
		t.Fatalf("across has rows %q", rows)
	}
	var at, discharge float64
	if _, err := fmt.Sscanf(rows[5], "%g,%g", &at, &discharge); err != nil || at != 2 || math.Abs(discharge-5) > 1e-9 {
		t.Errorf("%g m³/s at %g s, want 5: %v", discharge, at, err)
	}
	if _, err := runtest.Run(t, text, 1, 1, runtest.Local, t.TempDir(),
		"transect=[{name='off', line=[[50, 0], [50, 9]]}]"); err == nil || !strings.Contains(err.Error(), `"off"`) {
		t.Errorf("a transect outside of the mesh: error %v", err)
	}
}

// TestMeasured proves that the summary has the difference between a gauge and its record, here for water at rest, at
// the times of the record that the gauge covers: its rows are interpolated to them, so that the difference does not
// depend on the length of steps. A row of the record without a value is skipped. (Of 0, 0.1, none and 0.25 at equal
// intervals the root mean square is then √(0.0725/3) = 0.155. If the record were interpolated to the rows of the gauge
// instead, it would be 0.157 to 0.160 for a second row at 1.1 to 1.25 intervals.)
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "record.csv")
	record := "t,level,h\n-1,9,9\n0,0.1,1\n0.25,0.3,1\n1.5,-0.1,1\n99,9,9\n"
	if err := os.WriteFile(file, []byte(record), 0o666); err != nil {
		t.Fatal(err)
	}
	gap := filepath.Join(dir, "gap.csv")
	if err := os.WriteFile(gap, []byte("t,z\n0,0\n0.5,0.1\n1,\n1.5,0.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	still := []string{"initial={depth=1, h=1}", "boundary={}", "transect=[]"}
	sets := append(still, fmt.Sprintf("gauge=[{name='mast', at=[20, 5], "+
		"measured={series='%s', column='level', field='z'}}, {name='pole', at=[10, 5], measured='%s'}, "+
		"{name='post', at=[30, 5], measured='%s'}]", file, file, gap))
	s, err := runtest.Run(t, channel, 2, 1, runtest.Local, dir, sets...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"z_rms_at_mast": math.Sqrt(.11 / 3), "z_off_at_mast": .3,
		"z_rms_at_post":   math.Sqrt(.0725 / 3),
		"z_range_at_mast": .4, "z_rms_share_at_mast": math.Sqrt(.11/3) / .4, "h_rms_at_pole": 0, "h_off_at_pole": 0} {
		if got, found := s.Metrics[name]; !found || math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "measured", "mast.csv")); err != nil ||
		string(text) != "t,z\n-1,9\n0,0.1\n0.25,0.3\n1.5,-0.1\n99,9\n" {
		t.Errorf("measured/mast.csv has %q, %v", text, err)
	}
	for set, want := range map[string]string{
		"'" + filepath.Join(dir, "none.csv") + "'":                `gauge "mast": measured: series: open`,
		"{series='" + file + "', column='level', field='height'}": `field "height": choose h or z`,
		"{series='" + file + "', column='lvl', field='z'}":        `there is no column "lvl"`,
	} {
		_, err := runtest.Run(t, channel, 1, 1, runtest.Local, t.TempDir(), append(still,
			"gauge=[{name='mast', at=[20, 5], measured="+set+"}]")...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("measured = %s is refused by %v, want %s", set, err, want)
		}
	}
}

// TestMeasuredWithoutValues: a record of a gauge without any value is refused, and notes tell how many rows have none,
// and when none is in the time of the run.
func TestMeasuredWithoutValues(t *testing.T) {
	for text, want := range map[string]string{
		"t,z\n0,0\n1,0.1\n2,0\n":    "",
		"t,z\n0,0\n1,\n2,0\n":       `record.csv: "z" has no value in 1 of 3 rows, which are left out`,
		"t,z\n0,0\n1,NA\n2,-9999\n": `record.csv: "z" has no value in 2 of 3 rows, which are left out`,
		"t,z\n0,\n1,\n9,1\n":        `record.csv: "z" has no value from 0 to 2 s, the time of the run`,
		"t,z,h\n0,,1\n1,,1\n":       `record.csv: "z" has no value from 0 to 2 s, the time of the run`,
		"t,z\n0,\n1,\n":             "error: no row has a value",
		"t,z,h\n0,,\n1,,\n":         "error: no row has a value",
		"t,z\n0,NaN\n1,NA\n2,\n":    "error: no row has a value",
		"t,z\n-5,0\n-1,0\n0,\n":     `record.csv: "z" has no value from 0 to 2 s, the time of the run`,
		"t,z\n-5,0\n-1,0\n":         "error: all measurements are outside the run",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "record.csv")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := runtest.Parse(t, channel, "initial={depth=1, h=1}", "boundary={}", "transect=[]",
			fmt.Sprintf("gauge=[{name='mast', at=[20, 5], measured='%s'}]", file))
		err := runtest.RunEach(t, c, runtest.Local(t, 1), onCPU)[0]
		notes := strings.Join(c.Notes(), "\n")
		if refusal, ok := strings.CutPrefix(want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%q: error %v, want %q", text, err, refusal)
			}
			continue
		}
		if err != nil || !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "no value") {
			t.Errorf("%q: %v, notes %q, want %q", text, err, notes, want)
		}
	}
}
