package shape

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// volumeOf returns the volume enclosed by triangles, by the divergence theorem.
func volumeOf(triangles [][3]point) float64 {
	sum := 0.0
	for _, p := range triangles {
		sum += p[0].dot(p[1].cross(p[2])) / 6
	}
	return sum
}

// cellsOf returns n cells along each axis of the box from lo to hi.
func cellsOf(dim int, n [3]int, lo, hi point) Cells {
	c := Cells{Dim: dim}
	for axis := range 3 {
		if axis == dim {
			c.Planes[axis] = []float64{lo[axis]}
			break
		}
		for i := range n[axis] + 1 {
			c.Planes[axis] = append(c.Planes[axis], lo[axis]+(hi[axis]-lo[axis])*float64(i)/float64(n[axis]))
		}
	}
	return c
}

// filled returns the total volume of cells with given fractions.
func (c *Cells) filled(f []float64) float64 {
	sum, n := 0.0, 0
	width := func(axis, i int) float64 { return c.Planes[axis][i+1] - c.Planes[axis][i] }
	for k := range max(1, len(c.Planes[2])-1) {
		for j := range len(c.Planes[1]) - 1 {
			for i := range len(c.Planes[0]) - 1 {
				v := width(0, i) * width(1, j)
				if c.Dim == 3 {
					v *= width(2, k)
				}
				sum += v * f[n]
				n++
			}
		}
	}
	return sum
}

// polyhedral is the body that triangles enclose, or with cells in the plane its section there.
func polyhedral(t interface{ Fatal(...any) }, triangles [][3]point, c Cells) Body {
	p, _, err := newPolyhedron(triangles)
	if err != nil {
		t.Fatal(err)
	}
	b := Body{Phi: p.phi, Slope: 1, polyhedron: p}
	if c.Dim == 2 {
		b = b.Section(c.Planes[2][0])
	}
	return b
}

func cutFractions(t interface{ Fatal(...any) }, triangles [][3]point, c Cells) []float64 {
	f, err := polyhedral(t, triangles, c).Cut(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// moved rotates a body about an axis and translates it.
func moved(triangles [][3]point, axis point, angle float64, by point) [][3]point {
	n := axis.times(1 / axis.size())
	sin, cos := math.Sincos(angle)
	out := make([][3]point, len(triangles))
	for t, c := range triangles {
		for v, p := range c { // Rodrigues' formula
			out[t][v] = p.times(cos).plus(n.cross(p).times(sin)).plus(n.times(n.dot(p) * (1 - cos))).plus(by)
		}
	}
	return out
}

// TestCutVolumes proves that volume fractions of polyhedra add up to their volume within 1e-12 for any position
// relative to the cells, also with faces in the planes between cells.
func TestCutVolumes(t *testing.T) {
	lo, hi := point{0, 0, 0}, point{1, 1, 1}
	box := prism([][2]float64{{.25, .25}, {.75, .25}, {.75, .5}, {.25, .5}})
	for name, triangles := range map[string][][3]point{
		"box in planes":   moved(box, point{0, 0, 1}, 0, point{0, 0, 0}),
		"turned box":      moved(box, point{1, 2, 3}, 1, point{.2, .3, -.4}),
		"corner":          prism(corner),
		"globe":           globe(point{.5, .5, .5}, .4, 4),
		"tangent globe":   globe(point{.5, .5, .5}, .25, 3),
		"shell":           append(globe(point{.5, .5, .5}, .45, 3), reversed(globe(point{.5, .5, .5}, .2, 3))...),
		"beyond the grid": globe(point{1.5, .5, .5}, .25, 2),
	} {
		want := volumeOf(triangles)
		if name == "beyond the grid" {
			want = 0
		}
		c := cellsOf(3, [3]int{16, 12, 8}, lo, hi)
		if name == "turned box" {
			c = cellsOf(3, [3]int{19, 17, 23}, point{-2, -2, -2}, point{2, 2, 2})
		}
		f := cutFractions(t, triangles, c)
		if got := c.filled(f); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s: %v, want %v, off by %.1e", name, got, want, got/want-1)
		}
		if least, most := slices.Min(f), slices.Max(f); least < 0 || most > 1 {
			t.Errorf("%s: from %v to %v", name, least, most)
		}
	}
}

// TestCutCells proves that each cell has the fraction that quadrature of the same half-space gives, not only the
// total.
func TestCutCells(t *testing.T) {
	triangles := moved(prism([][2]float64{{-3, -3}, {0, -3}, {0, 3}, {-3, 3}}), point{0, 0, 1}, .3, point{.5, .5, 0})
	c := cellsOf(3, [3]int{9, 7, 3}, point{0, 0, .1}, point{1, 1, .9})
	f := cutFractions(t, triangles, c)
	half, err := HalfSpace(.5, .5, 0, math.Cos(.3), math.Sin(.3), 0)
	if err != nil {
		t.Fatal(err)
	}
	for n, got := range f {
		i, j, k := n%9, n/9%7, n/63
		q := Cell{Dim: 3, Lo: point{c.Planes[0][i], c.Planes[1][j], c.Planes[2][k]}, H: point{1. / 9, 1. / 7, .8 / 3}}
		if want := half.Fraction(q); math.Abs(got-want) > 1e-13 {
			t.Errorf("cell (%d, %d, %d): %v, want %v", i, j, k, got, want)
		}
	}
}

// TestCutInThePlane proves that with two dimensions the body is cut at the z of the grid.
func TestCutInThePlane(t *testing.T) {
	sphere := globe(point{.5, .5, .5}, .4, 5)
	for z, want := range map[float64]float64{.5: .16, .7: .12, .05: 0, .1: 0} {
		c := cellsOf(2, [3]int{16, 10, 1}, point{0, 0, z}, point{1, 1, 0})
		if got := c.filled(cutFractions(t, sphere, c)); math.Abs(got-math.Pi*want) > 2e-3*math.Pi*want {
			t.Errorf("at z = %v: %v, want %v", z, got, math.Pi*want)
		}
	}
	c := cellsOf(2, [3]int{16, 10, 1}, point{0, 0, .4}, point{1, 1, 0})
	if got := c.filled(cutFractions(t, prism(corner), c)); math.Abs(got-.75) > 1e-14 {
		t.Errorf("corner: %v", got)
	}
}

// TestCutOfBlocks proves that the bits of a cell's fraction do not depend on the other cells, nor on the order of the
// triangles.
func TestCutOfBlocks(t *testing.T) {
	bodies := [][][3]point{prism(corner), globe(point{.4, .5, .6}, .3, 2),
		moved(prism(corner), point{3, 1, 2}, .7, point{.1, .2, .1})}
	rapid.Check(t, func(t *rapid.T) {
		triangles := slices.Clone(bodies[rapid.IntRange(0, len(bodies)-1).Draw(t, "body")])
		n := [3]int{rapid.IntRange(2, 12).Draw(t, "nx"), rapid.IntRange(2, 9).Draw(t, "ny"),
			rapid.IntRange(2, 9).Draw(t, "nz")}
		whole := cellsOf(3, n, point{0, 0, 0}, point{1, 1, 1})
		all := cutFractions(t, triangles, whole)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		rng.Shuffle(len(triangles), func(i, j int) { triangles[i], triangles[j] = triangles[j], triangles[i] })
		part := Cells{Dim: 3}
		var lo, size [3]int
		for d := range 3 {
			lo[d] = rapid.IntRange(0, n[d]-1).Draw(t, "lo")
			size[d] = rapid.IntRange(1, n[d]-lo[d]).Draw(t, "size")
			part.Planes[d] = whole.Planes[d][lo[d] : lo[d]+size[d]+1]
		}
		for c, f := range cutFractions(t, triangles, part) {
			i, j, k := lo[0]+c%size[0], lo[1]+c/size[0]%size[1], lo[2]+c/size[0]/size[1]
			if want := all[(k*n[1]+j)*n[0]+i]; f != want {
				t.Fatalf("cell (%d, %d, %d) is %v in a block, %v in the whole", i, j, k, f, want)
			}
		}
	})
}

func TestCutRefuses(t *testing.T) {
	twice := append(globe(point{.4, .5, .5}, .2, 2), globe(point{.5, .5, .5}, .2, 2)...)
	c := cellsOf(3, [3]int{10, 10, 10}, point{0, 0, 0}, point{1, 1, 1})
	b := polyhedral(t, twice, c)
	if _, err := b.Cut(t.Context(), c); err == nil || !strings.Contains(err.Error(), "intersects itself") {
		t.Errorf("two overlapping globes: %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Cut(stopped, c); err != context.Canceled {
		t.Errorf("stopped: %v", err)
	}
}
