package verify

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/verify"
)

// TestQuick proves that every check of smoothing meets its bounds at resolutions suitable for a test.
func TestQuick(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
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

// TestTwins proves that twins smooth the rough meshes again, and are compared.
func TestTwins(t *testing.T) {
	var devices []backend.Device
	for range 3 {
		devices = append(devices, cpu.New(1))
		defer devices[len(devices)-1].Close()
	}
	var out strings.Builder
	report, err := suite.Run(t.Context(), &out, verify.Options{Quick: true, Only: []string{"harm"},
		Twins: []verify.Twin{{Name: "one", Devices: devices[:1]}, {Name: "two", Devices: devices[1:]}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := " states have the same bits on one and two"; !strings.Contains(out.String(), "64"+want) ||
		report.Checks[0].Bounds != 64+8 {
		t.Errorf("%d bounds:\n%s", report.Checks[0].Bounds, out.String())
	}
}
