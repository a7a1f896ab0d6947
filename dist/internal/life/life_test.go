package life

import (
	"testing"
	"testing/synctest"
	"time"
)

// watch ticks a clock until the pulse is silent, and tells how long that took after the last beat.
func watch(p *Pulse, silence time.Duration, limit time.Duration) time.Duration {
	start := time.Now()
	for time.Since(start) < limit {
		time.Sleep(p.clock.period)
		if p.clock.Tick(); p.Silent(silence) {
			break
		}
	}
	return time.Since(start)
}

func TestSilenceIsFoundInTimeAndNoEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		took := watch(NewPulse(NewClock(CheckInterval(silence))), silence, time.Minute)
		if took > silence || took < silence-4*CheckInterval(silence) {
			t.Fatalf("found after %v", took)
		}
	})
}

func TestOwnAbsenceIsNobodysSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		p := NewPulse(NewClock(CheckInterval(silence)))
		time.Sleep(time.Hour) // no ticks
		if p.clock.Tick(); p.Silent(silence) {
			t.Fatal("blamed for an absence of the watcher")
		}
		if took := watch(p, silence, time.Minute); took > silence {
			t.Fatalf("found after %v", took)
		}
	})
}

// A beat may come after the watcher's absence and before its clock has ticked.
func TestBeatBeforeTheTickHidesNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		p := NewPulse(NewClock(CheckInterval(silence)))
		time.Sleep(time.Hour)
		p.Beat()
		if took := watch(p, silence, time.Minute); took > silence+CheckInterval(silence) {
			t.Fatalf("found after %v", took)
		}
	})
}
