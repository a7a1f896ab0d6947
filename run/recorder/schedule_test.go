package recorder

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/solvers"
)

// TestDueAtMultiples checks that a state is due at the first step that reaches each multiple of the interval: also
// where adding intervals gives another number than multiplying, and where steps are longer than the interval.
func TestDueAtMultiples(t *testing.T) {
	every := 0.1
	s := EachStep(every)
	for k := range 10000 {
		now := solvers.Clock{Time: float64(k) * every}
		if !s.Due(now) {
			t.Fatalf("nothing is due after %d intervals; the next time is %v", k, s.NextTime())
		}
		if s.Wrote(now); s.Due(now) {
			t.Fatalf("after %d intervals the state is due again, at %v", k, s.NextTime())
		}
	}
	if s.Wrote(solvers.Clock{Time: 2000.05}); s.NextTime() != 20001*every {
		t.Errorf("after t = 2000.05 the next time is %v, want 2000.1", s.NextTime())
	}
	tiny := Schedule{Every: 1e-30} // smaller than the spacing of floating-point times
	if tiny.Wrote(solvers.Clock{Time: 1}); !tiny.Due(solvers.Clock{Time: 1 + 1e-9}) {
		t.Errorf("nothing is due after a step; the next time is %v", tiny.NextTime())
	}
}

// randomSchedule returns a schedule of any kind.
func randomSchedule(rng *rand.Rand) Schedule {
	s := Schedule{First: rng.IntN(2) == 0, Last: rng.IntN(2) == 0}
	switch rng.IntN(3) {
	case 0:
		s.Every = []float64{0.1, 0.25, 1. / 3, 0.7}[rng.IntN(4)]
	case 1:
		s.Steps = 1 + rng.IntN(7)
	}
	return s
}

// written returns the steps that a schedule writes between two steps, with the last one if it ends there.
func written(s *Schedule, times []float64, from, to int, ends bool) (steps []int) {
	for k := from; k < to; k++ {
		now := solvers.Clock{Steps: k, Time: times[k]}
		last := ends && k == to-1
		if last && s.DueLast(now) || s.Due(now) {
			s.Wrote(now)
			steps = append(steps, k)
		}
	}
	return steps
}

// TestSchedulesContinue: a schedule that is saved after any step and resumed writes at the same steps as one that goes
// on, and one that begins at any time writes, from there on, at the same steps as one that begins at the start.
func TestSchedulesContinue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 2000 {
		times := make([]float64, 60)
		for k := 1; k < len(times); k++ {
			times[k] = times[k-1] + rng.Float64()*0.3
		}
		kind := randomSchedule(rng)
		whole := kind
		want := written(&whole, times, 0, len(times), true)

		stop := 1 + rng.IntN(len(times)-1)
		first, second := kind, kind
		got := written(&first, times, 0, stop, false)
		text, err := json.Marshal(first.Progress())
		if err != nil {
			t.Fatal(err)
		}
		var saved Progress
		if err := json.Unmarshal(text, &saved); err != nil {
			t.Fatal(err)
		}
		second.Resume(&saved, solvers.Clock{Steps: stop - 1, Time: times[stop-1]})
		if got = append(got, written(&second, times, stop-1, len(times), true)...); !equal(got, want) {
			t.Fatalf("%+v stopped after step %d: wrote %v, want %v", kind, stop-1, got, want)
		}

		from := times[len(times)-1] * rng.Float64()
		begin := 0 // a checkpoint before that time
		for begin+1 < len(times) && times[begin+1] <= from && rng.IntN(10) > 0 {
			begin++
		}
		late := kind
		late.Begin(from)
		got = written(&late, times, begin, len(times), true)
		var rest []int
		least := from
		if kind.Every > 0 {
			least = firstMultiple(from, kind.Every, false)
		}
		for _, k := range want {
			if times[k] >= least || k == len(times)-1 {
				rest = append(rest, k)
			}
		}
		if !equal(got, rest) {
			t.Fatalf("%+v begun at %v, from step %d: wrote %v, want %v", kind, from, begin, got, rest)
		}
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestChangedInterval: a schedule with another interval than at the checkpoint goes on with the next multiple of its
// own, and so does one that was not there.
func TestChangedInterval(t *testing.T) {
	now := solvers.Clock{Steps: 9, Time: 1.05}
	for name, saved := range map[string]*Progress{"changed": {Every: 0.1, Next: 1.1}, "new": nil} {
		s := Schedule{Every: 0.25}
		if s.Resume(saved, now); s.NextTime() != 1.25 {
			t.Errorf("%s: the next time is %v, want 1.25", name, s.NextTime())
		}
	}
	steps := Schedule{Steps: 5, Last: true}
	if steps.Resume(nil, now); !steps.DueLast(now) || steps.StepsLeft(9) != 1 || steps.NextTime() != math.Inf(1) {
		t.Errorf("a schedule by steps: %+v", steps)
	}
}

// TestDueByWall: the wall-clock interval counts from where it was started.
func TestDueByWall(t *testing.T) {
	s, begin := Schedule{Wall: time.Minute}, time.Unix(1000, 0)
	s.StartWall(begin)
	if s.DueByWall(begin.Add(59*time.Second)) || !s.DueByWall(begin.Add(time.Minute)) {
		t.Error("a state is not due after a minute")
	}
	if never := (Schedule{}); never.DueByWall(begin) || never.Due(solvers.Clock{}) || never.StepsLeft(3) != math.MaxInt {
		t.Error("a schedule without conditions writes")
	}
}
