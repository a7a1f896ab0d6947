package solvers

import "testing"

func TestCount(t *testing.T) {
	for want, c := range map[string]struct {
		n    int
		what string
	}{"1 triangle": {1, "triangle"}, "0 triangles": {0, "triangle"}, "1 tetrahedron": {1, "tetrahedron"},
		"2 tetrahedra": {2, "tetrahedron"}, "12 vertices": {12, "vertex"}, "1 vertex": {1, "vertex"}} {
		if got := Count(c.n, c.what); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
