package constrained

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

var groups = []mesh.Group{{Dim: 1, Tag: 1, Name: "outline"}, {Dim: 1, Tag: 2, Name: "levee"},
	{Dim: 1, Tag: 3, Name: "wall"}}

func box(x0, y0, x1, y1 float64) [][2]float64 {
	return [][2]float64{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}
}

func ring(x0, y0, x1, y1 float64) Line { return Line{X: box(x0, y0, x1, y1), Bound: true} }

// levee returns a line through positions.
func levee(xy ...float64) Line {
	l := Line{Group: 1}
	for k := 0; k < len(xy); k += 2 {
		l.X = append(l.X, [2]float64{xy[k], xy[k+1]})
	}
	return l
}

// measured returns the area of a mesh, which it checks, and the lengths of its groups.
func measured(t *testing.T, m *mesh.Mesh) (area float64, lengths [3]float64) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	for c := range m.Cells {
		area += m.Area(c)
	}
	for _, e := range m.Tagged {
		lengths[e.Group] += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
	}
	return area, lengths
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// TestTriangulate: areas of regions, and lengths of lines inside, with lines that cross, overlap, touch and leave the
// region.
func TestTriangulate(t *testing.T) {
	square := ring(0, 0, 10, 10)
	for name, c := range map[string]struct {
		lines                        []Line
		area, outline, levee, beyond float64
	}{
		"square":           {[]Line{square}, 100, 40, 0, 0},
		"hole":             {[]Line{square, ring(2, 2, 4, 5)}, 94, 50, 0, 0},
		"island in hole":   {[]Line{square, ring(2, 2, 6, 6), ring(3, 3, 4, 4)}, 85, 60, 0, 0},
		"two with an edge": {[]Line{square, ring(10, 2, 12, 4)}, 104, 46, 0, 0},
		"crossing outline": {[]Line{square, levee(-5, 5, 15, 5)}, 100, 40, 10, 10},
		"crossing each":    {[]Line{square, levee(1, 1, 9, 9), levee(1, 9, 9, 1)}, 100, 40, 16 * math.Sqrt2, 0},
		"twice":            {[]Line{square, levee(1, 1, 5, 5, 1, 1, 7, 7)}, 100, 40, 6 * math.Sqrt2, 0},
		"touching":         {[]Line{square, levee(1, 1, 9, 1), levee(5, 1.0004, 5, 4)}, 100, 40, 11, 0},
		"outside":          {[]Line{square, levee(20, 20, 30, 20)}, 100, 40, 0, 10},
		"on the outline":   {[]Line{square, levee(3, 0, 7, 0)}, 100, 40, 4, 0},
		"clockwise":        {[]Line{ring(0, 10, 10, 0)}, 100, 40, 0, 0},
	} {
		m, beyond, err := Triangulate(c.lines, groups, 1e-3)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		area, lengths := measured(t, m)
		tolerance := func(a, b float64) bool { return math.Abs(a-b) < 2e-3 }
		if !tolerance(area, c.area) || !tolerance(lengths[0], c.outline) || !tolerance(lengths[1], c.levee) ||
			!tolerance(beyond, c.beyond) {
			t.Errorf("%s: area %g, lengths %v, %g outside; want %g, %g, %g, %g", name, area, lengths, beyond, c.area, c.outline,
				c.levee, c.beyond)
		}
	}
}

// TestRandomLines: hundreds of random lines, many of which cross, on coordinates far from the origin. The area is
// kept, every piece of a line is made of edges, and turning the plane by 90° changes no count.
func TestRandomLines(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 1))
		var lines []Line
		const x0, y0 = 342906.25, 557902.5
		lines = append(lines, Line{X: box(x0, y0, x0+1000, y0+500), Bound: true})
		total := 0.0
		for range 60 {
			var l Line
			l.Group = 1
			x, y := 1000*random.Float64(), 500*random.Float64()
			for range 6 {
				l.X = append(l.X, [2]float64{x0 + x, y0 + y})
				u, v := x+200*(random.Float64()-.5), y+200*(random.Float64()-.5)
				u, v = 1000-math.Abs(1000-math.Abs(u)), 500-math.Abs(500-math.Abs(v)) // reflected into the rectangle
				if len(l.X) < 6 {
					total += math.Hypot(u-x, v-y)
				}
				x, y = u, v
			}
			lines = append(lines, l)
		}
		m, _, err := Triangulate(lines, groups, 1e-3)
		if err != nil {
			t.Fatal(seed, err)
		}
		area, lengths := measured(t, m)
		if !near(area, 500_000) || math.Abs(lengths[1]-total) > .2 {
			t.Errorf("seed %d: area %.9g, lines %g, want %g", seed, area, lengths[1], total)
		}
		for i := range lines {
			for k, x := range lines[i].X {
				lines[i].X[k] = [2]float64{-x[1], x[0]}
			}
		}
		turned, _, err := Triangulate(lines, groups, 1e-3)
		if err != nil || len(turned.X) < len(m.X)-3 || len(turned.X) > len(m.X)+3 {
			t.Errorf("seed %d: %v, %d vertices, before turning %d", seed, err, len(turned.X), len(m.X))
		}
	}
}

// TestOrder: the order of lines does not change the edges of the region.
func TestOrder(t *testing.T) {
	lines := []Line{{X: box(0, 0, 8, 8), Bound: true}, {X: [][2]float64{{1, 1}, {7, 6}}, Group: 1},
		{X: [][2]float64{{1, 6}, {7, 2}}, Group: 2}}
	edges := func() (list []string) {
		m, _, err := Triangulate(lines, groups, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range m.Cells {
			var corners []string
			for _, u := range v {
				corners = append(corners, fmt.Sprintf("%.4f %.4f", m.X[u], m.Y[u]))
			}
			slices.Sort(corners)
			list = append(list, strings.Join(corners, ", "))
		}
		slices.Sort(list)
		return list
	}
	first := edges()
	slices.Reverse(lines)
	if second := edges(); !slices.Equal(first, second) {
		t.Errorf("got %v, want %v", second, first)
	}
}

func TestRefused(t *testing.T) {
	for want, lines := range map[string][]Line{
		"encloses no area":     {{X: [][2]float64{{0, 0}, {1, 1}}}},
		"no extent":            {{X: [][2]float64{{1, 1}, {1, 1}}}},
		"not finite":           {{X: [][2]float64{{1, math.NaN()}, {1, 1}}}},
		"not closed at (0, 0)": {{X: [][2]float64{{0, 0}, {1, 0}, {1, 1}}, Bound: true}},
	} {
		if _, _, err := Triangulate(lines, groups, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}
