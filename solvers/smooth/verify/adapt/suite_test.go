package adapt

import (
	"io"
	"testing"

	"github.com/atoll-hpc/atoll/run/verify"
)

// TestChecks runs the first tasks of all checks.
func TestChecks(t *testing.T) {
	report, err := suite.Run(t.Context(), io.Discard, verify.Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		if len(c.Missed) > 0 || c.Bounds == 0 {
			t.Errorf("%s: %d bounds, missed %q", c.Name, c.Bounds, c.Missed)
		}
	}
}
