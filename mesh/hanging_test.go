package mesh

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Two adjacent columns of a and of b rows share the vertices at the same height. All other vertices between them are
// hanging nodes, for any rotation and scale. Without hanging nodes the mesh is valid.
func TestHanging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(1, 12).Draw(t, "a"), rapid.IntRange(1, 12).Draw(t, "b")
		m := &Mesh{}
		ids := map[[2]int]int32{} // by column and height in units of 1/(ab)
		sin, cos := math.Sincos(rapid.Float64Range(0, 7).Draw(t, "angle"))
		scale := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "scale"))
		x0, y0 := scale*rapid.Float64Range(-100, 100).Draw(t, "x"), scale*rapid.Float64Range(-100, 100).Draw(t, "y")
		vertex := func(column, height int) int32 {
			v, ok := ids[[2]int{column, height}]
			if !ok {
				v = int32(len(m.X))
				ids[[2]int{column, height}] = v
				x, y := float64(column), float64(height)/float64(a*b)
				m.X, m.Y = append(m.X, x0+scale*(cos*x-sin*y)), append(m.Y, y0+scale*(sin*x+cos*y))
			}
			return v
		}
		for column, rows := range []int{a, b} {
			step := a * b / rows
			for j := range rows {
				p, q := vertex(column, j*step), vertex(column+1, j*step)
				r, s := vertex(column+1, (j+1)*step), vertex(column, (j+1)*step)
				m.Cells = append(m.Cells, [3]int32{p, q, r}, [3]int32{p, r, s})
			}
		}
		hanging := 0
		for height := range a*b + 1 {
			if (height%a == 0) != (height%b == 0) {
				hanging++
			}
		}
		err := m.Check()
		switch want := fmt.Sprintf("%d vert", hanging); {
		case hanging == 0 && err != nil:
			t.Errorf("%d and %d rows: error %v, want none", a, b, err)
		case hanging > 0 && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%d and %d rows: error %v, want %d hanging nodes", a, b, err, hanging)
		}
	})
}

// The search for hanging nodes works on a mesh of zero width and on one whose width overflows: Check reports the flat
// and the huge cells.
func TestHangingOfDegenerateWidth(t *testing.T) {
	for size, want := range map[float64]string{0: "2 cells of zero area", 1.5e308: "2 cells whose areas overflow"} {
		m := square()
		for v := range m.X {
			m.X[v] = size * (2*m.X[v] - 1)
		}
		if err := m.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("size %g: error %v, want %q", size, err, want)
		}
	}
}
