package words

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{"1 triangle": Count(1, "triangle"), "0 cells": Count(0, "cell"),
		"2 vertices": Count(2, "vertex"), "1 tetrahedron": Count(1, "tetrahedron"),
		"5 tetrahedra": Count(int64(5), "tetrahedron")} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for want, got := range map[string]string{
		"0 s": Duration(0), "99 µs": Duration(99e-6), "0.1 ms": Duration(99.6e-6), "12 ms": Duration(0.0123),
		"0.1 s": Duration(0.0997), "89 s": Duration(89), "1.5 min": Duration(90), "90 min": Duration(5399),
		"1.5 h": Duration(5401), "3 days": Duration(3 * 86400), "2 years": Duration(731 * 86400),
		"40 min to 1.7 h": DurationSpan(2400, 6000), "40 to 80 min": DurationSpan(2400, 4800),
		"40 min": DurationSpan(2400, 2410), "1152": CountSpan(1152, 1152), "1200": CountSpan(1152, 1153),
		"12000 to 18000": CountSpan(12345, 18123),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
