package plot

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestDrift(t *testing.T) {
	change, largest, relative := drift([]float64{4, 5, 2})
	if want := []float64{0, 0.25, -0.5}; !reflect.DeepEqual(change, want) || largest != 0.5 || !relative {
		t.Errorf("got %v, %g, %v", change, largest, relative)
	}
	change, largest, relative = drift([]float64{0, -3})
	if want := []float64{0, -3}; !reflect.DeepEqual(change, want) || largest != 3 || relative {
		t.Errorf("from zero: %v, %g, %v", change, largest, relative)
	}
}

func TestTables(t *testing.T) {
	table, err := parseTable(strings.NewReader("# gauge\nt, h1\n0,1\n1,NaN\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(table.names, []string{"t", "h1"}) || table.columns[0][1] != 1 ||
		!math.IsNaN(table.columns[1][1]) {
		t.Errorf("got %+v", table)
	}
	for in, want := range map[string]string{
		"":              "the file is empty",
		"t,h\n0,x\n":    `line 2: column "h": "x" is not a number`,
		"t,h\n0,1\n1\n": "wrong number of fields",
		"x,h\n0,1\n":    `no column "t"`,
		"t,h\n1,1\n0,1": "row 2 has time 0, after 1",
		"t,h\nNaN,1\n":  "row 1 has time NaN",
		"t,h\n":         "but no rows",
		"t,h\n\"0,1\n":  "line 2",
	} {
		table, err := parseTable(strings.NewReader(in))
		if err == nil {
			_, _, err = table.times()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("t,h1\n0,1\n1,2\n")
	f.Fuzz(func(t *testing.T, in string) {
		table, err := parseTable(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, c := range table.columns {
			if len(c) != len(table.columns[0]) {
				t.Fatalf("columns of %d and %d values", len(c), len(table.columns[0]))
			}
		}
		if times, _, err := table.times(); err == nil && len(times) == 0 {
			t.Fatal("no times and no error")
		}
	})
}
