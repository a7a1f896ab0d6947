package barrier

import "testing"

// TestNext has the stages that follow each stage: better meshes go on, worse ones return to saved positions.
func TestNext(t *testing.T) {
	start := Level{Mean: .7, Worst: .3}
	better, flatter, worse := Level{.8, .3}, Level{.8, .2}, Level{.6, .4}
	for _, c := range []struct {
		stage         Stage
		dim           int
		at            Level
		next          Stage
		restore, save bool
	}{
		{Opening, 2, better, Lifting, false, true},
		{Opening, 3, start, Lifting, false, true},
		{Opening, 2, flatter, Cautious, true, false},
		{Opening, 3, worse, Cautious, true, false},
		{Cautious, 2, better, Ended, false, false},
		{Cautious, 3, worse, Ended, true, false},
		{Lifting, 2, worse, Closing, false, false},
		{Lifting, 3, better, Closing, false, false},
		{Closing, 2, better, Ended, false, false},
		{Closing, 2, flatter, Ended, true, false},
		{Closing, 3, worse, Averaging, false, false},
		{Averaging, 3, better, Ended, false, false},
		{Averaging, 3, flatter, Ended, true, false},
	} {
		if next, restore, save := c.stage.Next(c.dim, start, c.at); next != c.next || restore != c.restore || save != c.save {
			t.Errorf("stage %d in %d dimensions at %v: %d, restore %t, save %t; want %d, %t, %t", c.stage, c.dim, c.at, next,
				restore, save, c.next, c.restore, c.save)
		}
	}
}

// TestContinues: a stage goes on while what it is for rises, or the worst cell is a sliver that grows, up to its limit.
func TestContinues(t *testing.T) {
	at := func(mean, worst float64) Level { return Level{mean, worst} }
	for _, c := range []struct {
		stage    Stage
		sweeps   int
		last, at Level
		want     bool
	}{
		{Opening, 10, at(.5, .3), at(.51, .3), true}, {Opening, 10, at(.5, .3), at(.5, .31), true},
		{Opening, 10, at(.5, .3), at(.5005, .3005), false}, {Opening, 100, at(.5, .3), at(.6, .4), false},
		{Lifting, 10, at(.5, .3), at(.6, .3), false}, {Lifting, 10, at(.5, .3), at(.4, .31), true},
		{Closing, 40, at(.5, .3), at(.5, .4), false}, {Closing, 40, at(.5, 1e-5), at(.5, 3e-5), true},
		{Closing, 50, at(.5, 1e-5), at(.6, 3e-5), false},
	} {
		if got := c.stage.Rule().Continues(c.sweeps, c.last, c.at); got != c.want {
			t.Errorf("stage %d after %d sweeps, from %v to %v: %t, want %t", c.stage, c.sweeps, c.last, c.at, got, c.want)
		}
	}
}
