package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/internal/results"
)

// options has the flags of the command, and the counts of results.
type options struct {
	backend, only, skip, ignore string
	examples, keep, pack        string
	jobs                        int
	limit                       time.Duration
	list, all                   bool
	out                         io.Writer

	ignored *regexp.Regexp // nil for none
	mu      sync.Mutex     // protects out and the counts
	equal   int
	differ  int
	skipped int
}

var errDiffer = errors.New("the results differ")

// compare runs the suite with two builds and prints a line per case.
func (o *options) compare(ctx context.Context, before, after string) error {
	if o.backend != "cpu" && o.backend != "cuda" {
		return fmt.Errorf("--backend %q is unknown; choose cpu or cuda", o.backend)
	}
	temporary, err := os.MkdirTemp("", "compare-results")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	cases := filepath.Join(temporary, "suite")
	tasks, err := suite(cases, o.examplesFolder(), o.backend)
	if err != nil {
		return err
	}
	if tasks, err = o.filter(tasks); err != nil {
		return err
	}
	if o.list {
		for _, t := range tasks {
			fmt.Fprintln(o.out, t.label)
		}
		return nil
	}
	if err := provideMeshes(tasks); err != nil {
		return err
	}
	if o.pack != "" {
		return o.packInto(ctx, before, after, cases, temporary)
	}
	return o.run(ctx, tasks, before, after, temporary)
}

// run runs cases with two builds and compares.
func (o *options) run(ctx context.Context, tasks []*task, before, after, temporary string) error {
	resultsDir := temporary
	if o.keep != "" {
		var err error
		if resultsDir, err = filepath.Abs(o.keep); err != nil {
			return err
		}
	}
	old, err := o.open(ctx, before, temporary, resultsDir, "old")
	if err != nil {
		return err
	}
	recent, err := o.open(ctx, after, temporary, resultsDir, "new")
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "old: %s\nnew: %s\n", old.description, recent.description)
	begin := time.Now()
	var g errgroup.Group
	g.SetLimit(max(o.jobs, 1))
	for _, t := range tasks {
		g.Go(func() error { return o.compareCase(ctx, t, old, recent) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%d equal, %d differ, %d skipped; %.0f s\n", o.equal, o.differ, o.skipped,
		time.Since(begin).Seconds())
	switch {
	case o.differ > 0:
		return errDiffer
	case o.equal == 0:
		return errors.New("nothing was compared")
	}
	return nil
}

// filter returns the cases that --only and --skip select.
func (o *options) filter(tasks []*task) (selected []*task, err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	skip, err := regexp.Compile(o.skip)
	if err != nil {
		return nil, fmt.Errorf("--skip: %w", err)
	}
	if o.ignore != "" {
		if o.ignored, err = regexp.Compile(o.ignore); err != nil {
			return nil, fmt.Errorf("--ignore: %w", err)
		}
	}
	for _, t := range tasks {
		if only.MatchString(t.label) && (o.skip == "" || !skip.MatchString(t.label)) {
			selected = append(selected, t)
		}
	}
	return selected, nil
}

// compareCase runs a case with both builds, compares the results and prints a line. It returns an error only if ctx
// ends or results cannot be removed.
func (o *options) compareCase(ctx context.Context, t *task, old, recent *side) error {
	if t.skip != "" {
		o.print(&o.skipped, "SKIPPED  %s: %s\n", t.label, t.skip)
		return nil
	}
	oldTime, oldErr := old.run(ctx, t)
	newTime, newErr := recent.run(ctx, t)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if oldErr != nil || newErr != nil {
		o.print(&o.differ, "FAILED   %s: %s\n", t.label, failure(oldErr, newErr))
		return nil
	}
	differences, err := results.Folders(old.folder(t), recent.folder(t))
	if err != nil {
		o.print(&o.differ, "FAILED   %s: %v\n", t.label, err)
		return nil
	}
	if differences = o.notIgnored(differences); len(differences) > 0 {
		o.print(&o.differ, "DIFFERS  %s: %s\n", t.label, o.describe(differences))
	} else {
		o.print(&o.equal, "equal    %-72s %5.1f s %5.1f s\n", t.label, oldTime.Seconds(), newTime.Seconds())
	}
	if o.keep == "" {
		return errors.Join(old.remove(t), recent.remove(t))
	}
	return nil
}

// failure returns a line that names the builds that failed. A case that fails with both builds counts as a failure too.
func failure(old, recent error) string {
	switch {
	case recent == nil:
		return "the old build: " + old.Error()
	case old == nil:
		return "the new build: " + recent.Error()
	case old.Error() == recent.Error():
		return "both builds: " + old.Error()
	}
	return fmt.Sprintf("the old build: %v; the new build: %v", old, recent)
}

func (o *options) notIgnored(differences []results.Difference) (remaining []results.Difference) {
	for _, d := range differences {
		if o.ignored == nil || !o.ignored.MatchString(d.String()) {
			remaining = append(remaining, d)
		}
	}
	return remaining
}

func (o *options) describe(differences []results.Difference) string {
	text := differences[0].String()
	if o.all {
		for _, d := range differences[1:] {
			text += "\n         " + d.String()
		}
	} else if others := len(differences) - 1; others == 1 {
		text += " (and 1 more difference: use --all)"
	} else if others > 1 {
		text += fmt.Sprintf(" (and %d more differences: use --all)", others)
	}
	return text
}

func (o *options) print(count *int, format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*count++
	fmt.Fprintf(o.out, format, args...)
}
