package meshfile

import "testing"

// TestSplit: quadrangles are divided along the shorter diagonal, and inside, whichever way their corners turn.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		x, y  []float64
		first bool // along the diagonal from corner 0 to corner 2
	}{
		{[]float64{0, 1, 1, 0}, []float64{0, 0, 1, 1}, true},
		{[]float64{0, 2, 3, 1}, []float64{0, 0, 1, 1}, false},
		{[]float64{1, 0, 2, 3}, []float64{1, 0, 0, 1}, true},
		{[]float64{0, 1, .2, 0}, []float64{0, 0, .2, 1}, true},  // corner 2 is inside the triangle of the others
		{[]float64{0, 0, .2, 1}, []float64{0, 1, .2, 0}, true},  // the same, the other way
		{[]float64{1, .2, 0, 0}, []float64{0, .2, 1, 0}, false}, // corner 1
	} {
		got := Split(c.x, c.y, [4]int32{0, 1, 2, 3})
		want := [2][3]int32{{0, 1, 3}, {1, 2, 3}}
		if c.first {
			want = [2][3]int32{{0, 1, 2}, {0, 2, 3}}
		}
		if got != want {
			t.Errorf("%v %v: %v, want %v", c.x, c.y, got, want)
		}
	}
}
