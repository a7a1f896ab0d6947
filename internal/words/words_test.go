package words

import "testing"

func TestCount(t *testing.T) {
	for want, got := range map[string]string{"1 triangle": Count(1, "triangle"), "0 cells": Count(0, "cell"),
		"2 vertices": Count(2, "vertex"), "1 tetrahedron": Count(1, "tetrahedron"),
		"5 tetrahedra": Count(int64(5), "tetrahedron")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
