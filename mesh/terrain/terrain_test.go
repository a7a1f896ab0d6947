package terrain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/constrained"
)

var groups = []mesh.Group{{Dim: 1, Tag: 1, Name: "outline"}, {Dim: 1, Tag: 2, Name: "river"},
	{Dim: 1, Tag: 3, Name: "levee"}}

var outline = [][2]float64{{0, 0}, {1000, 0}, {1000, 600}, {400, 800}, {0, 600}, {0, 0}}

// levee is a curve with corners.
var levee = [][2]float64{{100, 300}, {200, 330}, {300, 310}, {400, 400}, {500, 420}, {520, 300}, {700, 250}}

// valley returns options for a valley with a hill, a levee and a zone.
func valley(triangles int) Options {
	lines, _ := Outline([][][2]float64{outline}, []Arc{{Through: [2]float64{500, -20}, Width: 120, Group: 1}}, 0)
	lines = append(lines, constrained.Line{X: levee, Group: 2})
	return Options{Lines: lines, Groups: groups, Triangles: triangles, Growth: 1.2, Slope: 0.2, Tolerance: 0.01,
		Along: []Along{{X: [][2]float64{{0, 500}, {300, 700}}, Size: 6, Width: 30}},
		Zones: []Zone{{Rings: [][][2]float64{{{800, 100}, {900, 100}, {900, 200}, {800, 200}, {800, 100}}}, Size: 8}},
		Height: func(x, y, _ float64) (float64, bool) {
			return 30 * math.Exp(-((x-600)*(x-600)+(y-450)*(y-450))/8000), true
		}}
}

// TestGenerate: numbers of triangles, angles, sizes, groups, and distances of lines from their edges.
func TestGenerate(t *testing.T) {
	for _, wanted := range []int{6000, 12000} {
		m, r, err := Generate(t.Context(), valley(wanted))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(r.Triangles)/float64(wanted)-1) > .025 || r.Angle < 25 || r.Within < .97 ||
			math.Abs(r.Area-(600*1000+200*500)) > 1 {
			t.Errorf("%d wanted: %+v", wanted, r)
		}
		lengths := map[int32]float64{}
		furthest := 0.0
		for _, e := range m.Tagged {
			lengths[e.Group] += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
			if e.Group == 2 {
				for _, v := range []int32{e.A, e.B} {
					furthest = max(furthest, fromLine([2]float64{m.X[v], m.Y[v]}, levee))
				}
			}
		}
		for _, p := range levee { // corners are vertices
			nearest := math.Inf(1)
			for v := range m.X {
				nearest = min(nearest, math.Hypot(m.X[v]-p[0], m.Y[v]-p[1]))
			}
			furthest = max(furthest, nearest)
		}
		along := 0.0
		for k := 1; k < len(levee); k++ {
			along += math.Hypot(levee[k][0]-levee[k-1][0], levee[k][1]-levee[k-1][1])
		}
		if furthest > .01 || math.Abs(lengths[1]-120) > .01 || math.Abs(lengths[2]-along) > .05 {
			t.Errorf("%d wanted: the levee is up to %g off, lengths %v, want 120 and %g", wanted, furthest, lengths, along)
		}
	}
}

func fromLine(p [2]float64, line [][2]float64) float64 {
	d := math.Inf(1)
	for k := 1; k < len(line); k++ {
		d = min(d, fromSegment(p, line[k-1], line[k]))
	}
	return d
}

// TestDenseLine: a curve with a vertex each metre is kept, both as edges and as a line, with far fewer edges.
func TestDenseLine(t *testing.T) {
	var curve [][2]float64
	for x := 100.; x <= 900; x++ {
		curve = append(curve, [2]float64{x, 300 + 40*math.Sin(x/90)})
	}
	o := valley(6000)
	o.Lines[len(o.Lines)-1].X = curve
	o.Tolerance = .1
	m, r, err := Generate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	edges := []constrained.Line{}
	for _, e := range m.Tagged {
		if e.Group == 2 {
			edges = append(edges, constrained.Line{X: [][2]float64{{m.X[e.A], m.Y[e.A]}, {m.X[e.B], m.Y[e.B]}}, Group: 2})
		}
	}
	s, furthest := newSegments(edges, 2, 1), 0.0
	for _, p := range curve {
		furthest = max(furthest, s.distance(p))
	}
	if furthest > o.Tolerance || !(r.Off > 0 && r.Off <= o.Tolerance) || len(edges) > len(curve)/2 {
		t.Errorf("the line is up to %g off, its edges %g, in %d edges", furthest, r.Off, len(edges))
	}
}

// TestEndsJustBehindLines: lines that end within centimetres to a metre behind others that they cross, where edges are
// some 20 m long, and the gaps between the ends of others and lines, leave no small angles.
func TestEndsJustBehindLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 12 {
		o := valley(3000)
		o.Along, o.Zones, o.Growth = nil, nil, 1.4
		o.Lines = append(o.Lines[:len(o.Lines)-1], constrained.Line{X: [][2]float64{{100, 300}, {700, 300}}, Group: 2})
		for k := range 6 {
			angle := (50 + 80*r.Float64()) * math.Pi / 180
			beyond := -.05 * math.Pow(20, r.Float64())
			if trial%2 == 0 {
				beyond = -beyond
			}
			at, ex, ey := 150+90*float64(k), math.Cos(angle), math.Sin(angle)
			o.Lines = append(o.Lines, constrained.Line{Group: 2,
				X: [][2]float64{{at - 120*ex, 300 - 120*ey}, {at + beyond*ex, 300 + beyond*ey}}})
		}
		_, report, err := Generate(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if report.Angle < 20 {
			t.Errorf("trial %d: the smallest angle is %.1f° at (%g, %g)", trial, report.Angle, report.AngleX, report.AngleY)
		}
	}
}

// TestSizes: edges are small on the hill, in the zone and along the channel, and do not grow faster than asked for.
func TestSizes(t *testing.T) {
	m, _, err := Generate(t.Context(), valley(12000))
	if err != nil {
		t.Fatal(err)
	}
	mean := func(x, y, radius float64) float64 {
		sum, n := 0.0, 0
		for _, v := range m.Cells {
			a, b := v[0], v[1]
			if math.Hypot(m.X[a]-x, m.Y[a]-y) < radius {
				sum += math.Hypot(m.X[a]-m.X[b], m.Y[a]-m.Y[b])
				n++
			}
		}
		return sum / float64(n)
	}
	far := mean(150, 120, 60)
	for name, size := range map[string]float64{"hill": mean(600, 450, 30), "zone": mean(850, 150, 40),
		"channel": mean(150, 600, 12)} {
		if !(size < .8*far) {
			t.Errorf("%s: mean size %g, %g on the plain", name, size, far)
		}
	}
	if size := mean(150, 600, 12); math.Abs(size-6) > 1 {
		t.Errorf("sizes along the channel %g, want 6", size)
	}
}

// TestThreads: the mesh is the same for any number of threads.
func TestThreads(t *testing.T) {
	var first *mesh.Mesh
	for _, threads := range []int{1, 3} {
		o := valley(5000)
		o.Threads = threads
		m, _, err := Generate(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		} else if !slices.Equal(m.X, first.X) || !slices.Equal(m.Y, first.Y) || !slices.Equal(m.Cells, first.Cells) {
			t.Error("another mesh with three threads")
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"1 triangles: want 2":         func(o *Options) { o.Triangles = 1 },
		"growth 1":                    func(o *Options) { o.Growth = 1 },
		"tolerance 0":                 func(o *Options) { o.Tolerance = 0 },
		"sizes from 3 to 2":           func(o *Options) { o.Least, o.Most = 3, 2 },
		"size 0 along":                func(o *Options) { o.Along[0].Size = 0 },
		"size -1 in a zone":           func(o *Options) { o.Zones[0].Size = -1 },
		"not closed":                  func(o *Options) { o.Lines = o.Lines[1:] },
		"more than the 6000":          func(o *Options) { o.Zones[0].Size = .8 },
		"sizes of at least 30 allow:": func(o *Options) { o.Least = 30 },
	} {
		o := valley(6000)
		change(&o)
		if _, _, err := Generate(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	var many *TooMany
	o := valley(6000)
	o.Zones[0].Size, o.Zones[0].From, o.Along[0].From = .8, "a zone", "a line"
	_, _, err := Generate(t.Context(), o)
	if !errors.As(err, &many) || many.From != "a zone" || many.Alone > many.Needed ||
		many.Alone < 30_000 { // the zone of 10,000 m² has room for 36,000 of 0.8 m
		t.Errorf("got error %v, want one about the zone", err)
	}
	o = valley(6000)
	o.Lines = append(o.Lines, constrained.Line{X: [][2]float64{{100, 300.5}, {200, 330.5}}, Group: 2})
	o.Triangles = 300
	if _, _, err := Generate(t.Context(), o); !errors.As(err, &many) || math.Abs(many.Distance-.48) > .05 ||
		many.From != "" {
		t.Errorf("got error %v, want one with the distance .48", err)
	}
}

// TestSimplify: no vertex that is left out is farther from the result than the distance, and a ring stays closed.
func TestSimplify(t *testing.T) {
	var ring [][2]float64
	for k := range 360 {
		s, c := math.Sincos(float64(k) * math.Pi / 180)
		ring = append(ring, [2]float64{100 * c, 80 * s})
	}
	ring = append(ring, ring[0])
	for _, d := range []float64{.01, 1, 10} {
		x := Simplify(ring, d)
		most := 0.0
		for _, p := range ring {
			most = max(most, fromLine(p, x))
		}
		if most > d || len(x) >= len(ring) && d > .1 || x[0] != x[len(x)-1] || len(x) < 4 {
			t.Errorf("distance %g: %d positions, %g off", d, len(x), most)
		}
	}
}

// TestOutline: arcs by width and by ends, across the start of a ring, on the nearest of two rings.
func TestOutline(t *testing.T) {
	square := [][2]float64{{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}}
	hole := [][2]float64{{4, 4}, {6, 4}, {6, 6}, {4, 6}, {4, 4}}
	lines, distance := Outline([][][2]float64{square, hole}, []Arc{
		{Through: [2]float64{-.5, .5}, Width: 3, Group: 1},
		{From: [2]float64{10, 2}, To: [2]float64{10, 5}, Through: [2]float64{10.1, 4}, Group: 2},
		{From: [2]float64{5, 10}, To: [2]float64{5, 0}, Through: [2]float64{0, 5}, Group: 3},
		{Through: [2]float64{5, 4.2}, Width: 1, Group: 4},
	}, 0)
	got := map[int32]float64{}
	bound := 0.0
	for _, l := range lines {
		r := newRing(l.X)
		got[l.Group] += r.length()
		if l.Bound {
			bound += r.length()
		}
	}
	want := map[int32]float64{0: 40 + 8 - 20 - 3 - 1, 1: 3, 2: 3, 3: 20, 4: 1}
	for g, l := range want {
		if math.Abs(got[g]-l) > 1e-9 {
			t.Errorf("group %d has length %g, want %g", g, got[g], l)
		}
	}
	if math.Abs(bound-48) > 1e-9 || math.Abs(distance-.5) > 1e-9 {
		t.Errorf("length %g, want 48; distance %g, want .5", bound, distance)
	}
}
