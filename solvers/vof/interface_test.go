package vof

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// joinedSurface combines the surfaces of all ranks by the ids of points.
type joinedSurface struct {
	position  map[int64][3]float64
	simplices map[string]bool // by their ids; triangles begin with the lowest
	edges     map[[2]int64]int
	volume    float64 // by the divergence theorem, or in the plane the area
	fluid     float64 // volume of the fluid by Diagnose
}

func joinSurface(t *testing.T, p problem) *joinedSurface {
	t.Helper()
	w := &joinedSurface{position: map[int64][3]float64{}, simplices: map[string]bool{}, edges: map[[2]int64]int{}}
	var mu sync.Mutex
	err := p.run(func(_ int, s Solver) error {
		field, err := s.interfaceOf().SurfaceField(ctx)
		if err != nil {
			return err
		}
		numbers, err := field.Read(ctx)
		if err != nil {
			return err
		}
		m := s.interfaceOf().SurfaceOf(numbers, false)
		d, err := s.Diagnose(ctx)
		mu.Lock()
		defer mu.Unlock()
		w.fluid = d.Volume
		for i, id := range m.ID {
			point := [3]float64(m.Points[3*i:])
			if before, ok := w.position[id]; ok && before != point {
				t.Errorf("point %d is at %v and %v", id, before, point)
			}
			w.position[id] = point
		}
		n := p.grid.Dim
		for i := 0; i < len(m.Simplices); i += n {
			ids := make([]int64, n)
			low := 0
			for k := range n {
				if ids[k] = m.ID[m.Simplices[i+k]]; n == 3 && ids[k] < ids[low] {
					low = k
				}
			}
			w.add(t, append(ids[low:], ids[:low]...), n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *joinedSurface) add(t *testing.T, ids []int64, dim int) {
	name := fmt.Sprint(ids)
	if w.simplices[name] {
		t.Errorf("simplex %s is given twice", name)
	}
	w.simplices[name] = true
	a, b := w.position[ids[0]], w.position[ids[1]]
	if dim == 2 {
		w.edges[[2]int64{ids[0], -1}]++ // key: the point at which a segment begins
		w.edges[[2]int64{-1, ids[1]}]++
		w.volume += (a[0]*b[1] - a[1]*b[0]) / 2
		return
	}
	for k := range 3 {
		w.edges[[2]int64{ids[k], ids[(k+1)%3]}]++
	}
	c := w.position[ids[2]]
	w.volume += (a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0])) / 6
}

// checkClosed requires that each edge occurs once in each direction.
func (w *joinedSurface) checkClosed(t *testing.T) {
	t.Helper()
	for e, n := range w.edges {
		back := [2]int64{e[1], e[0]}
		if n != 1 || w.edges[back] != 1 {
			t.Fatalf("edge %v occurs %d times, and %d times reversed", e, n, w.edges[back])
		}
	}
}

func ballIn(g *grid.Grid, parts [3]int) problem {
	body := shape.Ball(0.51, 0.48, 0.53, 0.31)
	if g.Dim == 2 {
		body = shape.Ball(0.51, 0.48, 0, 0.31)
	}
	name := map[int]string{2: "rider-kothe", 3: "enright"}[g.Dim]
	return problem{grid: g, body: body, flow: namedFlow(name, 4), cfg: config("myc", "weymouth-yue", 0.5), parts: parts}
}

// TestSurfaceOfRanks proves that the surface of a ball on four ranks is that on one rank, bit for bit: closed,
// oriented, of Euler characteristic 2.
func TestSurfaceOfRanks(t *testing.T) {
	for _, normal := range Normals {
		one := ballIn(space(16), [3]int{1, 1, 1})
		four := ballIn(space(16), [3]int{2, 2, 1})
		one.cfg.Normal, four.cfg.Normal = normal, normal
		a, b := joinSurface(t, one), joinSurface(t, four)
		a.checkClosed(t)
		if euler := len(a.position) - len(a.edges)/2 + len(a.simplices); euler != 2 {
			t.Errorf("%s: Euler characteristic %d", normal, euler)
		}
		if len(a.simplices) == 0 || len(a.simplices) != len(b.simplices) || len(a.position) != len(b.position) {
			t.Fatalf("%s: %d points and %d triangles, on four ranks %d and %d", normal, len(a.position), len(a.simplices),
				len(b.position),
				len(b.simplices))
		}
		for id, at := range a.position {
			if b.position[id] != at {
				t.Fatalf("%s: point %d is at %v, on four ranks at %v", normal, id, at, b.position[id])
			}
		}
		for s := range a.simplices {
			if !b.simplices[s] {
				t.Fatalf("%s: triangle %s is missing on four ranks", normal, s)
			}
		}
	}
}

// TestSurfaceVolume proves that the volume within the surface converges to that of the fluid with second order.
func TestSurfaceVolume(t *testing.T) {
	for dim, make := range map[int]func(int) *grid.Grid{2: plane, 3: space} {
		var e []float64
		for _, n := range []int{12, 24, 48} {
			w := joinSurface(t, ballIn(make(n), [3]int{2, 2, 1}))
			if dim == 3 {
				w.checkClosed(t)
			} else {
				w.checkLoops(t)
			}
			t.Logf("%d dimensions, %d cells an axis: %.3e", dim, n, math.Abs(w.volume-w.fluid)/w.fluid)
			e = append(e, math.Abs(w.volume-w.fluid)/w.fluid)
		}
		if order := math.Log2(e[0]/e[2]) / 2; order < 1.8 {
			t.Errorf("%d dimensions: errors %.2e, order %.2f", dim, e, order)
		}
	}
}

// checkLoops requires that one segment begins and one ends at each point.
func (w *joinedSurface) checkLoops(t *testing.T) {
	t.Helper()
	for id := range w.position {
		if w.edges[[2]int64{id, -1}] != 1 || w.edges[[2]int64{-1, id}] != 1 {
			t.Fatalf("point %d does not have one segment to it and one from it", id)
		}
	}
}

// TestSurfaceOfPlane proves that a plane is reproduced, except near walls.
func TestSurfaceOfPlane(t *testing.T) {
	n := [3]float64{0.48, 0.6, 0.64}
	const origin = 0.503 // no corner of a cell is on the plane
	body, err := shape.HalfSpace(origin, origin, origin, n[0], n[1], n[2])
	if err != nil {
		t.Fatal(err)
	}
	p := ballIn(&grid.Grid{Dim: 3, N: [3]int{8, 10, 12}, Hi: [3]float64{1, 1, 1}}, [3]int{1, 2, 2})
	p.body, p.cfg.Normal = body, "lvira"
	for id, at := range joinSurface(t, p).position {
		inner := true
		distance := 0.0
		for d, x := range at {
			distance += n[d] * (x - origin)
			inner = inner && x > 0.25 && x < 0.75
		}
		if inner && math.Abs(distance) > 1e-9 {
			t.Errorf("point %d at %v has distance %g from the plane", id, at, distance)
		}
	}
}

// TestSurfaceThroughCorners has an interface on the sides of cells, at distance 0 from corners: points must stay
// distinct, in float32 too, and the surface closed.
func TestSurfaceThroughCorners(t *testing.T) {
	for dim, g := range map[int]*grid.Grid{2: plane(16), 3: space(16)} {
		for _, normal := range Normals {
			body, err := shape.Box([3]float64{.25, .375, .25}, [3]float64{.75, .625, .75})
			if err != nil {
				t.Fatal(err)
			}
			if dim == 2 {
				body, err = shape.Box([3]float64{.25, .375, -1}, [3]float64{.75, .625, 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			p := ballIn(g, [3]int{2, 2, 1})
			p.body, p.cfg.Normal = body, normal
			w := joinSurface(t, p)
			positions := map[[3]float32]int64{}
			for id, at := range w.position {
				position := [3]float32{float32(at[0]), float32(at[1]), float32(at[2])}
				if other, ok := positions[position]; ok {
					t.Errorf("%s in %d dimensions: points %d and %d are both at %v", normal, dim, id, other, position)
				}
				positions[position] = id
			}
			if dim == 3 {
				w.checkClosed(t)
			} else {
				w.checkLoops(t)
			}
			if len(w.position) == 0 || math.Abs(w.volume-w.fluid) > .1*w.fluid {
				t.Errorf("%s in %d dimensions: %d points around %v, where the fluid is %v", normal, dim, len(w.position), w.volume,
					w.fluid)
			}
		}
	}
}
