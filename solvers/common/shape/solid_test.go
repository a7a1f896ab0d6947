package shape

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// block is a box of twelve triangles.
func block(lo, hi point) [][3]point {
	out := prism([][2]float64{{lo[0], lo[1]}, {hi[0], lo[1]}, {hi[0], hi[1]}, {lo[0], hi[1]}})
	for t := range out {
		for v := range 3 {
			out[t][v][2] = lo[2] + out[t][v][2]*(hi[2]-lo[2])
		}
	}
	return out
}

func concat(parts ...[][3]point) [][3]point { return slices.Concat(parts...) }

// jittered moves each corner of each triangle by up to a distance along each axis, independently of other triangles.
func jittered(triangles [][3]point, distance float64) [][3]point {
	rng := rand.New(rand.NewPCG(5, 6))
	out := slices.Clone(triangles)
	for t := range out {
		for v := range 3 {
			for d := range 3 {
				out[t][v][d] += distance * (2*rng.Float64() - 1)
			}
		}
	}
	return out
}

// TestFormsOfSTL proves that a file is read in all forms in which programs write it.
func TestFormsOfSTL(t *testing.T) {
	cube := block(point{.25, .25, .25}, point{.75, .75, .75})
	ascii, binary := string(asciiOf(cube)), binaryOf(cube)
	title := strings.NewReplacer("solid", "Solid", "facet", "Facet", "vertex", "Vertex", "outer", "Outer", "loop", "Loop")
	plain := slices.Clone(binary)
	copy(plain, "COLOR=\x7f\x7f\x7f\xff header")
	for name, data := range map[string][]byte{
		"upper case":                []byte(strings.ToUpper(ascii)),
		"capitals":                  []byte(title.Replace(ascii)),
		"Windows lines":             []byte(strings.ReplaceAll(ascii, "\n", "\r\n")),
		"byte order mark":           []byte("\xef\xbb\xbf" + ascii),
		"blank lines first":         []byte("\n\n" + ascii),
		"padded with zeros":         []byte(ascii + strings.Repeat("\x00", 300)),
		"control-Z":                 []byte(ascii + "\x1a"),
		"tabs":                      []byte(strings.ReplaceAll(ascii, " ", "\t")),
		"two solids":                concatBytes(asciiOf(cube[:6]), asciiOf(cube[6:])),
		"binary":                    plain,
		"binary, solid":             binary,
		"binary, SOLID":             append([]byte("SOLID"), binary[5:]...),
		"binary, a byte more":       append(slices.Clone(binary), '\n'),
		"binary, two bytes more":    append(slices.Clone(plain), 0, 0),
		"binary, a triangle more":   append(slices.Clone(binary), make([]byte, triangleSize)...),
		"binary, followed by ASCII": append(slices.Clone(plain), ascii...),
	} {
		b, err := STL(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := b.Cut(t.Context(), cellsOf(3, [3]int{7, 7, 7}, point{}, point{1, 1, 1}))
		c := cellsOf(3, [3]int{7, 7, 7}, point{}, point{1, 1, 1})
		if got := c.filled(f); err != nil || math.Abs(got-.125) > 1e-14 {
			t.Errorf("%s: got volume %v, error %v; want 0.125", name, got, err)
		}
		if got, want := len(b.Notes), strings.Contains(name, "more") || strings.Contains(name, "followed"); got > 0 != want {
			t.Errorf("%s: got notes %q; want some: %v", name, b.Notes, want)
		}
	}
	if _, err := STL(binary[:len(binary)-1]); err == nil {
		t.Error("a file that is cut off was accepted")
	}
}

func concatBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestGapsAreClosed proves that gaps of the size of round-off are closed, which a note says, and that wider ones are
// refused.
func TestGapsAreClosed(t *testing.T) {
	cube := block(point{.2, .2, .2}, point{.8, .8, .8})
	oneSided := slices.Clone(cube)
	for v := range 3 {
		oneSided[4][v][0] += 1e-7
	}
	scaled := make([][3]point, len(cube))
	for n, c := range jittered(cube, 1e-7) {
		for v := range c {
			scaled[n][v] = c[v].times(1000).plus(point{400, 0, 0})
		}
	}
	for _, c := range []struct {
		name      string
		triangles [][3]point
		volume    float64
	}{
		{"jitter of 1e-7", jittered(cube, 1e-7), .216},
		{"jitter of 1e-8", jittered(cube, 1e-8), .216},
		{"jitter of 1e-6", jittered(cube, 1e-6), .216},
		{"a facet moved", oneSided, .216},
		{"a globe", jittered(globe(point{.5, .5, .5}, .4, 3), 1e-7), volumeOf(globe(point{.5, .5, .5}, .4, 3))},
		{"two bodies", jittered(concat(cube, block(point{1.2, 0, 0}, point{1.5, 1, 1})), 1e-7), .216 + .3},
		{"large", scaled, .216e9},
		{"a shell", jittered(concat(cube, reversed(block(point{.4, .4, .4}, point{.6, .6, .6}))), 1e-7), .216 - .008},
	} {
		p, notes, err := newPolyhedron(c.triangles)
		if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "joined") {
			t.Errorf("%s: got error %v, notes %q; want one note about joined vertices", c.name, err, notes)
			continue
		}
		if got := volumeOf(p.corner); math.Abs(got/c.volume-1) > 1e-5 {
			t.Errorf("%s: got volume %v, want %v", c.name, got, c.volume)
		}
	}
	if _, _, err := newPolyhedron(jittered(cube, 1e-4)); err == nil || !strings.Contains(err.Error(), "not closed") {
		t.Errorf("a gap of 1e-4: got error %v, want one", err)
	}
}

// unions are bodies of several closed surfaces, with the volume of their union, and whether parts overlap or contain
// each other.
var unions = []struct {
	name    string
	parts   [][][3]point
	volume  float64
	overlap bool
}{
	{"touching", blocks(.1, .2, .2, .5, .7, .7, .5, .2, .2, .9, .7, .7), .2, false},
	{"touching, shifted", blocks(.1, .2, .2, .5, .7, .7, .5, .3, .3, .9, .8, .8), .2, false},
	{"touching, diagonals", [][][3]point{block(point{.1, .2, .2}, point{.5, .7, .7}),
		turned(block(point{.5, .2, .2}, point{.9, .7, .7}))}, .2, false},
	{"along an edge", blocks(.1, .1, .2, .5, .5, .7, .5, .5, .2, .9, .9, .7), .16, false},
	{"at a vertex", blocks(.1, .1, .1, .5, .5, .5, .5, .5, .5, .9, .9, .9), .128, false},
	{"three around an edge", blocks(.1, .1, .2, .5, .5, .7, .5, .5, .2, .9, .9, .7, .5, .1, .2, .9, .5, .7), .24, false},
	{"overlapping", blocks(.2, .3, .3, .6, .7, .7, .4, .3, .3, .8, .7, .7), .096, true},
	{"crossing", blocks(.1, .4, .4, .9, .6, .6, .4, .1, .4, .6, .9, .6), .032*2 - .008, true},
	{"nested", blocks(.1, .1, .1, .9, .9, .9, .3, .3, .3, .7, .7, .7), .512, true},
	{"three", blocks(.1, .1, .1, .5, .5, .5, .3, .3, .3, .7, .7, .7, .5, .5, .5, .9, .9, .9), 3*.064 - 2*.008, true},
	{"twice", blocks(.2, .2, .2, .8, .8, .8, .2, .2, .2, .8, .8, .8), .216, false},
	{"a facet twice", [][][3]point{block(point{.2, .2, .2}, point{.8, .8, .8}),
		block(point{.2, .2, .2}, point{.8, .8, .8})[3:4]}, .216, false},
	{"cavity", cavities(1, .1, .1, .1, .9, .9, .9, .3, .3, .3, .7, .7, .7), .448, false},
	{"island in a cavity", cavities(1, .1, .1, .1, .9, .9, .9, .2, .2, .2, .8, .8, .8, .4, .4, .4, .6, .6, .6),
		.512 - .216 + .008, false},
	{"over a cavity", cavities(1, .1, .1, .1, .9, .9, .9, .3, .3, .3, .7, .7, .7, .5, .3, .3, .95, .7, .7),
		.448 + .032 + .008, true},
	{"an open cavity", cavities(1, .1, .1, .1, .9, .9, .9, .3, .3, .1, .7, .7, .5), .512 - .064, false},
}

// blocks are boxes between corners, of which six numbers each are given.
func blocks(corners ...float64) (out [][][3]point) {
	for c := corners; len(c) > 0; c = c[6:] {
		out = append(out, block(point(c[:3]), point(c[3:6])))
	}
	return out
}

// cavities are boxes of which the one with the given index is a cavity.
func cavities(index int, corners ...float64) [][][3]point {
	out := blocks(corners...)
	out[index] = reversed(out[index])
	return out
}

// turned swaps the diagonals of the sides of a block.
func turned(b [][3]point) [][3]point {
	return moved(b, point{1, 0, 0}, math.Pi/2, point{0, .9, 0})
}

// TestUnionsOfParts proves that a body of several closed surfaces is their union: the level set is negative where the
// winding number is positive, also on faces at which parts touch. Cut refuses the body if parts overlap.
func TestUnionsOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range unions {
		name := c.name
		p, _, err := newPolyhedron(concat(c.parts...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := Body{Phi: p.phi, Slope: 1, polyhedron: p}
		for n := range 1000 {
			q := point{rng.Float64(), rng.Float64(), rng.Float64()}
			if n%4 == 0 {
				q[n/4%3] = float64(1+rng.IntN(9)) / 10 // on faces, also those where parts touch
			}
			if d := p.phi(q[0], q[1], q[2]); d < 0 != inside(p.corner, q) && math.Abs(d) > 1e-12 {
				t.Fatalf("%s: got %v at %v; inside: %v", name, d, q, inside(p.corner, q))
			}
		}
		cells := cellsOf(3, [3]int{7, 9, 11}, point{}, point{1, 1, 1})
		switch f, err := b.Cut(t.Context(), cells); {
		case c.overlap != (err != nil):
			t.Errorf("%s: got error %v by Cut; the parts overlap: %v", name, err, c.overlap)
		case err == nil && math.Abs(cells.filled(f)-c.volume) > 1e-13:
			t.Errorf("%s: got volume %v by Cut, want %v", name, cells.filled(f), c.volume)
		}
	}
	lonely := concat(block(point{.1, .1, .1}, point{.5, .5, .5}), reversed(block(point{.6, .6, .6}, point{.7, .7, .7})))
	if _, _, err := newPolyhedron(lonely); err == nil || !strings.Contains(err.Error(), "in no other part") {
		t.Errorf("a reversed part beside another: got error %v, want one", err)
	}
}

// TestSectionsOnFaces proves that a body that ends at the plane, or has a face there, has a section.
func TestSectionsOnFaces(t *testing.T) {
	step := concat(block(point{.1, .1, -1}, point{.9, .9, 0}), block(point{.3, .3, 0}, point{.7, .7, 1}))
	for _, c := range []struct {
		name      string
		triangles [][3]point
		area      float64
	}{
		{"stands on it", block(point{.2, .2, 0}, point{.6, .7, 1}), .2},
		{"hangs from it", block(point{.2, .2, -1}, point{.6, .7, 0}), .2},
		{"through it", block(point{.2, .2, -1}, point{.6, .7, 1}), .2},
		{"above it", block(point{.2, .2, .1}, point{.6, .7, 1}), 0},
		{"a step there", step, .64},
		{"a cavity that stands on it", concat(block(point{.1, .1, 0}, point{.9, .9, 2}),
			reversed(block(point{.3, .3, 0}, point{.7, .7, 1}))), .64 - .16},
		{"L", moved(prism(corner), point{0, 0, 1}, 0, point{}), .75},
		{"a globe on it", globe(point{.5, .5, .5}, .5, 2), 0},
	} {
		cells := cellsOf(2, [3]int{7, 9, 1}, point{0, 0, 0}, point{1, 1, 0})
		b := polyhedral(t, c.triangles, cells)
		f, err := b.Cut(t.Context(), cells)
		if c.name == "a step there" { // two solids, of which the lower one has the larger section
			if err == nil {
				t.Error("overlapping sections were accepted")
			}
		} else if got := cells.filled(f); err != nil || math.Abs(got-c.area) > 1e-14 {
			t.Errorf("%s: got area %v by Cut, error %v; want %v", c.name, got, err, c.area)
		}
		if got := total(2, 10, 0, 1, func(q Cell) float64 { return b.Divided(q, 4, true) }); math.Abs(got-c.area) > 1e-4 {
			t.Errorf("%s: got area %v by division, want %v", c.name, got, c.area)
		}
		if empty := fmt.Sprint(b.Notes); (c.name == "above it") != strings.Contains(empty, "empty") {
			t.Errorf("%s: got notes %q", c.name, b.Notes)
		}
	}
}
