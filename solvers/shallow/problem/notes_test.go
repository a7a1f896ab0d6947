package problem

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestSeldomRowsAreNoted: an interval between rows of a gauge or a transect that is longer than the run is noted.
func TestSeldomRowsAreNoted(t *testing.T) {
	c, err := solvers.Parse("case.toml", []byte(rising+`
[[gauge]]
name = "quay"
at = [3, 1]
every = "10 min"
[[gauge]]
name = "lock"
at = [3, 1]
every = 1
[[transect]]
name = "mouth"
line = [[-3, -2], [-3, 2]]
every = "11 min"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range runtest.RunEach(t, c, runtest.Local(t, 1), func() backend.Device { return cpu.New(1) }) {
		if err != nil {
			t.Fatal(err)
		}
	}
	notes := strings.Join(c.Notes(), "\n")
	if !strings.Contains(notes, "[[gauge]] quay: every is 600 s, and the run ends after 2 s") ||
		!strings.Contains(notes, "[[transect]] mouth: every") || strings.Contains(notes, "lock") {
		t.Errorf("notes %q", notes)
	}
}
