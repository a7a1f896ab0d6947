package chart

import (
	"math"
	"testing"
)

// TestIsolines checks the isolines of a field that is linear in x: they are at the right position within half a cell,
// and each is one piece from side to side, also if the two halves of the mesh have separate vertices. Next to dry cells
// there are none.
func TestIsolines(t *testing.T) {
	x, y, cells := square(0, 20)
	x2, y2, cells2 := square(1, 20)
	for _, c := range cells2 {
		n := int32(len(x))
		cells = append(cells, [3]int32{c[0] + n, c[1] + n, c[2] + n})
	}
	x, y = append(x, x2...), append(y, y2...)
	m := &Map{X: x, Y: y, Cells: cells, Values: make([]float64, len(cells)), Dry: make([]bool, len(cells))}
	for i, c := range cells {
		m.Values[i] = (x[c[0]] + x[c[1]] + x[c[2]]) / 3
		m.Dry[i] = m.Values[i] > 1.5
	}
	merged := m.mergedVertices()
	corner, known := m.vertexValues(merged)
	for level, pieces := range map[float64]int{0.507: 1, 0.993: 1, 1.7: 0} {
		var lines [][4]float64
		for _, c := range cells {
			c = [3]int32{merged[c[0]], merged[c[1]], merged[c[2]]}
			if !known[c[0]] || !known[c[1]] || !known[c[2]] {
				continue
			}
			if l, crossed := m.crossing(c, corner, level); crossed {
				lines = append(lines, l)
				if math.Abs(l[0]-level) > 0.025 {
					t.Errorf("the isoline of %g is at x = %g", level, l[0])
				}
			}
		}
		polylines := Chains(lines)
		if len(polylines) != pieces {
			t.Fatalf("the isoline of %g has %d pieces, want %d", level, len(polylines), pieces)
		}
		if pieces > 0 {
			first, last := polylines[0][0], polylines[0][len(polylines[0])-1]
			if math.Abs(first[1]-last[1]) != 1 {
				t.Errorf("the isoline of %g goes from %v to %v, want from side to side", level, first, last)
			}
		}
	}
}

func TestParseLevels(t *testing.T) {
	for text, want := range map[string]Levels{"8": {Count: 8}, "0.5": {Values: []float64{0.5}},
		"2,":      {Values: []float64{2}},
		"-1, 0,1": {Values: []float64{-1, 0, 1}}, "0": {Values: []float64{0}}} {
		got, err := ParseLevels(text)
		if err != nil || got.Count != want.Count || len(got.Values) != len(want.Values) {
			t.Errorf("%q: got %+v, error %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "1,,2", "NaN"} {
		if l, err := ParseLevels(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, l)
		}
	}
}

// TestArrows checks that arrows appear in wet cells only.
func TestArrows(t *testing.T) {
	x, y, cells := square(0, 10)
	m := &Map{Page: Page{Width: 400}, X: x, Y: y, Cells: cells, Values: make([]float64, len(cells)),
		Dry: make([]bool, len(cells)), Arrows: &Arrows{Name: "u, v", Unit: "m/s"}}
	for i, c := range cells {
		m.Dry[i] = x[c[0]] >= 0.5
		m.Arrows.U, m.Arrows.V = append(m.Arrows.U, 0.7), append(m.Arrows.V, 0)
	}
	countDark := func() (left, right int) {
		picture, err := m.Draw()
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.PixelAt(0.02, 0.98)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.PixelAt(0.98, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		img := picture.RGBA()
		for py := a.Y; py < b.Y; py++ {
			for px := a.X; px < b.X; px++ {
				if similar(img.At(px, py), ink, 30) {
					if px < (a.X+b.X)/2 {
						left++
					} else {
						right++
					}
				}
			}
		}
		return left, right
	}
	if left, right := countDark(); left < 100 || right > 0 {
		t.Errorf("%d dark pixels in the wet half, %d in the dry half", left, right)
	}
	m.Arrows.V = m.Arrows.V[1:]
	if _, err := m.Draw(); err == nil {
		t.Error("arrows with a missing component: no error")
	}
}

// TestHistogram checks that the percentages of bins add up to 100 and that values that are not finite are refused.
func TestHistogram(t *testing.T) {
	values := []float64{-1, 0, 0.1, 0.5, 0.99, 1, 7}
	sum := 0.0
	percentages := shares(values, 0, 1, 4)
	for _, s := range percentages {
		sum += s
	}
	if math.Abs(sum-100) > 1e-9 || math.Abs(percentages[0]-300./7) > 1e-9 || math.Abs(percentages[3]-300./7) > 1e-9 {
		t.Errorf("shares %v", percentages)
	}
	h := &Histogram{Page: Page{Width: 400}, Counted: "cells", Log: true,
		Sets: []Curve{{Name: "a", Values: values}, {Name: "b", Values: values[1:5]}}}
	if _, err := h.Draw(); err != nil {
		t.Error(err)
	}
	h.Sets[0].Values = append(values, math.NaN())
	if _, err := h.Draw(); err == nil {
		t.Error("a NaN: no error")
	}
	if _, err := (&Histogram{}).Draw(); err == nil {
		t.Error("no values: no error")
	}
}
