package words

import "testing"

// TestPosition: positions have the digits that tell them apart, and not fewer than three.
func TestPosition(t *testing.T) {
	for want, got := range map[string]string{
		"(565432.1, 5934210.7)":   Position([]float64{565432.12345, 5934210.6789}, .3),
		"(565432.12, 5934210.68)": Position([]float64{565432.12345, 5934210.6789}, .01),
		"(565432, 5934211)":       Position([]float64{565432.12345, 5934210.6789}, 1),
		"(0.333, -0.667)":         Position([]float64{1. / 3, -2. / 3}, .1),
		"(0.3333, 0)":             Position([]float64{1. / 3, 0}, 1e-4),
		"(1, 2.5, 1.25e-06)":      Position([]float64{1, 2.5, 1.25e-6}, 1e-3),
		"(1.23e+09)":              Position([]float64{1.2345e9}, 1e8),
		"12.3":                    Resolved(12.3456, 0),
		"100000.25":               Resolved(100000.25, .01),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
