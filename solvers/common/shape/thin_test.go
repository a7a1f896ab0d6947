package shape

import (
	"math"
	"testing"
)

// TestDivisionFindsThinParts proves that recursive division loses neither parts of a body nor gaps in it that are
// thinner than the smallest parts of a cell, for all kinds of bodies, or counts the cells where it may.
func TestDivisionFindsThinParts(t *testing.T) {
	parsed := func(text string, dim int) Body {
		b, _, err := Parse(text, dim, nil)
		if err != nil {
			t.Fatal(text, err)
		}
		return b
	}
	plate := solidOf(t, block(point{.2, .2, .5071}, point{.8, .8, .5081}))
	plates := solidOf(t, concat(block(point{.2, .2, .5071}, point{.8, .8, .5081}),
		block(point{.1, .2, .511}, point{.6, .7, .5111})))
	crossed := solidOf(t, concat(block(point{.2, .2, .5071}, point{.8, .8, .5081}),
		block(point{.3, .3, .5}, point{.3004, .5, .6})))
	upright := solidOf(t, block(point{.2, .5071, -1}, point{.8, .5072, 1}))
	shell := 4 * math.Pi / 3 * (.301*.301*.301 - .3*.3*.3)
	for _, c := range []struct {
		name    string
		body    Body
		dim, n  int
		levels  int
		want    float64
		part    float64 // of it that may be missing
		counted bool    // with a count of cells
	}{
		{"film", parsed("abs(z-.5071)-1e-3", 3), 3, 8, 4, .002, 1e-12, false},
		{"tilted film", parsed("abs(z-.5071-0.1*x-.05*y)-1e-3", 3), 3, 8, 4, .002, 1e-6, false},
		{"wavy film", parsed("abs(z-.5071-.01*sin(6*x))-1e-3", 3), 3, 8, 4, .002, 1e-4, false},
		{"film of a steep level set", parsed("1e6*(abs(z-.5071)-1e-3)", 3), 3, 8, 4, .002, 1e-9, false},
		{"shell", parsed("abs(sqrt((x-.5)^2+(y-.5)^2+(z-.5)^2)-.3005)-.0005", 3), 3, 6, 3, shell, 1e-2, false},
		{"shell of balls", Difference(Ball(.5, .5, .5, .301), Ball(.5, .5, .5, .3)), 3, 6, 3, shell, 1e-8, false},
		{"box", parsed("box(.2,.2,.5071,.8,.8,.5081)", 3), 3, 8, 4, .00036, 1e-9, false},
		{"film on a face", parsed("box(.2,.2,.5,.8,.8,.500001)", 3), 3, 8, 4, 3.6e-7, 1e-6, false},
		{"ball", Ball(.513, .507, .49, .001), 3, 8, 3, 4 * math.Pi / 3 * 1e-9, 1e-6, false},
		{"wire", parsed("cylinder(.5071,.5,.49,.0005,2)", 3), 3, 8, 3, math.Pi * .0005 * .0005, 1e-6, false},
		{"gap", Complement(parsed("box(-1,-1,.5071,2,2,.5073)", 3)), 3, 8, 3, 1 - .0002, 1e-9, false},
		{"plate of triangles", plate, 3, 8, 3, .00036, 1e-9, false},
		{"two plates in a cell", plates, 3, 8, 3, .00036 + .25e-4, 1e-9, false},
		{"crossed plates", crossed, 3, 8, 3, .00036 + .2*.1*.0004 - .2*.001*.0004, 2e-3, true},
		{"plate without triangles", Complement(plate), 3, 8, 3, 1 - .00036, 1e-9, false},
		{"plate and box", Union(plate, parsed("box(.1,.1,.1,.2,.2,.2)", 3)), 3, 8, 3, .00136, .05, false},
		{"plate and film", Union(plate, parsed("abs(z-.1)-1e-4", 3)), 3, 8, 3, .00056, 1e-9, false},
		{"part of a plate", Intersection(plate, parsed("x-.513", 3)), 3, 8, 3, .313 * .6 * .001, .01, true},
		{"a plate twice", Union(plate, parsed("box(.2,.2,.5071,.8,.8,.5081)", 3)), 3, 8, 3, .00036, 5e-3, true},
		{"plate and plane", Intersection(plate, parsed("2*z-2", 3)), 3, 8, 3, .00036, 1e-9, false},
		{"film in the plane", parsed("abs(y-.5071-.01*sin(6*x))-1e-3", 2), 2, 20, 2, .002, 1e-2, false},
		{"section", plate.Section(.5075), 2, 9, 3, .36, 1e-3, false},
		{"thin section", upright.Section(0), 2, 9, 3, .6e-4, 1e-9, false},
		{"line", parsed("box(.2,.5071,.8,.5072)", 2), 2, 9, 3, .6e-4, 1e-9, false},
	} {
		for _, planes := range []bool{true, false} {
			before := c.body.Overlooked()
			got := total(c.dim, c.n, 0, 1, func(q Cell) float64 { return c.body.Divided(q, c.levels, planes) })
			counted := c.body.Overlooked() > before
			hasOthers := c.part >= 1e-3 // cells, with errors of their smallest parts
			if !(math.Abs(got/c.want-1) <= c.part || hasOthers && !planes) || counted != c.counted {
				t.Errorf("%s, by planes %t: volume %.10g, want %.10g; cells where parts are overlooked: %t", c.name, planes, got,
					c.want, counted)
			}
		}
	}
}

// solidOf returns the body within triangles.
func solidOf(t *testing.T, triangles [][3]point) Body {
	t.Helper()
	b, err := STL(asciiOf(triangles))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDivisionKeepsCells proves that cells without thin parts are divided as in the paper: at smooth surfaces, edges,
// corners, slots, and in thick shells.
func TestDivisionKeepsCells(t *testing.T) {
	for _, c := range []struct {
		text string
		dim  int
	}{
		{"sphere(.5,.5,.5,.3)", 3}, {"(x-.5)^2+(y-.48)^2+(z-.51)^2-.09", 3}, {"box(.2,.21,.22,.8,.7,.6)", 3},
		{"box(.25,.25,.25,.75,.75,.75)", 3}, {"torus(.5,.5,.5,.3,.12)", 3}, {"cylinder(.5,.47,.5,.3,2)", 3},
		{"ellipsoid(.5,.5,.5,.4,.3,.2)", 3}, {"intersection(sphere(.4,.5,.5,.3),sphere(.6,.5,.5,.3))", 3},
		{"difference(sphere(.5,.5,.5,.4),sphere(.5,.5,.5,.2))", 3}, {"abs(x-.5)+abs(y-.5)+abs(z-.5)-.4", 3},
		{"sin(6*x)*sin(5*y)*cos(4*z)-.1", 3}, {"slotted-disk(.5,.75,.15,.05,.85)", 2}, {"circle(.5,.5,.3)", 2},
		{"ellipse(.5,.5,.4,.2)", 2}, {"box(.2,.21,.8,.7)", 2}, {"abs(y-.52)-.05", 2}, {"abs(x-.5)+abs(y-.5)-.4", 2},
	} {
		body, _, err := Parse(c.text, c.dim, nil)
		if err != nil {
			t.Fatal(c.text, err)
		}
		total(c.dim, 12, 0, 1, func(q Cell) float64 {
			d := division{planes: true, share: 1}
			body.divided(q, 4, &d)
			if d.isThin {
				t.Errorf("%s: the cell at %v counts as thin", c.text, q.Lo)
			}
			return 0
		})
	}
}
