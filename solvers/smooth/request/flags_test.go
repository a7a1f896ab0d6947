package request

import "testing"

// TestNumbersOfFlags proves that numbers in flags may be written as in shells.
func TestNumbersOfFlags(t *testing.T) {
	for given, want := range map[string]string{".5": "0.5", "-.5": "-0.5", "1.": "1.0", "1.e-3": "1.0e-3", "0.25": "0.25",
		"7": "7", "x*.5": "x*.5", "": ""} {
		if got := number(given); got != want {
			t.Errorf("%q is written %q, want %q", given, got, want)
		}
	}
}
