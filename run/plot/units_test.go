package plot

import (
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestMoment: times of frames are dates where the case has one for the start.
func TestMoment(t *testing.T) {
	r := &runner{runCase: &config.Case{Time: config.Time{Epoch: "2015-12-05T09:30:00Z"}}}
	if got := r.moment(&frameData{}, 60); got != "2015-12-05 09:31" {
		t.Errorf("with an epoch: %q", got)
	}
	for seconds, want := range map[float64]string{86400: "2015-12-06 09:30", 3601: "2015-12-05 10:30:01",
		-1.25: "2015-12-05 09:29:58.75", 59.999: "2015-12-05 09:31"} {
		if got := r.moment(&frameData{}, seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
	r.runCase.Time.Epoch = ""
	for seconds, want := range map[float64]string{60: "t = 60 s", 32400.03: "t = 9 h", 129_600 + 900: "t = 36.25 h"} {
		if got := r.moment(&frameData{}, seconds); got != want {
			t.Errorf("without an epoch: %q, want %q", got, want)
		}
	}
}
