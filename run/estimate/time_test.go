package estimate

import (
	"strings"
	"testing"
	"time"
)

// TestShortRun checks that the estimate of a short run includes the time besides its steps.
func TestShortRun(t *testing.T) {
	f := Time{Least: 100, Likely: 100, Most: 100, Step: 60 * time.Microsecond}
	if least, most := f.Wall(); least > .006 || most < .057 { // measured on a GPU
		t.Errorf("got %g to %g s, want 0.006 to 0.057 s inside", least, most)
	}
	if text := f.String(); !strings.HasPrefix(text, "under 1 s: 100 steps of 60 µs each") {
		t.Errorf("got %q, want under 1 s for 100 steps of 60 µs", text)
	}
	f.Step = 60 * time.Millisecond
	if text := f.String(); !strings.HasPrefix(text, "about 5.1 to 10 s: 100 steps") {
		t.Errorf("got %q, want about 5.1 to 10 s for 100 steps", text)
	}
}
