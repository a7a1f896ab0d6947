package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestRatingCurves proves that curves are read, and that those that are none are refused with what to do.
func TestRatingCurves(t *testing.T) {
	for text, want := range map[string]string{
		"z,q\n-1,0\n0,2\n1.5,9\n":  "",
		"z,q,r\n-1,7,0\n0,8,2\n":   "",
		"z,q\n1,0\n":               "needs at least two rows",
		"z,q\n1,2\n2,3\n":          "must have the discharge 0, not 2",
		"z,q\n1,0\n2,3\n3,2.5\n":   "the discharge falls from 3 to 2.5 m³/s where the level rises to 3 m",
		"z,q\n1,0\n1,3\n":          "level 1 m follows 1 m: want increasing levels",
		"z,q\n1,0\n2026-01-01,3\n": "rating curve: ",
		"z\n1\n":                   "two columns",
	} {
		path := filepath.Join(t.TempDir(), "curve.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		column := ""
		if strings.HasPrefix(text, "z,q,r") {
			column = "r"
		}
		given := Given{Kind: "rating", File: path, Column: column}
		got, err := given.condition(&config.Case{})
		switch {
		case want == "" && (err != nil || got.Curve[1].Value != 2):
			t.Errorf("%q: %+v, %v", text, got, err)
		case want != "" && (err == nil || want != "two columns" && !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v does not say %q", text, err, want)
		}
	}
}
