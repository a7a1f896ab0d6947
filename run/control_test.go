package run

import (
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/progress"
)

// TestGoesOnAndLooksSoon: a run that goes on after a million steps hears within a few of them that it is to stop, as
// one that begins.
func TestGoesOnAndLooksSoon(t *testing.T) {
	const steps = 1_000_000
	r := &runner{Options: Options{Case: &config.Case{}, Comm: local.New(1)[0]}, solver: &sweeper{swept: steps},
		from: &position{}, checkpoint: &checkpoint.File{}, progress: progress.New(progress.Options{}, progress.Run{})}
	r.control = r.newControl(nil)
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.stepsToPoll(steps); n != 1 {
		t.Errorf("ranks look at each other after %d steps", n)
	}
	var all poll
	r.control.request(&all, steps+3, 0)
	if n := all[pollNext]; n > 6 {
		t.Errorf("and then after %d more", n)
	}
}
