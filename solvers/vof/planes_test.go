package vof

import (
	"math"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"

	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// TestPlanes proves that outlines are in the planes of their cells and within the cells, are oriented, and add up to
// the size of the interface.
func TestPlanes(t *testing.T) {
	for _, g := range []*grid.Grid{
		{Dim: 2, N: [3]int{16, 12, 1}, Lo: [3]float64{-1, 0, 0}, Hi: [3]float64{1, 1, 0}},
		{Dim: 3, N: [3]int{12, 10, 14}, Lo: [3]float64{0, -0.2, 0.1}, Hi: [3]float64{1, 1.2, 1}},
	} {
		for _, normal := range Normals {
			p := ballIn(g, [3]int{2, 2, 1})
			p.cfg.Normal = normal
			if g.Dim == 2 {
				p.body = shape.Ball(0.1, 0.5, 0, 0.31)
			}
			total, want := 0.0, 0.0
			var mu sync.Mutex
			err := p.run(func(_ int, s Solver) error {
				planes, err := s.interfaceOf().PlanesOf(ctx)
				if err != nil {
					return err
				}
				size := checkPlanes(t, s.inner(), planes)
				d, err := s.Diagnose(ctx)
				mu.Lock()
				defer mu.Unlock()
				total, want = total+size, d.InterfaceSize
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(total-want) <= 1e-12*want) || want == 0 {
				t.Errorf("%d dimensions, %s: the planes have a total size of %.17g, the interface %.17g", g.Dim, normal, total,
					want)
			}
		}
	}
}

// checkPlanes checks all outlines of a block and returns their total size.
func checkPlanes(t *testing.T, s *solver[float64], p *plic.Planes) (size float64) {
	field, err := s.hostField(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, g := s.block, s.block.Grid
	first := 0
	for i, end := range p.Ends {
		n := p.Cells[i]
		cell := [3]int{n % b.N[0], n / b.N[0] % b.N[1], n / b.N[0] / b.N[1]}
		m, alpha := s.plic.UnitPlane(field, b.Index(cell[0], cell[1], cell[2]))
		for k := first; k < end; k++ {
			distance := -alpha
			for d := range g.Dim {
				lo, hi := g.Face(d, b.Lo[d]+cell[d]), g.Face(d, b.Lo[d]+cell[d]+1)
				x := p.At(k)[d]
				if x < lo || x > hi {
					t.Fatalf("cell %v: a point at %g outside [%g, %g] along axis %d", cell, x, lo, hi, d)
				}
				distance += m[d] * (x - lo) / g.Spacing(d)
			}
			if math.Abs(distance) > 1e-13 {
				t.Fatalf("cell %v: a point has distance %g from the plane", cell, distance)
			}
		}
		part, outward := 0.0, 0.0
		o := p.At(first)
		if g.Dim == 2 {
			x, y := p.At(first + 1)[0]-o[0], p.At(first + 1)[1]-o[1]
			part, outward = math.Hypot(x, y), y*m[0]/g.Spacing(0)-x*m[1]/g.Spacing(1)
		} else {
			var area [3]float64
			for k := first + 1; k+1 < end; k++ {
				u, v := p.At(k), p.At(k+1)
				for d := range 3 {
					d1, d2 := (d+1)%3, (d+2)%3
					area[d] += ((u[d1]-o[d1])*(v[d2]-o[d2]) - (u[d2]-o[d2])*(v[d1]-o[d1])) / 2
				}
			}
			for d := range 3 {
				part += area[d] * area[d]
				outward += area[d] * m[d] / g.Spacing(d)
			}
			part = math.Sqrt(part)
		}
		if !(outward > 0) && part > 1e-20 {
			t.Fatalf("cell %v: the outline has the wrong orientation", cell)
		}
		size += part
		first = end
	}
	return size
}

// TestInterfaceOnFaces proves that faces between full and empty cells count as interface, in its size and its planes,
// on one rank and several, on devices with separate memory, and across periodic boundaries; also if the sides of a body
// lie a little off the faces, inside or outside.
func TestInterfaceOnFaces(t *testing.T) {
	for _, c := range []struct {
		name     string
		dim      int
		lo, hi   [3]float64
		periodic bool
		size     float64
	}{
		{"square", 2, [3]float64{.25, .25}, [3]float64{.75, .5}, false, 1.5},
		{"cube", 3, [3]float64{.25, .25, .25}, [3]float64{.75, .75, .75}, false, 1.5},
		{"at walls", 2, [3]float64{-1, -1}, [3]float64{.5, .25}, false, .75},
		{"layer at a wall", 3, [3]float64{-1, -1, -1}, [3]float64{2, 2, .125}, false, 1},
		{"layer across a period", 2, [3]float64{-1, -1}, [3]float64{.5, 2}, true, 2},
		{"whole", 3, [3]float64{-1, -1, -1}, [3]float64{2, 2, 2}, true, 0},
		{"one side in cells", 2, [3]float64{.25, .25}, [3]float64{.5, .7}, false, 0},
		{"square off by round-off", 2, [3]float64{.25 + 1e-8, .25 - 1e-8}, [3]float64{.75 + 1e-8, .5 - 2e-8}, false, 1.5},
		{"square off by a 10,000th", 2, [3]float64{.25 + 1e-5, .25}, [3]float64{.75 - 1e-5, .5 + 1e-5}, false, 1.5},
		{"cube of float32", 3, [3]float64{.25 - 1e-8, .25 + 1e-8, .25}, [3]float64{.75 + 1e-8, .75 - 1e-8, .75 + 2e-8},
			false, 1.5},
		{"larger cube", 3, [3]float64{.25 - 1e-5, .25 - 1e-5, .25 - 1e-5}, [3]float64{.75 + 1e-5, .75 + 1e-5, .75 + 1e-5},
			false, 1.5},
		{"smaller cube", 3, [3]float64{.25 + 1e-5, .25 + 1e-5, .25 + 1e-5}, [3]float64{.75 - 1e-5, .75 - 1e-5, .75 - 1e-5},
			false, 1.5},
		{"film of a cell", 3, [3]float64{-1, -1, .25 + 1e-6}, [3]float64{2, 2, .375 - 1e-6}, false, 2},
		{"rod at a wall", 3, [3]float64{-1, .25 - 1e-6, .25 + 1e-7}, [3]float64{2, .375 + 1e-6, .375 - 1e-7}, true, .5},
	} {
		body, err := shape.Box(c.lo, c.hi)
		if c.dim == 2 {
			body, err = shape.Box([3]float64{c.lo[0], c.lo[1], -1}, [3]float64{c.hi[0], c.hi[1], 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, parts := range [][3]int{{1, 1, 1}, {2, 2, 1}, {1, 2, 1}} {
			for _, separate := range []bool{false, true} {
				p := problem{grid: plane(8), body: body, flow: still, cfg: config("myc", "weymouth-yue", .5), parts: parts,
					separate: separate, levels: -1}
				if c.dim == 3 {
					p.grid = space(8)
				}
				p.grid.Periodic = [3]bool{c.periodic, false, false}
				total, measured := 0.0, 0.0
				var mu sync.Mutex
				err := p.run(func(_ int, s Solver) error {
					planes, err := s.interfaceOf().PlanesOf(ctx)
					if err != nil {
						return err
					}
					d, err := s.Diagnose(ctx)
					mu.Lock()
					defer mu.Unlock()
					total, measured = total+sizeOf(planes, c.dim), d.InterfaceSize
					return err
				})
				if err != nil {
					t.Fatal(c.name, err)
				}
				isOff := c.lo[0] != math.Round(8*c.lo[0])/8 || c.lo[2] != math.Round(8*c.lo[2])/8
				wrong := measured != c.size
				if isOff {
					wrong = !(math.Abs(measured-c.size) < 1e-4)
				}
				if c.name != "one side in cells" && wrong || !(math.Abs(total-measured) < 1e-12) {
					t.Errorf("%s, %v, separate %t: size %g, of the planes %g, want %g", c.name, parts, separate, measured, total,
						c.size)
				}
			}
		}
	}
}

// sizeOf returns the total length or area of planes.
func sizeOf(p *plic.Planes, dim int) (sum float64) {
	first := 0
	for _, end := range p.Ends {
		o := p.At(first)
		var area [3]float64
		for k := first + 1; k < end; k++ {
			u := p.At(k)
			if dim == 2 {
				sum += math.Hypot(u[0]-o[0], u[1]-o[1])
				continue
			}
			if k+1 == end {
				break
			}
			v := p.At(k + 1)
			for d := range 3 {
				d1, d2 := (d+1)%3, (d+2)%3
				area[d] += ((u[d1]-o[d1])*(v[d2]-o[d2]) - (u[d2]-o[d2])*(v[d1]-o[d1])) / 2
			}
		}
		sum += math.Sqrt(area[0]*area[0] + area[1]*area[1] + area[2]*area[2])
		first = end
	}
	return sum
}
