package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// finish writes the output that belongs to the end of the run, and computes the summary. All ranks call it.
func (r *runner) finish(ctx context.Context) (*summary.Summary, error) {
	end, err := r.totals.Measure(ctx, r.solver)
	if err != nil {
		return nil, err
	}
	hash, err := solvers.Hash(ctx, r.Comm, r.solver)
	if err != nil {
		return nil, err
	}
	imbalances, err := imbalance(ctx, r.Comm, r.solver.Fields())
	if err != nil {
		return nil, err
	}
	if r.output.Ledger != nil {
		if err := checkOutput(ctx, &r.output, r.list); err != nil {
			return nil, err
		}
		if err := r.completeOutput(ctx); err != nil {
			return nil, &solvers.Fault{Err: err}
		}
	}
	metrics, err := r.endMetrics(ctx)
	if err != nil {
		return nil, err
	}
	s := r.newSummary()
	s.StateSHA256, s.HashVersion, s.Imbalance, s.Metrics = hash, solvers.HashVersion, imbalances, metrics
	if s.Processor, err = work(ctx, r.Comm, r.Transport, r.loopProcessor); err != nil {
		return nil, err
	}
	if b, ok := r.solver.(solvers.Rebalancer); ok {
		balance := summary.Balance(b.Balance())
		s.Balance = &balance
	}
	for _, q := range end {
		if q.Outputs&solvers.Metric != 0 {
			s.Metrics[q.Name] = q.Value
		}
		if q.Outputs&solvers.Drift != 0 {
			s.Conservation[strings.TrimSuffix(q.Name, "_drift")] = q.Value
		}
	}
	if err := measureEnd(ctx, &r.output, r.Check, s.Metrics); err != nil {
		return nil, err
	}
	s.Meanings = meanings(r.Case, s.Metrics)
	return s, measureMemory(ctx, &r.output, s)
}

// meanings returns what the solver of a case declares about metrics.
func meanings(c *config.Case, metrics map[string]float64) map[string]summary.Meaning {
	kind, _ := solvers.Find(c.Solver)
	list := kind.Measured()
	for _, exact := range c.Exact {
		list = append(list, solvers.ErrorQuantities(&solvers.Field{Name: exact.Name})...)
	}
	known := map[string]summary.Meaning{}
	for _, q := range list {
		known[q.Name] = summary.Meaning{Unit: q.Unit, Doc: q.Doc}
	}
	for name := range metrics {
		if through, ok := strings.CutPrefix(name, solvers.ThroughPrefix); ok {
			known[name] = summary.Meaning{Unit: "m³", Doc: "what has passed through " + through + " since the start"}
		}
		if breach, ok := strings.CutPrefix(name, solvers.OpenedPrefix); ok {
			known[name] = summary.Meaning{Unit: "s", Doc: "time at which " + breach + " has opened; -1: not"}
		}
		if total, source, ok := strings.Cut(name, solvers.SourceInfix); ok {
			known[name] = summary.Meaning{Unit: known[total].Unit, Doc: total + " that " + source + " has added since the start"}
		}
	}
	return known
}

// completeOutput writes the files that are made at the end, and returns when all output is on the disk. All ranks call
// it.
func (r *runner) completeOutput(ctx context.Context) error {
	if err := r.list.Finish(ctx, r.solver.Clock()); err != nil {
		return err
	}
	_, err := r.output.Ledger.Mark().Wait()
	return solvers.Agree(ctx, r.Comm, err)
}

// checkOutput compares frames and tables with what the run has written: a BadInput names a file that is damaged. All
// ranks call it.
func checkOutput(ctx context.Context, run *recorder.Run, list *recorder.List) error {
	err := list.Save(recorder.NewPosition()) // enters the tables into the ledger
	if err == nil {
		var files ledger.Files
		if files, err = run.Ledger.Mark().Wait(); err == nil {
			err = files.Check(run.Dir, 0, 1, true)
		}
	}
	if errors.As(err, new(*ledger.Damaged)) {
		err = fmt.Errorf("%w: restore it, and the same command completes the run; or start from the beginning with --force",
			err)
	}
	return solvers.Agree(ctx, run.Comm, err)
}

// newSummary fills in the values that this rank knows without communication.
func (r *runner) newSummary() *summary.Summary {
	c, now := r.Case, r.solver.Clock()
	if r.size.Sweeps {
		now.Time = 0
	}
	s := &summary.Summary{
		Solver: c.Solver, Case: c.Name, CaseSHA256: c.Hash(), Steps: int64(now.Steps), Time: now.Time,
		Cells: r.size.Entities, Unit: r.size.Unit, Dim: r.size.Dim, Ranks: r.Comm.Size(), Transport: r.Transport,
		Backend: r.Device.Name(), Halo: r.size.Halo, Precision: r.size.Precision, Threads: r.Device.Threads(),
		Wall: r.loopTime.Seconds(), Phases: r.solver.Phases(), Conservation: map[string]float64{},
		Version: summary.Version(), FMA: summary.FusesMultiplyAdd(), Host: summary.ThisHost(), Estimate: r.forecast.estimates,
	}
	s.Phases["setup"], s.Phases["output"] = r.setUpTime.Seconds(), r.output.Spent().Seconds()
	if r.firstStepTime > 0 {
		s.Phases["first_step"] = r.firstStepTime.Seconds()
	}
	if d, ok := r.solver.(solvers.Stopper); ok {
		s.Stopped = d.Stopped()
	}
	if s.Wall > 0 {
		s.UpdatesPerS = float64(r.size.Entities) * float64(now.Steps) / s.Wall
	}
	return s
}

// measureEnd adds quantities that are measured only at the end: errors against exact solutions, and those of the
// solver.
func measureEnd(ctx context.Context, run *recorder.Run, check bool, metrics map[string]float64) error {
	list, err := solvers.MeasureExact(ctx, run.Comm, run.Solver, run.Case)
	if err != nil {
		return err
	}
	if d, ok := run.Solver.(solvers.Ender); ok && !check {
		quantities, err := d.MeasureEnd(ctx)
		if err != nil {
			return err
		}
		list = append(list, quantities...)
	}
	for _, q := range list {
		metrics[q.Name] = q.Value
	}
	return nil
}

// endMetrics returns metrics that are only known at the end of a run: those that the solver derives from all steps, and
// the misfits of gauges. All ranks call it.
func (r *runner) endMetrics(ctx context.Context) (map[string]float64, error) {
	metrics := map[string]float64{}
	if c, ok := r.solver.(solvers.Concluder); ok {
		list, err := c.Conclude(ctx)
		if err != nil {
			return nil, err
		}
		for _, q := range list {
			metrics[q.Name] = q.Value
		}
	}
	if r.Check {
		return metrics, nil
	}
	misfits, err := r.gauges.Misfits(ctx)
	maps.Copy(metrics, misfits)
	return metrics, err
}

// measureMemory adds the memory of arrays and devices over all ranks.
func measureMemory(ctx context.Context, run *recorder.Run, s *summary.Summary) error {
	if d, separate := run.Device.(backend.MemoryAccount); separate {
		bytes := []int64{d.Peak(), d.SnapshotPeak()}
		if err := run.Comm.AllreduceInt64(ctx, dist.Sum, bytes); err != nil {
			return err
		}
		s.DeviceBytes, s.CopyBytes = bytes[0], bytes[1]
	}
	bytes := []int64{run.Solver.Size().Bytes}
	if err := run.Comm.AllreduceInt64(ctx, dist.Max, bytes); err != nil {
		return err
	}
	s.ArrayBytes = bytes[0]
	return nil
}

// imbalance returns, for each space, the number of entities of the rank that owns the most, divided by the mean over
// ranks: 1 is perfect. The state must have been read since the last step, because only that updates the counts of
// spaces whose entities change ranks. It returns nil for one rank.
func imbalance(ctx context.Context, comm dist.Comm, fields []solvers.Field) (map[string]float64, error) {
	if comm.Size() == 1 {
		return nil, nil
	}
	ratios := map[string]float64{}
	for _, f := range fields {
		if _, known := ratios[f.Space.Name]; known || f.Space.OnRoot {
			continue
		}
		owned := int64(f.Space.Owned)
		most, sum := []int64{owned}, []int64{owned}
		if err := comm.AllreduceInt64(ctx, dist.Max, most); err != nil {
			return nil, err
		}
		if err := comm.AllreduceInt64(ctx, dist.Sum, sum); err != nil {
			return nil, err
		}
		ratios[f.Space.Name] = 1
		if sum[0] > 0 {
			ratios[f.Space.Name] = float64(most[0]) * float64(comm.Size()) / float64(sum[0])
		}
	}
	return ratios, nil
}

// work returns the processor times of the loop over steps of all ranks; nil unless each is a process.
func work(ctx context.Context, comm dist.Comm, transport string, own time.Duration) (*summary.Processor, error) {
	if comm.Size() == 1 || transport == "local" {
		return nil, nil
	}
	sum, most := []int64{int64(own)}, []int64{int64(own)}
	if err := comm.AllreduceInt64(ctx, dist.Sum, sum); err != nil {
		return nil, err
	}
	if err := comm.AllreduceInt64(ctx, dist.Max, most); err != nil || most[0] == 0 {
		return nil, err
	}
	mean := time.Duration(sum[0] / int64(comm.Size()))
	return &summary.Processor{Mean: mean.Seconds(), Most: time.Duration(most[0]).Seconds()}, nil
}
