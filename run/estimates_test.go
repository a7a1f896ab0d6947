package run

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/solvers"
)

// paced is a solver that is so far, and takes steps of one length.
type paced struct{ solvers.Plain }

func (*paced) Advance(context.Context, float64, float64, int) (bool, error) { return false, nil }

// counted tells besides how many steps there are.
type counted struct{ paced }

func (s *counted) StepsTo(until float64) (least, most float64) {
	n := (until - s.Now.Time) / s.Now.Dt
	return n, n
}

func at(t, dt float64) paced {
	return paced{solvers.Plain{Now: solvers.Clock{Time: t, Steps: 100, Dt: dt}}}
}

func TestEstimateTime(t *testing.T) {
	of := at(2, 0.02)
	sure, sweeps := counted{of}, at(99, 1)
	every := config.Output{Every: 1, Format: []string{"vtu"}}
	for _, c := range []struct {
		of     solvers.Solver
		size   solvers.Size
		output config.Output
		want   string
	}{
		{&sure, solvers.Size{End: 10}, config.Output{}, "about 3.4 to 6.9 s: 400 steps of 10 ms each"},
		{&of, solvers.Size{End: 10}, config.Output{}, "about 2.9 to 7.8 s: 300 to 640 steps of 10 ms each"},
		{&sure, solvers.Size{End: 10, MaxSteps: 200}, config.Output{}, "about 0.85 to 1.8 s: 100 steps of 10 ms each"},
		{&sure, solvers.Size{End: 10}, every, "about 3.4 to 6.9 s: 400 steps of 10 ms each, and 8 frames besides"},
		{&sure, solvers.Size{End: 10, MaxSteps: 150}, every,
			"under 1 s: 50 steps of 10 ms each, and 1 frame besides"},
		{&sweeps, solvers.Size{End: 100, Sweeps: true}, config.Output{},
			"at most about 0.12 s: 1 sweep of 10 ms each, unless a rule ends the run before"},
	} {
		r := &runner{Options: Options{Case: &config.Case{Output: c.output}}, solver: c.of, size: c.size}
		if got := r.estimateTime(10 * time.Millisecond).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	r := &runner{Options: Options{Case: &config.Case{Output: every}}, solver: &sure, size: solvers.Size{End: 10},
		frames: []*frames{{writeTime: time.Second}}}
	if _, most := r.estimateTime(10 * time.Millisecond).Wall(); math.Abs(most-6.8-8-.1) > 1e-9 {
		t.Errorf("with frames of 1 s it is %g s at most", most)
	}
}

// TestTimeIsReportedOnce: after a second of steps, the first ones left out, with what a time limit makes of it.
func TestTimeIsReportedOnce(t *testing.T) {
	var out bytes.Buffer
	dev := cpu.New(1)
	defer dev.Close()
	s := &counted{at(1, 0.01)}
	to := progress.Options{Out: &out}
	r := &runner{Options: Options{Case: &config.Case{}, Comm: local.New(1)[0], Device: dev, Progress: to,
		TimeLimit: time.Minute}, solver: s, size: solvers.Size{End: 101}, started: time.Now(), loopBegun: time.Now(),
		progress: progress.New(to, progress.Run{})}
	tell := func(steps int) {
		s.Now.Steps = steps
		if err := r.reportTime(s.Now); err != nil {
			t.Fatal(err)
		}
	}
	tell(1)
	tell(5)
	if out.Len() > 0 {
		t.Fatalf("told too early: %s", &out)
	}
	r.timer.begun = time.Now().Add(-2 * time.Second) // since when there were 4 steps
	tell(5)
	tell(9)
	text := out.String()
	if !strings.HasPrefix(text, "time estimate    still about 71 min to 2.4 h: 10000 steps of 0.5 s each\n") ||
		!strings.Contains(text, "more than --time-limit 1m0s") || strings.Count(text, "\n") != 2 {
		t.Errorf("told %q", text)
	}
	if f := r.estimates; f == nil || f.Steps[0] != 10005 || !(f.Wall[0] > 4200 && f.Wall[1] < 8600) {
		t.Errorf("kept %+v", f)
	}
}
