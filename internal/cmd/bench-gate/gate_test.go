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

// TestMedian: the ranks of the interval are those of tables of the sign test, and of so many samples the share that is
// promised has the median of what they were drawn from within it.
func TestMedian(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 1, 9: 2, 11: 2, 12: 3, 15: 4, 17: 5, 20: 6, 30: 10} {
		if got := rank(n); got != want {
			t.Errorf("%d values: rank %d, want %d", n, got, want)
		}
	}
	if m, low, high := median([]float64{7, 1, 3, 2, 5, 4}); m != 3.5 || low != 1 || high != 7 {
		t.Errorf("%g, %g to %g", m, low, high)
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
		t.Errorf("%d of %d intervals hold the median", within, samples)
	}
}

// build writes a program that stands in for atoll: its measurements take as long as it is told.
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
		name, old, recent, backend string
		slower                     bool
		fails, prints              string
	}{
		{"the same", base, base, "cpu", false, "", "1.000 to 1.000  ok"},
		{"slower by 4%", base, line("a", 1, 2.08) + line("a", 1, 3.12) + line("b", 1, 5), "cpu", true, "", "SLOWER"},
		{"slower by 2%", base, line("a", 1, 2.04) + line("a", 1, 3.06) + line("b", 1, 5), "cpu", false, "",
			"1.020 to 1.020  ok"},
		{"a name alone", base, strings.ReplaceAll(base, `"a"`, `"x"`), "cpu", false, "", "\nx "},
		{"wall time on a GPU", base, line("a", 1.1, 2) + line("a", 1.1, 3) + line("b", 1, 5), "cuda", true, "", "SLOWER"},
		{"of wall time alone", line("a", 1, 0), line("a", 1.1, 0), "cpu", true, "", "SLOWER"},
		{"a case missing", base, line("a", 1, 2) + line("a", 1, 3), "cpu", false, "measured 2 cases, the new one 1", ""},
		{"a measurement missing", base, line("a", 1, 2) + line("b", 1, 5), "cpu", false,
			"made 2 measurements, the new one 1", ""},
		{"a table", base, "echo cells Mcell/s", "cpu", false, "is no measurement", ""},
		{"nothing", base, "", "cpu", false, "has measured nothing", ""},
		{"an old build", "echo 'atoll: unknown flag: --json' >&2; exit 2", base, "cpu", false, "older than this flag", ""},
		{"a failure", base, "echo wrong >&2; exit 2", "cpu", false, "exit status 2: wrong", ""},
	} {
		var out bytes.Buffer
		g := gate{pairs: 6, on: []string{"vof --cells 2"}, backend: c.backend, limit: 1.03, core: -1, out: &out}
		err := g.compare(t.Context(), build(t, c.old), build(t, c.recent))
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) || errors.Is(err, errSlower) {
				t.Errorf("%s: %v, want %q", c.name, err, c.fails)
			}
		case errors.Is(err, errSlower) != c.slower || err != nil && !c.slower || !strings.Contains(out.String(), c.prints):
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
		}
	}
}

// TestArguments: a bench is asked for lines of JSON on the backend, by each build as often as there are pairs.
func TestArguments(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	script := func(name string) string { return "echo " + name + " \"$@\" >> " + log + "\n" + line("a", 1, 1) }
	g := gate{pairs: 6, on: []string{"smooth  --sizes 3"}, backend: "cpu", limit: 1.03, core: -1, out: &bytes.Buffer{}}
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
		t.Errorf("%s", got)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"a"}, {"a", "b", "--pairs", "5"}, {"a", "b", "--backend", "gpu"},
		{"no-such-commit-or-file", "b"}} {
		c := command()
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
