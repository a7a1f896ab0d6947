package chart

import (
	"math"
	"testing"
)

// TestIsolines: of a field that is linear along x the lines are at their places within half a cell, one piece each from
// side to side, also where the two halves of the mesh have vertices of their own; beside dry cells there are none.
func TestIsolines(t *testing.T) {
	x, y, cells := square(0, 20)
	right, above, more := square(1, 20)
	for _, c := range more {
		n := int32(len(x))
		cells = append(cells, [3]int32{c[0] + n, c[1] + n, c[2] + n})
	}
	x, y = append(x, right...), append(y, above...)
	m := &Map{X: x, Y: y, Cells: cells, Values: make([]float64, len(cells)), Dry: make([]bool, len(cells))}
	for i, c := range cells {
		m.Values[i] = (x[c[0]] + x[c[1]] + x[c[2]]) / 3
		m.Dry[i] = m.Values[i] > 1.5
	}
	one := m.oneOf()
	corner, known := m.corners(one)
	for level, pieces := range map[float64]int{0.507: 1, 0.993: 1, 1.7: 0} {
		var lines [][4]float64
		for _, c := range cells {
			c = [3]int32{one[c[0]], one[c[1]], one[c[2]]}
			if !known[c[0]] || !known[c[1]] || !known[c[2]] {
				continue
			}
			if l, crossed := m.crossing(c, corner, level); crossed {
				lines = append(lines, l)
				if math.Abs(l[0]-level) > 0.025 {
					t.Errorf("the line of %g is at x = %g", level, l[0])
				}
			}
		}
		all := chains(lines)
		if len(all) != pieces {
			t.Fatalf("the line of %g has %d pieces, not %d", level, len(all), pieces)
		}
		if pieces > 0 {
			first, last := all[0][0], all[0][len(all[0])-1]
			if math.Abs(first[1]-last[1]) != 1 {
				t.Errorf("the line of %g goes from %v to %v", level, first, last)
			}
		}
	}
}

func TestParseLevels(t *testing.T) {
	for text, want := range map[string]Levels{"8": {Count: 8}, "0.5": {At: []float64{0.5}}, "2,": {At: []float64{2}},
		"-1, 0,1": {At: []float64{-1, 0, 1}}, "0": {At: []float64{0}}} {
		got, err := ParseLevels(text)
		if err != nil || got.Count != want.Count || len(got.At) != len(want.At) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "1,,2", "NaN"} {
		if l, err := ParseLevels(text); err == nil {
			t.Errorf("%q: %+v", text, l)
		}
	}
}

// TestArrows: arrows show where the field goes, and not in dry cells; the key tells a round length.
func TestArrows(t *testing.T) {
	x, y, cells := square(0, 10)
	m := &Map{Page: Page{Width: 400}, X: x, Y: y, Cells: cells, Values: make([]float64, len(cells)),
		Dry: make([]bool, len(cells)), Arrows: &Arrows{Name: "u, v", Unit: "m/s"}}
	for i, c := range cells {
		m.Dry[i] = x[c[0]] >= 0.5
		m.Arrows.U, m.Arrows.V = append(m.Arrows.U, 0.7), append(m.Arrows.V, 0)
	}
	dark := func() (left, right int) {
		picture, err := m.Draw()
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Where(0.02, 0.98)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Where(0.98, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		img := picture.RGBA()
		for py := a.Y; py < b.Y; py++ {
			for px := a.X; px < b.X; px++ {
				if near(img.At(px, py), ink, 30) {
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
	if left, right := dark(); left < 100 || right > 0 {
		t.Errorf("%d dark pixels where arrows are, %d where it is dry", left, right)
	}
	m.Arrows.V = m.Arrows.V[1:]
	if _, err := m.Draw(); err == nil {
		t.Error("arrows without a component are drawn")
	}
}

// TestHistogram: shares of bins add up to all, and values that are none are refused.
func TestHistogram(t *testing.T) {
	values := []float64{-1, 0, 0.1, 0.5, 0.99, 1, 7}
	sum := 0.0
	of := shares(values, 0, 1, 4)
	for _, s := range of {
		sum += s
	}
	if math.Abs(sum-100) > 1e-9 || math.Abs(of[0]-300./7) > 1e-9 || math.Abs(of[3]-300./7) > 1e-9 {
		t.Errorf("shares %v", of)
	}
	h := &Histogram{Page: Page{Width: 400}, Of: "cells", Log: true,
		Sets: []Curve{{Name: "a", Values: values}, {Name: "b", Values: values[1:5]}}}
	if _, err := h.Draw(); err != nil {
		t.Error(err)
	}
	h.Sets[0].Values = append(values, math.NaN())
	if _, err := h.Draw(); err == nil {
		t.Error("a value that is no number is counted")
	}
	if _, err := (&Histogram{}).Draw(); err == nil {
		t.Error("a histogram of nothing is drawn")
	}
}
