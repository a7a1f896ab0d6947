package verify

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestMissedBound checks that a missed bound appears in the table, in the report and in the error, and that later
// checks still run.
func TestMissedBound(t *testing.T) {
	checks := []Check{
		{Name: "wrong", About: "misses one of two bounds", Run: func(_ context.Context, p *Page) error {
			table := p.Table("numbers", "quantity", "reference", "Atoll")
			table.Row(Near(1.02, 1, 0.01), "speed", 1.0, 1.02)
			table.Row(Near(1.005, 1, 0.01), "depth", 1.0, 1.005)
			table.Flush()
			return nil
		}},
		{Name: "right", About: "meets its bound", Run: func(_ context.Context, p *Page) error {
			table := p.Table("numbers", "quantity", "Atoll")
			table.Row(Exactly(0, 0), "speed", 0.0)
			table.Flush()
			return nil
		}},
	}
	var out bytes.Buffer
	report, err := (&Suite{Checks: checks}).Run(t.Context(), &out, Options{})
	if err == nil || !strings.Contains(err.Error(), "wrong (1 of 2 bounds)") || strings.Contains(err.Error(), "right") {
		t.Errorf("error %v, want one that names check wrong alone", err)
	}
	if len(report.Checks) != 2 || len(report.Checks[0].Missed) != 1 || len(report.Checks[1].Missed) != 0 {
		t.Fatalf("report %+v", report)
	}
	if missed := report.Checks[0].Missed[0]; !strings.Contains(missed, "speed") || !strings.Contains(missed, "±1%") {
		t.Errorf("missed %q, want quantity and bound", missed)
	}
	want := "" +
		"numbers\n" +
		"  quantity  reference  Atoll  bound  verdict\n" +
		"  --------  ---------  -----  -----  -------\n" +
		"  speed             1   1.02    ±1%   FAILED\n" +
		"  depth             1  1.005    ±1%       ok\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", out.String(), want)
	}
}

// TestNaNMeetsNoBound checks that a NaN fails every bound.
func TestNaNMeetsNoBound(t *testing.T) {
	nan := 0.0
	nan /= nan
	for name, v := range map[string]Verdict{
		"atMost": AtMost(nan, 1), "atLeast": AtLeast(nan, 1), "between": Between(nan, 0, 1), "near": Near(nan, 1, 1),
		"exactly": Exactly(nan, nan),
	} {
		if v.OK {
			t.Errorf("%s accepts NaN", name)
		}
	}
}
