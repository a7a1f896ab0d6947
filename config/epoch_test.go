package config_test

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/dates"
)

// TestEpoch proves that the epoch may be a string or a TOML date, with or without a time zone, and that the steps
// depend on crs, which tells what coordinates are.
func TestEpoch(t *testing.T) {
	for set, want := range map[string]string{
		`time.epoch="2026-01-31T12:00:00Z"`:      "2026-01-31T12:00:00Z",
		`time.epoch=2026-01-31T12:00:00Z`:        "2026-01-31T12:00:00Z",
		`time.epoch=2026-01-31T14:00:00.5+02:00`: "2026-01-31T12:00:00.5Z",
		`time.epoch=2026-01-31 12:00:00`:         "2026-01-31T12:00:00Z",
		`time.epoch=2026-01-31`:                  "2026-01-31T00:00:00Z",
	} {
		c := parse(t, dam, set, "crs=epsg:25832")
		if c.Time.Epoch != want || c.CRS != "EPSG:25832" || c.EPSG() != 25832 {
			t.Errorf("%s: %q, %q", set, c.Time.Epoch, c.CRS)
		}
		for _, line := range []string{`epoch = "` + want + `"`, `crs = "EPSG:25832"`} {
			if !strings.Contains(c.String(), line+"\n") {
				t.Errorf("%s is printed as\n%s", set, c)
			}
		}
	}
	date, err := dates.Parse("2026-02-01")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := parse(t, dam, "time.epoch=2026-01-31").Time.Seconds(date); at != 86400 || err != nil {
		t.Errorf("%v s, %v", at, err)
	}
	if parse(t, dam, "crs=EPSG:4326").StepKeysHash() == parse(t, dam).StepKeysHash() {
		t.Error("crs does not change the hash of the steps")
	}
}
