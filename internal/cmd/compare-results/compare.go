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

// options are the flags.
type options struct {
	backend, only, skip, ignore string
	examples, keep, pack        string
	jobs                        int
	limit                       time.Duration
	list, all                   bool
	out                         io.Writer

	ignored    *regexp.Regexp // nil for none
	lines      sync.Mutex
	equal      int
	differ     int
	passedOver int
}

var errDiffer = errors.New("the results are not the same")

// compare runs the suite with two builds and prints a line a case.
func (o *options) compare(ctx context.Context, before, after string) error {
	if o.backend != "cpu" && o.backend != "cuda" {
		return fmt.Errorf("--backend %q is not known; choose cpu or cuda", o.backend)
	}
	temporary, err := os.MkdirTemp("", "compare-results")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	cases := filepath.Join(temporary, "suite")
	all, err := suite(cases, o.folderOfExamples(), o.backend)
	if err != nil {
		return err
	}
	if all, err = o.choose(all); err != nil {
		return err
	}
	if o.list {
		for _, w := range all {
			fmt.Fprintln(o.out, w.label)
		}
		return nil
	}
	if err := provideMeshes(all); err != nil {
		return err
	}
	if o.pack != "" {
		return o.packInto(ctx, before, after, cases, temporary)
	}
	return o.run(ctx, all, before, after, temporary)
}

// run runs cases with two builds and compares.
func (o *options) run(ctx context.Context, all []*work, before, after, temporary string) error {
	kept := temporary
	if o.keep != "" {
		var err error
		if kept, err = filepath.Abs(o.keep); err != nil {
			return err
		}
	}
	old, err := o.open(ctx, before, temporary, kept, "old")
	if err != nil {
		return err
	}
	recent, err := o.open(ctx, after, temporary, kept, "new")
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "old: %s\nnew: %s\n", old.line, recent.line)
	begin := time.Now()
	var g errgroup.Group
	g.SetLimit(max(o.jobs, 1))
	for _, w := range all {
		g.Go(func() error { return o.one(ctx, w, old, recent) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%d equal, %d differ, %d skipped; %.0f s\n", o.equal, o.differ, o.passedOver,
		time.Since(begin).Seconds())
	switch {
	case o.differ > 0:
		return errDiffer
	case o.equal == 0:
		return errors.New("nothing was compared")
	}
	return nil
}

// choose leaves the cases that --only and --skip ask for.
func (o *options) choose(all []*work) (chosen []*work, err error) {
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
	for _, w := range all {
		if only.MatchString(w.label) && (o.skip == "" || !skip.MatchString(w.label)) {
			chosen = append(chosen, w)
		}
	}
	return chosen, nil
}

// one runs a case with both builds and compares. The error is that of a stop; all else is a line.
func (o *options) one(ctx context.Context, w *work, old, recent *side) error {
	if w.skip != "" {
		o.print(&o.passedOver, "SKIPPED  %s: %s\n", w.label, w.skip)
		return nil
	}
	took, err := old.results(ctx, w)
	took2, err2 := recent.results(ctx, w)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || err2 != nil {
		o.print(&o.differ, "FAILED   %s: %s\n", w.label, failure(err, err2))
		return nil
	}
	found, err := results.Folders(old.folder(w), recent.folder(w))
	if err != nil {
		o.print(&o.differ, "FAILED   %s: %v\n", w.label, err)
		return nil
	}
	if found = o.notIgnored(found); len(found) > 0 {
		o.print(&o.differ, "DIFFERS  %s: %s\n", w.label, o.describe(found))
	} else {
		o.print(&o.equal, "equal    %-72s %5.1f s %5.1f s\n", w.label, took.Seconds(), took2.Seconds())
	}
	if o.keep == "" {
		return errors.Join(old.forget(w), recent.forget(w))
	}
	return nil
}

// failure says in one line which builds failed. A case that fails in both proves nothing.
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

func (o *options) notIgnored(found []results.Difference) (rest []results.Difference) {
	for _, d := range found {
		if o.ignored == nil || !o.ignored.MatchString(d.String()) {
			rest = append(rest, d)
		}
	}
	return rest
}

func (o *options) describe(found []results.Difference) string {
	text := found[0].String()
	if o.all {
		for _, d := range found[1:] {
			text += "\n         " + d.String()
		}
	} else if more := len(found) - 1; more == 1 {
		text += " (and 1 more place: --all)"
	} else if more > 1 {
		text += fmt.Sprintf(" (and %d more places: --all)", more)
	}
	return text
}

func (o *options) print(count *int, format string, args ...any) {
	o.lines.Lock()
	defer o.lines.Unlock()
	*count++
	fmt.Fprintf(o.out, format, args...)
}
