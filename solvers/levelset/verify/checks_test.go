package verify

import (
	"bytes"
	"testing"

	"github.com/atoll-hpc/atoll/run/verify"
)

// TestQuick runs the checks that take seconds.
func TestQuick(t *testing.T) {
	for _, name := range []string{"volumes", "distances"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			report, err := suite.Run(t.Context(), &out, verify.Options{Quick: true, Only: []string{name}})
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if len(report.Checks) != 1 || report.Checks[0].Name != name || report.Checks[0].Bounds == 0 {
				t.Errorf("report %+v, want one check %q that looked at bounds", report, name)
			}
		})
	}
}
