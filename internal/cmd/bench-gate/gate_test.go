package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMedian: the ranks of the interval are those in tables of the sign test; and of the intervals of random samples,
// the expected fraction contains the median of their distribution.
func TestMedian(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 1, 9: 2, 11: 2, 12: 3, 15: 4, 17: 5, 20: 6, 30: 10} {
		if got := rank(n); got != want {
			t.Errorf("%d values: got rank %d, want %d", n, got, want)
		}
	}
	if m, low, high := median([]float64{7, 1, 3, 2, 5, 4}); m != 3.5 || low != 1 || high != 7 {
		t.Errorf("got median %g, %g to %g; want 3.5, 1 to 7", m, low, high)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const samples = 4000
	within := 0
	for range samples {
		values := make([]float64, 15)
		for i := range values {
			values[i] = random.ExpFloat64()
		}
		if _, low, high := median(values); low <= math.Ln2 && math.Ln2 <= high {
			within++
		}
	}
	// 96.48% are expected: 3859 of 4000, with a standard deviation of 12.
	if within < 3859-48 || within > 3859+48 {
		t.Errorf("%d of %d intervals contain the median, want 3859 within 48", within, samples)
	}
}

// build writes a fake atoll: a shell script, which prints measurements.
func build(t *testing.T, script string) string {
	path := filepath.Join(t.TempDir(), "atoll")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func line(name string, wall, processor float64) string {
	return fmt.Sprintf("echo '{\"name\":%q,\"updates\":1000,\"wall_s\":%g,\"processor_s\":%g}'\n", name, wall, processor)
}

func TestGate(t *testing.T) {
	base := line("a", 1, 2) + line("a", 1, 3) + line("b", 1, 5)
	for _, c := range []struct {
		name, old, new, backend string
		slower                  bool
		wantError, wantOutput   string
	}{
		{"the same", base, base, "cpu", false, "", "1.000 to 1.000  ok"},
		{"slower by 4%", base, line("a", 1, 2.08) + line("a", 1, 3.12) + line("b", 1, 5), "cpu", true, "", "SLOWER"},
		{"slower by 2%", base, line("a", 1, 2.04) + line("a", 1, 3.06) + line("b", 1, 5), "cpu", false, "",
			"1.020 to 1.020  ok"},
		{"another name", base, strings.ReplaceAll(base, `"a"`, `"x"`), "cpu", false, "", "\nx "},
		{"wall time on a GPU", base, line("a", 1.1, 2) + line("a", 1.1, 3) + line("b", 1, 5), "cuda", true, "", "SLOWER"},
		{"wall time only", line("a", 1, 0), line("a", 1.1, 0), "cpu", true, "", "SLOWER"},
		{"a case missing", base, line("a", 1, 2) + line("a", 1, 3), "cpu", false, "measured 2 cases, the new one 1", ""},
		{"a measurement missing", base, line("a", 1, 2) + line("b", 1, 5), "cpu", false,
			"made 2 measurements, the new one 1", ""},
		{"a table", base, "echo cells Mcell/s", "cpu", false, "is not a measurement", ""},
		{"nothing", base, "", "cpu", false, "printed no measurements", ""},
		{"an old build", "echo 'atoll: unknown flag: --json' >&2; exit 2", base, "cpu", false, "older than this flag", ""},
		{"a failure", base, "echo wrong >&2; exit 2", "cpu", false, "exit status 2: wrong", ""},
	} {
		var out bytes.Buffer
		g := gate{pairs: 6, benches: []string{"vof --cells 2"}, backend: c.backend, limit: 1.03, core: -1, out: &out}
		err := g.compare(t.Context(), build(t, c.old), build(t, c.new))
		switch {
		case c.wantError != "":
			if err == nil || !strings.Contains(err.Error(), c.wantError) || errors.Is(err, errSlower) {
				t.Errorf("%s: got error %v, want one with %q", c.name, err, c.wantError)
			}
		case errors.Is(err, errSlower) != c.slower || err != nil && !c.slower ||
			!strings.Contains(out.String(), c.wantOutput):
			t.Errorf("%s: got error %v, want slower %v; want %q in the output\n%s", c.name, err, c.slower,
				c.wantOutput, out.String())
		}
	}
}

// TestArguments: the gate runs the bench with both builds in alternating order, with flags for JSON and the backend.
func TestArguments(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	script := func(name string) string { return "echo " + name + " \"$@\" >> " + log + "\n" + line("a", 1, 1) }
	g := gate{pairs: 6, benches: []string{"smooth  --sizes 3"}, backend: "cpu", limit: 1.03, core: -1,
		out: &bytes.Buffer{}}
	if err := g.compare(t.Context(), build(t, script("old")), build(t, script("new"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	args := " bench smooth --sizes 3 --json --backend cpu\n"
	pairs := "old" + args + "new" + args + "new" + args + "old" + args
	if got := string(text); got != pairs+pairs+pairs {
		t.Errorf("got commands\n%swant 3 times\n%s", got, pairs)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"a"}, {"a", "b", "--pairs", "5"}, {"a", "b", "--backend", "gpu"},
		{"no-such-commit-or-file", "b"}} {
		c := command()
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%q: got no error", args)
		}
	}
}
