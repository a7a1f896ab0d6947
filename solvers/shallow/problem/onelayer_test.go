package problem

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestOneLayerIsAlone proves that output and messages of a run with one layer do not mention a second one.
func TestOneLayerIsAlone(t *testing.T) {
	second := regexp.MustCompile(`\b[a-z]+[12](_|\b)|complex|layers?\b.*\blayer|shear|scheme|entropy`)
	dir := t.TempDir()
	s, err := runtest.Run(t, forced, 1, 1, runtest.Local, dir, "time.max_steps=3")
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.Metrics {
		if second.MatchString(name) {
			t.Errorf("metric %s", name)
		}
	}
	for _, name := range []string{"mass", "h_max", "z_abs_integral", "mass_from_rain", "mass_from_right"} {
		if s.Metrics[name] == 0 {
			t.Errorf("no metric %s in %v", name, s.Metrics)
		}
	}
	if d, found := s.Conservation["mass"]; !found || len(s.Conservation) != 1 || d > 1e-13 {
		t.Errorf("conserved quantities are %v", s.Conservation)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(rows), "\n")
	if head != "step,t,dt,mass,mass_drift,mass_from_right,mass_from_rain,mass_from_evaporation,mass_from_infiltration" {
		t.Errorf("conservation.csv has %s", head)
	}
	printed := runtest.Parse(t, forced).String()
	if at := second.FindString(strings.ReplaceAll(printed, "layers = 1", "")); at != "" {
		t.Errorf("the case has %q:\n%s", at, printed)
	}
	_, err = runtest.Run(t, forced, 1, 1, runtest.Local, t.TempDir(), "initial.u=1e300", "time.max_steps=3")
	if err == nil || second.MatchString(err.Error()) || !strings.Contains(err.Error(), "{h: ") {
		t.Errorf("a run that breaks says %v", err)
	}
	_, err = runtest.Run(t, forced, 1, 1, runtest.Local, t.TempDir(), "initial={depth=1, h=-1}")
	if err == nil || second.MatchString(err.Error()) || !strings.Contains(err.Error(), "(h = -1)") {
		t.Errorf("a negative thickness is refused by %v", err)
	}
}
