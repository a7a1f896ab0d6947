package sliced

import (
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/lattice"
)

// TestRectangle: slices of a generated mesh are those of mesh.Rectangle.
func TestRectangle(t *testing.T) {
	m, err := mesh.Rectangle(-1, 0, 5, 2, 700, 3)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lattice.New(-1, 0, 5, 2, 700, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := &Rectangle{*l}
	vertices, cells, sides := r.Counts()
	if int(vertices) != len(m.X) || int(cells) != len(m.Cells) || int(sides) != len(m.Tagged) {
		t.Fatalf("%d vertices, %d cells, %d sides; want %d, %d, %d", vertices, cells, sides, len(m.X), len(m.Cells),
			len(m.Tagged))
	}
	const readers = 7
	v, c, k := 0, 0, 0
	for reader := range readers {
		each := func(n int64, f func(lo, hi int64) error) {
			lo, hi := Share(n, reader, readers)
			if err := f(lo, hi); err != nil {
				t.Fatal(err)
			}
		}
		each(vertices, func(lo, hi int64) error {
			return r.EachVertex(lo, hi, func(label int64, at [3]float64) {
				if int(label) != v || at != [3]float64{m.X[v], m.Y[v]} {
					t.Fatalf("vertex %d is %d at %v, want (%g, %g)", v, label, at, m.X[v], m.Y[v])
				}
				v++
			})
		})
		each(cells, func(lo, hi int64) error {
			return r.EachCell(lo, hi, func(corners [3]int64) {
				if want := m.Cells[c]; corners != [3]int64{int64(want[0]), int64(want[1]), int64(want[2])} {
					t.Fatalf("cell %d has vertices %v, want %v", c, corners, want)
				}
				c++
			})
		})
		each(sides, func(lo, hi int64) error {
			return r.EachSide(lo, hi, func(a, b int64, groups []int32) {
				if e := m.Tagged[k]; a != int64(e.A) || b != int64(e.B) || len(groups) != 1 || groups[0] != e.Group {
					t.Fatalf("side %d: %d, %d, %v; want %v", k, a, b, groups, e)
				}
				k++
			})
		})
	}
	if v != len(m.X) || c != len(m.Cells) || k != len(m.Tagged) {
		t.Errorf("slices have %d vertices, %d cells and %d sides", v, c, k)
	}
}
