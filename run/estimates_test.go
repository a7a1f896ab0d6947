package run

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/solverstest"
)

// pacedSolver is a solver at a given time whose steps have a constant length.
type pacedSolver struct{ solverstest.Plain }

func (*pacedSolver) Advance(context.Context, float64, float64, int) (bool, error) { return false, nil }

// countingSolver also knows how many steps are left.
type countingSolver struct{ pacedSolver }

func (s *countingSolver) StepsTo(until float64) (least, most float64) {
	n := (until - s.Now.Time) / s.Now.Dt
	return n, n
}

// unsureSolver is asked for the number of steps, and does not know it.
type unsureSolver struct{ pacedSolver }

func (*unsureSolver) StepsTo(float64) (least, most float64) { return 0, 0 }

func pacedAt(t, dt float64) pacedSolver {
	return pacedSolver{solverstest.Plain{Now: solvers.Clock{Time: t, Steps: 100, Dt: dt}}}
}

func TestEstimateTime(t *testing.T) {
	paced := pacedAt(2, 0.02)
	counting, unsure, sweeps := countingSolver{paced}, unsureSolver{paced}, pacedAt(99, 1)
	every := config.Output{Every: 1, Format: []string{"vtu"}}
	for _, c := range []struct {
		paced  solvers.Solver
		size   solvers.Size
		output config.Output
		want   string
	}{
		{&counting, solvers.Size{End: 10}, config.Output{}, "about 3.4 to 6.9 s: 400 steps of 10 ms each"},
		{&paced, solvers.Size{End: 10}, config.Output{}, "about 2.9 to 7.8 s: 300 to 640 steps of 10 ms each"},
		{&unsure, solvers.Size{End: 10}, config.Output{}, "about 2.9 to 7.8 s: 300 to 640 steps of 10 ms each"},
		{&counting, solvers.Size{End: 10, MaxSteps: 200}, config.Output{}, "about 0.85 to 1.8 s: 100 steps of 10 ms each"},
		{&counting, solvers.Size{End: 10}, every, "about 3.4 to 6.9 s: 400 steps of 10 ms each, plus 8 frames"},
		{&counting, solvers.Size{End: 10, MaxSteps: 150}, every,
			"under 1 s: 50 steps of 10 ms each, plus 1 frame"},
		{&sweeps, solvers.Size{End: 100, Sweeps: true}, config.Output{},
			"at most about 0.12 s: 1 sweep of 10 ms each, fewer if a stopping criterion is met"},
	} {
		r := &runner{Options: Options{Case: &config.Case{Output: c.output}}, solver: c.paced, size: c.size}
		r.forecast.runner = r
		if got := r.forecast.remaining(10 * time.Millisecond).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestTimeIsReportedOnce checks that the time estimate is printed once, after a second of steps without the first ones,
// with a warning if it exceeds the time limit.
func TestTimeIsReportedOnce(t *testing.T) {
	var out bytes.Buffer
	dev := cpu.New(1)
	defer dev.Close()
	s := &countingSolver{pacedAt(1, 0.01)}
	options := progress.Options{Out: &out}
	r := &runner{Options: Options{Case: &config.Case{}, Comm: local.New(1)[0], Device: dev, Progress: options,
		TimeLimit: time.Minute}, solver: s, size: solvers.Size{End: 101}, started: time.Now(), loopBegun: time.Now(),
		progress: progress.New(options, progress.Run{})}
	r.forecast.runner = r
	report := func(steps int) {
		s.Now.Steps = steps
		if err := r.forecast.report(s.Now); err != nil {
			t.Fatal(err)
		}
	}
	report(1)
	report(5)
	if out.Len() > 0 {
		t.Fatalf("reported too early: %s", &out)
	}
	r.forecast.start = time.Now().Add(-2 * time.Second) // 4 steps since then
	report(5)
	report(9)
	text := out.String()
	if !strings.HasPrefix(text, "time estimate    still about 71 min to 2.4 h: 10000 steps of 0.5 s each\n") ||
		!strings.Contains(text, "exceeds --time-limit 1m0s") || strings.Count(text, "\n") != 2 {
		t.Errorf("reported %q", text)
	}
	if f := r.forecast.estimates; f == nil || f.Steps[0] != 10005 || !(f.Wall[0] > 4200 && f.Wall[1] < 8600) {
		t.Errorf("estimate %+v", f)
	}
}
