package shape

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prism extrudes a counterclockwise polygon between z = 0 and 1. Its ends are fans about the first vertex, from which
// all others must be visible.
func prism(polygon [][2]float64) [][3]point {
	var out [][3]point
	at := func(k int, z float64) point {
		p := polygon[k%len(polygon)]
		return point{p[0], p[1], z}
	}
	for k := range polygon {
		out = append(out, [3]point{at(k, 0), at(k+1, 0), at(k+1, 1)}, [3]point{at(k, 0), at(k+1, 1), at(k, 1)})
		if k > 0 && k+1 < len(polygon) {
			out = append(out, [3]point{at(0, 0), at(k+1, 0), at(k, 0)}, [3]point{at(0, 1), at(k, 1), at(k+1, 1)})
		}
	}
	return out
}

// corner is an L; all vertices are visible from the first.
var corner = [][2]float64{{.5, .5}, {.5, 1}, {0, 1}, {0, 0}, {1, 0}, {1, .5}}

// globe is a sphere of 8·4^levels triangles.
func globe(centre point, radius float64, levels int) [][3]point {
	var out [][3]point
	var split func(c [3]point, levels int)
	split = func(c [3]point, levels int) {
		if levels == 0 {
			for v := range c {
				c[v] = centre.plus(c[v].times(radius / c[v].size()))
			}
			out = append(out, c)
			return
		}
		m := [3]point{c[1].plus(c[2]).times(.5), c[2].plus(c[0]).times(.5), c[0].plus(c[1]).times(.5)}
		split([3]point{c[0], m[2], m[1]}, levels-1)
		split([3]point{c[1], m[0], m[2]}, levels-1)
		split([3]point{c[2], m[1], m[0]}, levels-1)
		split(m, levels-1)
	}
	for k := range 8 {
		s := [3]float64{float64(1 - 2*(k&1)), float64(1 - k&2), float64(1 - k>>1&2)}
		c := [3]point{{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}}
		if s[0]*s[1]*s[2] < 0 {
			c[1], c[2] = c[2], c[1]
		}
		split(c, levels)
	}
	return out
}

func binaryOf(triangles [][3]point) []byte {
	out := make([]byte, headerSize, headerSize+len(triangles)*triangleSize)
	copy(out, "solid, but binary")
	binary.LittleEndian.PutUint32(out[headerSize-4:], uint32(len(triangles)))
	for _, c := range triangles {
		out = append(out, make([]byte, 12)...)
		for _, p := range c {
			for _, v := range p {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
			}
		}
		out = append(out, 0, 0)
	}
	return out
}

func asciiOf(triangles [][3]point) []byte {
	var b bytes.Buffer
	b.WriteString("solid body\n")
	for _, c := range triangles {
		b.WriteString(" facet normal 0 0 0\n  outer loop\n")
		for _, p := range c {
			fmt.Fprintf(&b, "   vertex %v %v %v\n", p[0], p[1], p[2])
		}
		b.WriteString("  endloop\n endfacet\n")
	}
	b.WriteString("endsolid body\n")
	return b.Bytes()
}

// inside computes the winding number of the triangles about a point from solid angles (van Oosterom and Strackee,
// 1983).
func inside(triangles [][3]point, p point) bool {
	sum := 0.0
	for _, c := range triangles {
		a, b, d := c[0].minus(p), c[1].minus(p), c[2].minus(p)
		la, lb, ld := a.size(), b.size(), d.size()
		sum += 2 * math.Atan2(a.dot(b.cross(d)), la*lb*ld+a.dot(b)*ld+b.dot(d)*la+d.dot(a)*lb)
	}
	return sum > 2*math.Pi
}

// TestDistanceFromTriangles proves that the sign of the distance is that of the winding number, also near concave
// edges, and that the magnitude is the distance from the nearest triangle.
func TestDistanceFromTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	// One face of the spike is a fan of many triangles.
	base := [][2]float64{{0, 1}, {0, 0}}
	for k := range 20 {
		base = append(base, [2]float64{.2 * float64(k+1) / 20, 0})
	}
	tip := point{.1, .3, 1}
	var spike [][3]point
	for k := range base {
		at := func(k int) point { return point{base[k%len(base)][0], base[k%len(base)][1], 0} }
		spike = append(spike, [3]point{at(k), at(k + 1), tip})
		if k > 0 && k+1 < len(base) {
			spike = append(spike, [3]point{at(0), at(k + 1), at(k)})
		}
	}
	for name, triangles := range map[string][][3]point{"cube": prism([][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}),
		"corner": prism(corner), "globe": globe(point{.5, .5, .5}, .4, 3), "spike": spike} {
		p, notes, err := newPolyhedron(triangles)
		if err != nil || len(notes) > 0 || len(p.solids) != 1 {
			t.Fatalf("%s: error %v, notes %q; want one solid", name, err, notes)
		}
		for range 4000 {
			q := point{rng.Float64()*2 - .5, rng.Float64()*2 - .5, rng.Float64()*2 - .5}
			d := p.phi(q[0], q[1], q[2])
			if (d < 0) != inside(triangles, q) {
				t.Fatalf("%s: distance %v at %v", name, d, q)
			}
			least := math.Inf(1)
			for k := range triangles {
				least = min(least, q.minus(nearestOf(&triangles[k], q)).size())
			}
			if math.Abs(d) != least {
				t.Fatalf("%s: distance %v at %v, the nearest triangle is at %v", name, d, q, least)
			}
		}
	}
}

// TestVolumesOfTriangles proves that recursive division converges for bodies from STL files; it rounds edges at the
// size of the smallest parts.
func TestVolumesOfTriangles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name      string
		triangles [][3]point
		dim       int
		want      float64 // 0 for the volume by the divergence theorem
	}{
		{"cube", prism([][2]float64{{.1, .2}, {.7, .2}, {.7, .9}, {.1, .9}}), 2, .42},
		{"corner", prism(corner), 2, .75},
		{"corner in space", prism(corner), 3, .75},
		{"globe", globe(point{.5, .5, .5}, .4, 3), 3, 0},
		{"two globes", append(globe(point{.25, .25, .25}, .2, 3), globe(point{.7, .7, .7}, .25, 3)...), 3, 0},
		{"a globe in a globe", append(globe(point{.5, .5, .5}, .45, 3), reversed(globe(point{.5, .5, .5}, .2, 3))...), 3, 0},
	} {
		if c.want == 0 {
			for _, p := range c.triangles {
				c.want += p[0].dot(p[1].cross(p[2])) / 6
			}
		}
		for kind, data := range map[string][]byte{"binary": binaryOf(c.triangles), "ASCII": asciiOf(c.triangles)} {
			path := filepath.Join(dir, "body.stl")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			body, err := STLFile(path)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, kind, err)
			}
			if c.dim == 2 {
				body = body.Section(.4)
			}
			got := total(c.dim, 20-4*c.dim, 0, 1, func(q Cell) float64 {
				return body.Divided(q, 8-2*c.dim, true)
			})
			if math.Abs(got/c.want-1) > []float64{1e-4, 1e-2}[c.dim-2] {
				t.Errorf("%s, %s: volume %v, want %v", c.name, kind, got, c.want)
			}
		}
	}
}

// reversed inverts the orientation of a surface.
func reversed(triangles [][3]point) [][3]point {
	out := make([][3]point, len(triangles))
	for t, c := range triangles {
		out[t] = [3]point{c[0], c[2], c[1]}
	}
	return out
}

func TestRefusedSurfaces(t *testing.T) {
	cube := prism([][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}})
	without := func(k int) [][3]point { return append(append([][3]point{}, cube[:k]...), cube[k+1:]...) }
	one := append([][3]point{}, cube...)
	one[3] = reversed(one[3:4])[0]
	fin := [][3]point{{{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}}, {{0, 0, 0}, {0, 0, 1}, {-1, -1, 0}}}
	nan := append([][3]point{}, cube...)
	nan[2][1][0] = math.NaN()
	thin := [][3]point{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}}}
	for want, triangles := range map[string][][3]point{
		"the surface is not closed (and 2 more edges":    without(5),
		"belongs to no other":                            append(without(0), globe(point{5, 5, 5}, 1, 1)...),
		"one has the wrong orientation":                  one,
		"or more than two meet":                          append(append([][3]point{}, cube...), fin...),
		"reverse its triangles":                          reversed(cube),
		"triangle 3: coordinate NaN":                     nan,
		"encloses a volume of 0":                         thin,
		"no triangles":                                   nil,
		"the edge from [0 1 0] to [0 1 1] of triangle 7": without(11),
	} {
		for kind, data := range map[string][]byte{"binary": binaryOf(triangles), "ASCII": asciiOf(triangles)} {
			if _, err := STL(data); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one that says %q", kind, err, want)
			}
		}
	}
	good := string(asciiOf(cube))
	for want, text := range map[string]string{
		"not an STL file":                    "hello",
		"4294967295":                         strings.Repeat("\xff", 100),
		"want facet normal or endsolid":      "solid a\nvertex 1 2 3\n",
		"want solid":                         "solid\nendsolid\nfacet normal 0 0 1\n",
		"line 4: a vertex has 3 coordinates": strings.Replace(good, "vertex 0 0 0", "vertex 0 0", 1),
		"line 4: coordinate \"0O\" is not a": strings.Replace(good, "vertex 0 0 0", "vertex 0O 0 0", 1),
		"without endsolid":                   strings.TrimSuffix(good, "endsolid body\n"),
	} {
		if _, err := STL([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if _, err := STLFile(filepath.Join(t.TempDir(), "none.stl")); err == nil {
		t.Error("a missing file was accepted")
	}
}

// FuzzSTL proves that arbitrary bytes do not make the reader panic, and that an accepted body has a finite distance.
func FuzzSTL(f *testing.F) {
	cube := prism([][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}})
	f.Add(binaryOf(cube))
	f.Add(asciiOf(cube))
	f.Add([]byte("solid\nendsolid\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		body, err := STL(data)
		if err != nil {
			return
		}
		if d := body.Phi(.5, .5, .5); math.IsNaN(d) {
			t.Errorf("distance %v", d)
		}
	})
}
