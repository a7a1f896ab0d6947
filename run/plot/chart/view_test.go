package chart

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

// facingTriangle returns a triangle that faces the viewer, around the centre of the unit cube, moved by some distance
// towards the viewer.
func facingTriangle(distance float64) []float64 {
	var points []float64
	for _, corner := range [][2]float64{{-0.2, -0.2}, {0.2, -0.2}, {0, 0.25}} {
		for d := range 3 {
			points = append(points, 0.5+corner[0]*rightward[d]+corner[1]*upward[d]+distance*towardViewer[d])
		}
	}
	return points
}

// TestViewDepth checks that nearer triangles hide others in any drawing order, and that the two sides of a triangle
// differ in colour.
func TestViewDepth(t *testing.T) {
	outer, inner := [3]int32{0, 1, 2}, [3]int32{3, 5, 4} // the second triangle shows its inner side
	for _, c := range []struct {
		first, second float64
		want          color.RGBA
	}{{0, 0.2, innerColour}, {0.2, 0, outerColour}} {
		for _, triangles := range [][][3]int32{{outer, inner}, {inner, outer}} {
			v := &View{Points: append(facingTriangle(c.first), facingTriangle(c.second)...), Triangles: triangles,
				Box: [2][3]float64{{}, {1, 1, 1}}, Page: Page{Width: 400}}
			picture, err := v.Draw()
			if err != nil {
				t.Fatal(err)
			}
			img := picture.RGBA()
			size := img.Bounds().Size()
			got := img.RGBAAt(size.X/2, (size.Y+24-27)/2)
			if blue := got.B > got.R; blue != (c.want == outerColour) || got == white {
				t.Errorf("at depths %g and %g the middle is %v", c.first, c.second, got)
			}
			if got := img.RGBAAt(3, size.Y/2); got != white {
				t.Errorf("the margin is %v, want white", got)
			}
		}
	}
}

// TestViewEnds checks that the labels of the ends of a box differ, for any position of the box.
func TestViewEnds(t *testing.T) {
	v := &View{Box: [2][3]float64{{543210, 1e8, -0.5}, {543215, 1e8 + 0.5, 1.0 / 3}}}
	for axis, want := range [][2]string{{"543210", "543215"}, {"100000000", "100000000.5"}, {"−0.5", "0.3333"}} {
		if got := v.endLabels(axis); got != want {
			t.Errorf("axis %d: got %q, want %q", axis, got, want)
		}
	}
}

func TestViewRefuses(t *testing.T) {
	unit := [2][3]float64{{}, {1, 1, 1}}
	nan := facingTriangle(0)
	nan[4] = math.NaN()
	for want, v := range map[string]*View{
		"triangle 0 refers to point 3 of 3": {Points: facingTriangle(0), Triangles: [][3]int32{{0, 1, 3}}, Box: unit},
		"point 1 has the coordinate NaN":    {Points: nan, Triangles: [][3]int32{{0, 1, 2}}, Box: unit},
		"is empty":                          {Points: facingTriangle(0), Box: [2][3]float64{{}, {1, 0, 1}}},
		"a width of 20 pixels, want":        {Box: unit, Page: Page{Width: 20}},
	} {
		if _, err := v.Draw(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
