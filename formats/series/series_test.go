package series

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func noDates(string) (float64, error) { return 0, errors.New("no dates") }

func TestDecode(t *testing.T) {
	text := "# of a gauge\nt, level,flow\n0, 1,2\n1.5,3,-4\n10,5,6\n"
	for column, want := range map[string][]Row{
		"": {{0, 1}, {1.5, 3}, {10, 5}}, "level": {{0, 1}, {1.5, 3}, {10, 5}}, "flow": {{0, 2}, {1.5, -4}, {10, 6}},
	} {
		got, err := Decode(strings.NewReader(text), "tide.csv", column, noDates)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("column %q: %v, %v; want %v", column, got, err, want)
		}
	}
}

func TestDecodeRefusesMalformedFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "tide.csv: the file is empty",
		"t\n0\n":            "tide.csv:1: a series needs a column for the time and a column for values",
		"0,1\n1,2\n":        "tide.csv:1: the first row must have the titles of columns",
		"t,z\n":             "tide.csv: a series needs at least one row",
		"t,z\n0,1\n0,2\n":   "tide.csv:3: time 0 s follows 0 s",
		"t,z\n0,high\n":     `tide.csv:2: "high" is not a finite number`,
		"t,z\n0,NaN\n":      `tide.csv:2: "NaN" is not a finite number`,
		"t,z\n0,1,2\n":      "tide.csv:2: wrong number of fields",
		"t,h\n0,1\n":        `tide.csv:1: there is no column "z": want one of ["h"]`,
		"t,z\n\"0,1\n2,3\n": "tide.csv:",
	} {
		column := ""
		if strings.HasPrefix(text, "t,h") {
			column = "z"
		}
		_, err := Decode(strings.NewReader(text), "tide.csv", column, noDates)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q", text, err, want)
		}
	}
}

// FuzzDecode: for any file, Decode returns an error or rows with finite values and increasing times.
func FuzzDecode(f *testing.F) {
	f.Add("t,z\n0,1\n1,2\n", "z")
	f.Add("# c\nt,\"z\"\n0,1e3\n", "")
	f.Fuzz(func(t *testing.T, text, column string) {
		rows, err := Decode(strings.NewReader(text), "f", column, noDates)
		if err != nil {
			return
		}
		for i, r := range rows {
			if r.T-r.T != 0 || r.Value-r.Value != 0 || i > 0 && r.T <= rows[i-1].T {
				t.Errorf("got rows %v, want finite values and increasing times", rows)
			}
		}
	})
}
