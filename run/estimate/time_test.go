package estimate

import (
	"strings"
	"testing"
	"time"
)

// TestShortRun: what a run takes besides its steps is counted, so that no time is told that a short one cannot keep.
func TestShortRun(t *testing.T) {
	f := Time{Least: 100, Likely: 100, Most: 100, Step: 60 * time.Microsecond}
	if least, most := f.Wall(); least > .006 || most < .057 { // measured on a GPU
		t.Errorf("%g to %g s", least, most)
	}
	if text := f.String(); !strings.HasPrefix(text, "under 1 s: 100 steps of 60 µs each") {
		t.Error(text)
	}
	f.Step = 60 * time.Millisecond
	if text := f.String(); !strings.HasPrefix(text, "about 5.1 to 10 s: 100 steps") {
		t.Error(text)
	}
}
