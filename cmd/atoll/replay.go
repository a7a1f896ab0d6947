package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// replayFlags are the flags of atoll replay.
type replayFlags struct {
	runFlags
	time, from, until, every float64
	gauges, fields           []string
	format                   string
}

func replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay DIR",
		Short: "Recompute a time or an interval of an earlier run, with other gauges, fields and frames",
		Long: "Begin at the last checkpoint before the given time, or at the start if there is none, and repeat the steps\n" +
			"of the run: with the same bits, on any number of ranks and either backend. The run's output is not changed.",
		Example: "  atoll replay out/dam-break --at 0.3 --field speed\n" +
			"  atoll replay out/dam-break --from 0.2 --until 0.4 --every 0.01 --gauge 1.5,0",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.replay(cmd.Context(), args[0], cmd.Flags().Changed("at"), cmd.Flags().Changed("until"))
		},
	}
	p := c.Flags()
	p.Float64Var(&f.time, "at", 0, "the time, s: the frame shows the first step at or after it")
	p.Float64Var(&f.from, "from", 0, "start of the interval, s")
	p.Float64Var(&f.until, "until", 0, "end of the interval, s (default: the end of the run)")
	p.Float64Var(&f.every, "every", 0,
		"time between frames and rows of gauges, s; 0 for one frame at the end, and all rows")
	p.StringArrayVar(&f.gauges, "gauge", nil,
		"coordinates of a gauge, as in 1.5,0; may be repeated (default: those of the case)")
	p.StringSliceVar(&f.fields, "field", nil, "fields of frames and gauges (default: those of the case)")
	p.StringVar(&f.format, "format", "", "format of frames (default: that of the case)")
	p.StringVar(&f.out, "out", "", "folder of the output (default: replay in DIR)")
	f.resources(c)
	return c
}

// resources adds the flags for the ranks and the device of a recomputation.
func (f *runFlags) resources(c *cobra.Command) {
	f.transport, f.halo = "local", "auto"
	p := c.Flags()
	p.IntVarP(&f.ranks, "ranks", "n", 1, "number of ranks, in this process")
	p.StringVar(&f.backend, "backend", "cpu", "where kernels run: cpu or cuda (an NVIDIA GPU)")
	p.IntVar(&f.threads, "threads", 0, "threads of each rank; 0 shares the cores among the ranks")
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
}

func (f *replayFlags) replay(ctx context.Context, dir string, atTime, hasUntil bool) error {
	if err := f.validate(true); err != nil {
		return err
	}
	switch {
	case atTime && (hasUntil || f.from != 0):
		return usageError{errors.New("give either --at, a time, or --from and --until, an interval")}
	case atTime:
		f.from, f.until = f.time, f.time
	case !hasUntil:
		f.until = math.Inf(1)
	}
	if f.until < f.from || !(f.from >= 0) {
		return usageError{fmt.Errorf("--from %g and --until %g: want 0 <= from <= until", f.from, f.until)}
	}
	overrides, err := f.overrides()
	if err != nil {
		return usageError{err}
	}
	c, err := run.LoadCase(dir, overrides)
	if err != nil {
		return badInput(err)
	}
	if f.from > c.Time.End {
		return badInput(fmt.Errorf("t = %g s is after the end of the run, t = %g s", f.from, c.Time.End))
	}
	if f.out == "" {
		f.out = filepath.Join(dir, "replay")
	}
	f.force = true
	f.replayed = &run.Replay{From: f.from, Until: f.until}
	if f.replayed.Checkpoint, err = run.NearestCheckpoint(dir, f.from); err != nil {
		return err
	}
	if !f.quiet {
		begin := f.replayed.Checkpoint
		if begin == "" {
			begin = "the start of the run: no checkpoint is earlier"
		}
		fmt.Fprintf(stdout, "%-16s %s\n", "from", begin)
	}
	r := rank{runFlags: &f.runFlags, reason: "replay"}
	return r.goroutines(ctx, c)
}

// overrides returns the flags of the output as overrides of the case, "key=value".
func (f *replayFlags) overrides() ([]string, error) {
	overrides := []string{fmt.Sprintf("output.every=%g", f.every)}
	if f.fields != nil {
		overrides = append(overrides, "output.fields="+tomlArray(f.fields))
	}
	if f.format != "" {
		overrides = append(overrides, "output.format="+tomlArray([]string{f.format}))
	}
	var gauges []string
	for i, position := range f.gauges {
		for _, x := range strings.Split(position, ",") {
			if _, err := strconv.ParseFloat(x, 64); err != nil {
				return nil, fmt.Errorf("--gauge %s: want coordinates separated by commas", position)
			}
		}
		gauges = append(gauges, fmt.Sprintf("{name='replay%d', at=[%s], every=%g}", i+1, position, f.every))
	}
	if gauges != nil {
		overrides = append(overrides, "gauge=["+strings.Join(gauges, ", ")+"]")
	}
	return overrides, nil
}

// tomlArray returns a TOML array of strings.
func tomlArray(texts []string) string {
	for i := range texts {
		texts[i] = strconv.Quote(texts[i])
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func auditCommand() *cobra.Command {
	var f runFlags
	segment := 0
	c := &cobra.Command{
		Use:   "audit DIR",
		Short: "Recompute a run from checkpoint to checkpoint, and compare the hashes of the states",
		Long: "Begin at the start and at each checkpoint of a run, " +
			"repeat the steps up to the next checkpoint, and compare\n" +
			"the hash of the state with the saved one. Ranks, threads and backend may differ from those of the run.\n" +
			"The exit code is 1 if a hash differs.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(true); err != nil {
				return err
			}
			return f.audit(cmd.Context(), args[0], segment)
		},
	}
	c.Flags().IntVar(&segment, "segment", 0, "check only segment k, which ends at the k-th checkpoint; 0 for all")
	f.resources(c)
	return c
}

func (f *runFlags) audit(ctx context.Context, dir string, onlySegment int) error {
	files, saved, damaged, err := run.Checkpoints(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return badInput(errors.Join(append(damaged, fmt.Errorf("%s has no checkpoint", dir))...))
	}
	if onlySegment < 0 || onlySegment > len(files) {
		return usageError{fmt.Errorf("--segment %d: choose 1 to %d, or 0 for all", onlySegment, len(files))}
	}
	faults := len(damaged)
	for _, err := range damaged {
		fmt.Println(err)
	}
	for k := range files {
		if onlySegment != 0 && onlySegment != k+1 {
			continue
		}
		c, err := run.LoadCase(dir, nil)
		if err != nil {
			return badInput(err)
		}
		checkpoint, steps := "", 0
		if k > 0 {
			checkpoint, steps = files[k-1], saved[k-1].Steps
		}
		o := solvers.Outcome{}
		f.replayed = &run.Replay{Checkpoint: checkpoint, Until: math.Inf(1), Steps: saved[k].Steps}
		f.onOutcome = func(_ context.Context, _ solvers.Solver, result solvers.Outcome) error { o = result; return nil }
		r := rank{runFlags: f, reason: "audit"}
		if err := r.goroutines(ctx, c); err != nil {
			return err
		}
		verdict := "the same"
		if o.Hash != saved[k].StateSHA256 || o.Steps != saved[k].Steps {
			verdict = fmt.Sprintf("DIFFERENT: recomputed as %s after %s", o.Hash, words.Count(o.Steps, "step"))
			faults++
		}
		f.quiet = true // the first segment has printed what all have in common
		fmt.Printf("segment %-3d steps %9d to %9d  %.12s  %s\n", k+1, steps, saved[k].Steps, saved[k].StateSHA256, verdict)
	}
	if faults > 0 {
		return fmt.Errorf("%s of %s: checkpoints are damaged, or differ from what this program computes",
			words.Count(faults, "fault"), dir)
	}
	return nil
}
