package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/internal/builds"
)

// gate holds the flags.
type gate struct {
	pairs   int
	on      []string
	backend string
	limit   float64
	core    int
	out     io.Writer
}

//go:embed benches.txt
var list string

// usual are the benches of a backend.
func usual(backend string) (all []string) {
	for line := range strings.Lines(list) {
		if of, bench, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && of == backend {
			all = append(all, bench)
		}
	}
	return all
}

var errSlower = errors.New("the new build is slower")

// compare measures two builds by all benches, and prints a line for each measurement of them.
func (g *gate) compare(ctx context.Context, before, after string) error {
	if g.pairs < leastPairs {
		return fmt.Errorf("--pairs %d: a 95%% interval of the median needs at least %d", g.pairs, leastPairs)
	}
	benches := g.on
	if len(benches) == 0 {
		benches = usual(g.backend)
	}
	if usual(g.backend) == nil {
		return fmt.Errorf("--backend %q is not known; choose cpu or cuda", g.backend)
	}
	temporary, err := os.MkdirTemp("", "bench-gate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	var binaries [2]string
	for side, what := range []string{before, after} {
		name := []string{"old", "new"}[side]
		path, line, err := builds.Binary(ctx, what, filepath.Join(temporary, name), name)
		if err != nil {
			return err
		}
		binaries[side] = path
		fmt.Fprintf(g.out, "%s: %s\n", name, line)
	}
	pin, err := g.pin()
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%-70s %9s %9s %7s  %-15s\n", "bench", "old, ns", "new, ns", "ratio", "95% interval")
	slower := false
	for _, b := range benches {
		found, err := g.bench(ctx, pin, binaries, strings.Fields(b))
		if err != nil {
			return fmt.Errorf("bench %s: %w", b, err)
		}
		for _, c := range found {
			slower = g.judge(c) || slower
		}
	}
	if slower {
		return errSlower
	}
	return nil
}

// judge prints what has been found of one case, and reports whether its interval lies above the limit.
func (g *gate) judge(c compared) (slower bool) {
	before, _, _ := median(c.each[0])
	after, _, _ := median(c.each[1])
	middle, low, high := median(c.ratios)
	verdict := "ok"
	switch {
	case low > g.limit:
		verdict = "SLOWER"
	case high > g.limit:
		verdict = "not slower for certain"
	}
	fmt.Fprintf(g.out, "%-70s %9.4g %9.4g %7.3f  %.3f to %.3f  %s\n", c.name, 1e9*before, 1e9*after, middle, low, high,
		verdict)
	return low > g.limit
}
