package curved

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// TestArc: the arc through three places meets them, and one through three of a circle stays near it: within the fourth
// power of their distance.
func TestArc(t *testing.T) {
	on := func(angle float64) vector { return vector{3 * math.Cos(angle), 3 * math.Sin(angle), 2} }
	for _, step := range []float64{.4, .2, .1} {
		a, ok := Through(on(1-step), on(1), on(1+step/2), 45)
		if !ok {
			t.Fatalf("no arc through a circle in steps of %g", step)
		}
		if math.Abs(length(a.Bend)-1./3) > 1e-12 || a.Bend[2] < 0 {
			t.Errorf("curvature %v of a circle of radius 3", a.Bend)
		}
		at := func(s float64) vector { return plus(plus(on(1), s, a.T), s*s, a.B) }
		if length(minus(at(a.Low), on(1-step)))+length(minus(at(a.High), on(1+step/2))) > 1e-14 {
			t.Error("the arc misses its ends")
		}
		for k := range 11 {
			p := at(a.Low + float64(k)/10*(a.High-a.Low))
			if off := math.Abs(math.Hypot(p[0], p[1]) - 3); off > .07*math.Pow(step, 4) {
				t.Errorf("%g off a circle in steps of %g", off, step)
			}
		}
	}
}

// TestArcEnds: there is no arc at a corner, nor where two places are one, and it does not go on where the curvature
// changes.
func TestArcEnds(t *testing.T) {
	for _, c := range []struct {
		before, after vector
		ok            bool
	}{
		{vector{-1, 0, 0}, vector{1, .99, 0}, true}, {vector{-1, 0, 0}, vector{1, 1.01, 0}, false},
		{vector{-1, 0, 0}, vector{}, false}, {vector{1, 0, 0}, vector{1, .1, 0}, false},
	} {
		if _, ok := Through(c.before, vector{}, c.after, 45); ok != c.ok {
			t.Errorf("an arc from %v to %v: %v", c.before, c.after, ok)
		}
	}
	a, _ := Through(vector{-1, .1, 0}, vector{}, vector{1, .1, 0}, 45)
	if !a.Smooth(vector{0, 0, .2}, 1) || a.Smooth(vector{0, 0, -.2}, 1) || a.Smooth(vector{}, 1) ||
		!a.Smooth(vector{}, .1) {
		t.Errorf("a curve of curvature %v goes on in the wrong ones", a.Bend)
	}
}

// box is the cube of half side 1 at other places, without groups.
func box(t *testing.T, n int, to func(p *vector)) (*mesh.Solid, []mesh.Freedom) {
	t.Helper()
	m, err := mesh.Cube(n, n, n, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Faces = nil
	for v := range m.X {
		p := vector{2*m.X[v] - 1, 2*m.Y[v] - 1, 2*m.Z[v] - 1}
		to(&p)
		m.X[v], m.Y[v], m.Z[v] = p[0], p[1], p[2]
	}
	free, err := m.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	return m, free
}

func surfaces(t *testing.T, m *mesh.Solid, free []mesh.Freedom, ridge float64) map[int32]Surface {
	t.Helper()
	all, err := Surfaces(m, free, ridge)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSurfaces: above a sine, vertices slide on a surface that is near it, those of its rims along these, and those at
// corners stay; flat ones that are beside no curved ones have no reach.
func TestSurfaces(t *testing.T) {
	wave := func(x, y float64) float64 { return .1 * math.Sin(2*x) * math.Cos(y) }
	m, free := box(t, 12, func(p *vector) { p[2] += wave(p[0], p[1]) * (1 + p[2]) / 2 })
	all := surfaces(t, m, free, 45)
	patches, rims, most := 0, 0, 0.0
	for v, s := range all {
		p := m.At(v)
		if p[2] < .5 { // flat, and on the rim of the wave's side
			t.Errorf("vertex %d at %v has a reach", v, p)
		}
		if s.Axes == 2 {
			patches++
		} else {
			rims++
		}
		for _, a := range []float64{-s.Reach, 0, s.Reach} {
			b := a * float64(s.Axes-1)
			q := plus(plus(plus(plus(plus(p, a, s.T), b, s.U), a*a, s.P), a*b, s.Q), b*b, s.R)
			most = max(most, math.Abs(q[2]-1-wave(q[0], q[1])))
		}
	}
	if patches != 121 || rims != 44 || most > .01*2/12 {
		t.Errorf("%d vertices slide on the surface and %d on its rims, up to %g from them", patches, rims, most)
	}
	if all := surfaces(t, m, free, 3); len(all) > 140 {
		t.Errorf("%d vertices slide where ridges are of 3 degrees", len(all))
	}
}

// TestSurfacesStay: what is no smooth surface stays: a noisy one, edges of 20 degrees between flat sides, and what a
// file requires.
func TestSurfacesStay(t *testing.T) {
	roof, free := box(t, 6, func(p *vector) { p[2] += (1 + p[2]) * .09 * (1 - math.Abs(math.Round(3*p[0])/3)) })
	for v := range surfaces(t, roof, free, 45) {
		if p := roof.At(v); math.Abs(p[0]) < .1 && math.Abs(p[1]) < 1 {
			t.Errorf("vertex %d at %v slides off the ridge of a roof", v, p)
		}
	}
	noisy, free := box(t, 6, func(p *vector) { p[2] += .02 * (1 + p[2]) * math.Sin(50*p[0]+31*p[1]) })
	if all := surfaces(t, noisy, free, 45); len(all) > 8 {
		t.Errorf("%d of %d vertices slide on a noisy surface", len(all), len(noisy.X))
	}
	bent, free := box(t, 6, func(p *vector) { p[2] += .1 * p[0] * p[0] })
	before := surfaces(t, bent, free, 45)
	for v := range before {
		free[v].Held = true
	}
	if after := surfaces(t, bent, free, 45); len(before) < 50 || len(after) > 0 {
		t.Errorf("%d vertices slide, and %d that are held", len(before), len(after))
	}
}

// TestDepartures: sliding on flat sides is no departure; leaving them is, by the distance from the nearest.
func TestDepartures(t *testing.T) {
	was, _ := box(t, 3, func(*vector) {})
	is := *was
	is.X, is.Z = append([]float64{}, was.X...), append([]float64{}, was.Z...)
	n := 0
	for v := range is.X {
		if is.Z[v] == 1 && math.Abs(is.X[v]) < 1 && math.Abs(is.Y[v]) < 1 {
			is.X[v] += .01
			if n++; n < 3 {
				is.Z[v] += .02 * float64(n)
			}
		}
	}
	if d, err := DepartedSolid(was, &is); err != nil || d.Vertices != 2 || math.Abs(d.Most-.04) > 1e-12 {
		t.Errorf("%+v, %v; want 2 vertices, by .04", d, err)
	}
	square := &mesh.Mesh{X: []float64{0, 1, 2, 2, 0}, Y: []float64{0, 0, 0, 1, 1},
		Cells: [][3]int32{{0, 1, 4}, {1, 3, 4}, {1, 2, 3}}}
	moved := *square
	moved.X, moved.Y = []float64{0, 1.2, 2, 2, 0}, []float64{0, 0, 0, 1, 1}
	if d := Departed(square, &moved); d != (Departure{}) {
		t.Errorf("%+v along a straight side", d)
	}
	moved.Y[1] = -.1
	if d := Departed(square, &moved); d.Vertices != 1 || math.Abs(d.Most-.1) > 1e-12 {
		t.Errorf("%+v, want one vertex by .1", d)
	}
}
