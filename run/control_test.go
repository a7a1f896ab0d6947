package run

import (
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/progress"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// TestRestartedRunPollsEarly checks that a run that continues after a million steps polls within a few steps, as a new
// run does, so that it reacts early to an order to stop.
func TestRestartedRunPollsEarly(t *testing.T) {
	const steps = 1_000_000
	r := &runner{Options: Options{Case: &config.Case{}, Comm: local.New(1)[0]}, solver: &sweeper{swept: steps},
		list: recorder.NewList(&recorder.Run{}), progress: progress.New(progress.Options{}, progress.Run{})}
	r.origin.position, r.origin.checkpoint = recorder.NewPosition(), &checkpoint.State{}
	r.checkpoints = r.newCheckpoints()
	r.control = r.newControl(nil)
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.control.stepsToPoll(steps); n != 1 {
		t.Errorf("first poll after %d steps, want 1", n)
	}
	if n := r.control.decide(steps + 3).Steps; n > 6 {
		t.Errorf("second poll after %d more steps, want at most 6", n)
	}
}
