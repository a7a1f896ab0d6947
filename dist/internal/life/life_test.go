package life

import (
	"testing"
	"testing/synctest"
	"time"
)

// watch ticks a clock until the pulse is silent, and returns how long that took.
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

func TestSilenceIsDetectedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		took := watch(NewPulse(NewClock(CheckInterval(silence))), silence, time.Minute)
		if took > silence || took < silence-4*CheckInterval(silence) {
			t.Fatalf("detected after %v", took)
		}
	})
}

func TestOwnSuspensionDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		p := NewPulse(NewClock(CheckInterval(silence)))
		time.Sleep(time.Hour) // no ticks
		if p.clock.Tick(); p.Silent(silence) {
			t.Fatal("reported silent after a suspension of the watcher")
		}
		if took := watch(p, silence, time.Minute); took > silence {
			t.Fatalf("detected after %v", took)
		}
	})
}

// A heartbeat may arrive after a suspension of the watcher and before its clock has ticked.
func TestBeatBeforeTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 3 * time.Second
		p := NewPulse(NewClock(CheckInterval(silence)))
		time.Sleep(time.Hour)
		p.Beat()
		if took := watch(p, silence, time.Minute); took > silence+CheckInterval(silence) {
			t.Fatalf("detected after %v", took)
		}
	})
}
