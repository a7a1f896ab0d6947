package curved

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// An arc meets its three vertices. The distance of an arc from a circle through them is of fourth order in the distance
// of the vertices.
func TestArc(t *testing.T) {
	onCircle := func(angle float64) vector.Vector { return vector.Vector{3 * math.Cos(angle), 3 * math.Sin(angle), 2} }
	for _, step := range []float64{.4, .2, .1} {
		a, ok := NewArc(onCircle(1-step), onCircle(1), onCircle(1+step/2), 45)
		if !ok {
			t.Fatalf("no arc through a circle in steps of %g", step)
		}
		if math.Abs(vector.Length(a.Curvature)-1./3) > 1e-12 || a.Curvature[2] < 0 {
			t.Errorf("curvature %v, want (0, 0, 1/3)", a.Curvature)
		}
		point := func(s float64) vector.Vector { return vector.Plus(vector.Plus(onCircle(1), s, a.T), s*s, a.B) }
		low, high := vector.Minus(point(a.Low), onCircle(1-step)), vector.Minus(point(a.High), onCircle(1+step/2))
		if vector.Length(low)+vector.Length(high) > 1e-14 {
			t.Error("the arc does not meet its end vertices")
		}
		for k := range 11 {
			p := point(a.Low + float64(k)/10*(a.High-a.Low))
			if distance := math.Abs(math.Hypot(p[0], p[1]) - 3); distance > .07*math.Pow(step, 4) {
				t.Errorf("distance %g from the circle for vertices %g rad apart", distance, step)
			}
		}
	}
}

// NewArc refuses a corner and vertices at the same position. Agrees refuses a different curvature.
func TestArcRefusals(t *testing.T) {
	for _, c := range []struct {
		before, after vector.Vector
		ok            bool
	}{
		{vector.Vector{-1, 0, 0}, vector.Vector{1, .99, 0}, true},
		{vector.Vector{-1, 0, 0}, vector.Vector{1, 1.01, 0}, false},
		{vector.Vector{-1, 0, 0}, vector.Vector{}, false}, {vector.Vector{1, 0, 0}, vector.Vector{1, .1, 0}, false},
	} {
		if _, ok := NewArc(c.before, vector.Vector{}, c.after, 45); ok != c.ok {
			t.Errorf("NewArc from %v to %v: ok = %v, want %v", c.before, c.after, ok, c.ok)
		}
	}
	a, _ := NewArc(vector.Vector{-1, .1, 0}, vector.Vector{}, vector.Vector{1, .1, 0}, 45)
	if !a.Agrees(vector.Vector{0, 0, .2}, 1) || a.Agrees(vector.Vector{0, 0, -.2}, 1) || a.Agrees(vector.Vector{}, 1) ||
		!a.Agrees(vector.Vector{}, .1) {
		t.Errorf("an arc of curvature %v agrees with others, or not with its own", a.Curvature)
	}
}

// box is the cube [-1, 1]³ without groups, with its vertices moved by transform.
func box(t *testing.T, n int, transform func(p *vector.Vector)) (*mesh.Solid, []mesh.Freedom) {
	t.Helper()
	m, err := mesh.Cube(n, n, n, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Faces = nil
	for v := range m.X {
		p := vector.Vector{2*m.X[v] - 1, 2*m.Y[v] - 1, 2*m.Z[v] - 1}
		transform(&p)
		m.X[v], m.Y[v], m.Z[v] = p[0], p[1], p[2]
	}
	free, err := m.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	return m, free
}

func surfacesOf(t *testing.T, m *mesh.Solid, free []mesh.Freedom, ridge float64) map[int32]Surface {
	t.Helper()
	all, err := Surfaces(m, free, ridge)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The top of a box is a wave. Its vertices get a surface close to the wave, those on its four edges a curve, and
// corners nothing. Vertices on flat sides without a curved neighbour have no reach.
func TestSurfaces(t *testing.T) {
	wave := func(x, y float64) float64 { return .1 * math.Sin(2*x) * math.Cos(y) }
	m, free := box(t, 12, func(p *vector.Vector) { p[2] += wave(p[0], p[1]) * (1 + p[2]) / 2 })
	all := surfacesOf(t, m, free, 45)
	onSurface, onEdges, most := 0, 0, 0.0
	for v, s := range all {
		p := m.At(v)
		if p[2] < .5 { // not on the top
			t.Errorf("vertex %d at %v on a flat side has a reach", v, p)
		}
		if s.Axes == 2 {
			onSurface++
		} else {
			onEdges++
		}
		for _, a := range []float64{-s.Reach, 0, s.Reach} {
			b := a * float64(s.Axes-1)
			q := vector.Plus(vector.Plus(vector.Plus(vector.Plus(vector.Plus(p, a, s.T), b, s.U), a*a, s.P), a*b, s.Q), b*b, s.R)
			most = max(most, math.Abs(q[2]-1-wave(q[0], q[1])))
		}
	}
	if onSurface != 121 || onEdges != 44 || most > .01*2/12 {
		t.Errorf("%d vertices have a surface and %d a curve, at most %g from the wave; want 121, 44 and at most %g",
			onSurface, onEdges, most, .01*2/12)
	}
	if all := surfacesOf(t, m, free, 3); len(all) > 140 {
		t.Errorf("%d vertices have a surface with ridges from 3 degrees on, want at most 140", len(all))
	}
}

// Surfaces gives no surface on a noisy boundary, on ridges between flat sides, and at vertices that a file requires.
func TestSurfacesOnlyWhereSmooth(t *testing.T) {
	roof, free := box(t, 6, func(p *vector.Vector) { p[2] += (1 + p[2]) * .09 * (1 - math.Abs(math.Round(3*p[0])/3)) })
	for v := range surfacesOf(t, roof, free, 45) {
		if p := roof.At(v); math.Abs(p[0]) < .1 && math.Abs(p[1]) < 1 {
			t.Errorf("vertex %d at %v on a ridge has a surface", v, p)
		}
	}
	noisy, free := box(t, 6, func(p *vector.Vector) { p[2] += .02 * (1 + p[2]) * math.Sin(50*p[0]+31*p[1]) })
	if all := surfacesOf(t, noisy, free, 45); len(all) > 8 {
		t.Errorf("%d of %d vertices of a noisy boundary have a surface, want at most 8", len(all), len(noisy.X))
	}
	bent, free := box(t, 6, func(p *vector.Vector) { p[2] += .1 * p[0] * p[0] })
	before := surfacesOf(t, bent, free, 45)
	for v := range before {
		free[v].Held = true
	}
	if after := surfacesOf(t, bent, free, 45); len(before) < 50 || len(after) > 0 {
		t.Errorf("%d vertices have a surface, and %d when held; want at least 50 and 0", len(before), len(after))
	}
}

// A vertex that slides on a flat side has not departed from the boundary. One that leaves it has departed by the
// distance from the nearest face.
func TestDepartures(t *testing.T) {
	before, _ := box(t, 3, func(*vector.Vector) {})
	after := *before
	after.X, after.Z = append([]float64{}, before.X...), append([]float64{}, before.Z...)
	n := 0
	for v := range after.X {
		if after.Z[v] == 1 && math.Abs(after.X[v]) < 1 && math.Abs(after.Y[v]) < 1 {
			after.X[v] += .01
			if n++; n < 3 {
				after.Z[v] += .02 * float64(n)
			}
		}
	}
	if d, err := DepartedSolid(before, &after); err != nil || d.Vertices != 2 || math.Abs(d.Most-.04) > 1e-12 {
		t.Errorf("%+v, error %v; want 2 vertices, at most .04", d, err)
	}
	square := &mesh.Mesh{X: []float64{0, 1, 2, 2, 0}, Y: []float64{0, 0, 0, 1, 1},
		Cells: [][3]int32{{0, 1, 4}, {1, 3, 4}, {1, 2, 3}}}
	moved := *square
	moved.X, moved.Y = []float64{0, 1.2, 2, 2, 0}, []float64{0, 0, 0, 1, 1}
	if d := Departed(square, &moved); d != (Departure{}) {
		t.Errorf("%+v along a straight side, want none", d)
	}
	moved.Y[1] = -.1
	if d := Departed(square, &moved); d.Vertices != 1 || math.Abs(d.Most-.1) > 1e-12 {
		t.Errorf("%+v, want one vertex, by .1", d)
	}
}
