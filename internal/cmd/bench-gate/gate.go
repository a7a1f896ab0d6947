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

// gate has the flags of the command.
type gate struct {
	pairs   int
	benches []string
	backend string
	limit   float64
	core    int
	out     io.Writer
}

//go:embed benches.txt
var benchList string

// defaultBenches returns the benches for a backend in benches.txt.
func defaultBenches(backend string) (benches []string) {
	for line := range strings.Lines(benchList) {
		if b, bench, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && b == backend {
			benches = append(benches, bench)
		}
	}
	return benches
}

var errSlower = errors.New("the new build is slower")

// compare measures two builds by all benches, and prints a line for each case of a bench.
func (g *gate) compare(ctx context.Context, before, after string) error {
	if g.pairs < minPairs {
		return fmt.Errorf("--pairs %d: a 95%% interval of the median needs at least %d", g.pairs, minPairs)
	}
	benches := g.benches
	if len(benches) == 0 {
		benches = defaultBenches(g.backend)
	}
	if defaultBenches(g.backend) == nil {
		return fmt.Errorf("--backend %q is unknown; choose cpu or cuda", g.backend)
	}
	temporary, err := os.MkdirTemp("", "bench-gate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	var binaries [2]string
	for side, source := range []string{before, after} {
		name := []string{"old", "new"}[side]
		path, description, err := builds.Binary(ctx, source, filepath.Join(temporary, name), name)
		if err != nil {
			return err
		}
		binaries[side] = path
		fmt.Fprintf(g.out, "%s: %s\n", name, description)
	}
	pinning, err := g.pinCommand()
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%-70s %9s %9s %7s  %-15s\n", "bench", "old, ns", "new, ns", "ratio", "95% interval")
	slower := false
	for _, b := range benches {
		cases, err := g.bench(ctx, pinning, binaries, strings.Fields(b))
		if err != nil {
			return fmt.Errorf("bench %s: %w", b, err)
		}
		for _, c := range cases {
			slower = g.printCase(c) || slower
		}
	}
	if slower {
		return errSlower
	}
	return nil
}

// printCase prints the result of one case, and reports whether its whole interval lies above the limit.
func (g *gate) printCase(c comparison) (slower bool) {
	before, _, _ := median(c.seconds[0])
	after, _, _ := median(c.seconds[1])
	middle, low, high := median(c.ratios)
	verdict := "ok"
	switch {
	case low > g.limit:
		verdict = "SLOWER"
	case high > g.limit:
		verdict = "uncertain"
	}
	fmt.Fprintf(g.out, "%-70s %9.4g %9.4g %7.3f  %.3f to %.3f  %s\n", c.name, 1e9*before, 1e9*after, middle, low, high,
		verdict)
	return low > g.limit
}
