package swarm

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"pgregory.net/rapid"
)

// box is a grid of a case.
type box struct {
	n        []int
	length   []float64
	periodic []bool
}

var axisNames = []string{"x", "y", "z"}

// drawBox draws the shape of the cells and the periodic axes.
func drawBox(rt *rapid.T, n []int) box {
	b := box{n: n}
	for a, count := range n {
		side := .1
		if oneIn(rt, "stretched "+axisNames[a], 4) {
			side = .17
		}
		b.length = append(b.length, side*float64(count))
		b.periodic = append(b.periodic, oneIn(rt, "periodic "+axisNames[a], 3))
	}
	return b
}

// String formats the section.
func (b box) String() string {
	var periodic []string
	for a, is := range b.periodic {
		if is {
			periodic = append(periodic, axisNames[a])
		}
	}
	bounds := append(make([]float64, len(b.n)), b.length...)
	return fmt.Sprintf("grid = { bounds = %s, cells = %s, periodic = %s }\n", list("%v", bounds), list("%v", b.n),
		list("'%s'", periodic))
}

func drawPlane(rt *rapid.T, c *testCase) {
	sizes := []int{13, 8, 17, 24, 5, 1, 3, 33, 16, 7, 31, 2, 9}
	n := []int{pick(rt, "nx", sizes...), pick(rt, "ny", sizes...)}
	c.drawGridCase(rt, drawBox(rt, n), 1+below(rt, "steps", 40))
}

func drawSpace(rt *rapid.T, c *testCase) {
	sizes := []int{7, 5, 8, 3, 9, 1, 2, 11}
	n := []int{pick(rt, "nx", sizes...), pick(rt, "ny", sizes...), pick(rt, "nz", sizes...)}
	c.drawGridCase(rt, drawBox(rt, n), 1+below(rt, "steps", 12))
}

// drawStrip draws a long grid, whose blocks can have deep ghosts. The body mostly moves along it, farther than these
// ghosts reach, so that any that are out of date are found.
func drawStrip(rt *rapid.T, c *testCase) {
	c.Thick = 1 + below(rt, "blocks", 3)
	long := (73+below(rt, "surplus", 9))*c.Thick - below(rt, "odd", 2)
	b := box{n: []int{long, 3 + below(rt, "ny", 3)}, periodic: []bool{!oneIn(rt, "walls", 4), false}}
	velocity := "velocity = { u = '1', v = '0'"
	if oneIn(rt, "upright", 3) {
		b.n[0], b.n[1], b.periodic[0], b.periodic[1] = b.n[1], b.n[0], b.periodic[1], b.periodic[0]
		velocity = "velocity = { u = '0', v = '-1'"
	}
	b.length = []float64{.1 * float64(b.n[0]), .1 * float64(b.n[1])}
	c.drawGridCase(rt, b, 180+below(rt, "steps", 80))
	if !oneIn(rt, "other velocity", 3) {
		c.Sets = append(c.Sets, strings.Replace(velocity, " = ", "=", 1)+pick(rt, "course", "", ", factor = '1/(1 + 0.1*t)'")+
			" }")
	}
}

// drawGridCase draws a case of a solver for grids.
func (c *testCase) drawGridCase(rt *rapid.T, b box, steps int) {
	c.Steps, c.End = steps, 1e2
	if c.Thick == 0 && oneIn(rt, "ends in time", 4) {
		c.End = .03 * float64(steps)
	}
	fractions := ""
	if c.Solver == "vof" {
		fractions = ", fractions = 'divide', levels = 2"
	}
	c.Text = fmt.Sprintf("solver = '%s'\n%stime = { end = %v, max_steps = %d }\ninitial = { shape = '%s'%s }\n%s",
		c.Solver, b, c.End, steps, drawShape(rt, b), fractions, c.drawVelocity(rt, b))
	for k := range below(rt, "gauges", 3) {
		at := make([]float64, len(b.n))
		for a := range at {
			at[a] = b.length[a] * pick(rt, "position", .5, .01, .37, .99)
		}
		c.Gauges = append(c.Gauges, place{fmt.Sprint("g", k), "at", list("%v", at)})
	}
}

// drawShape draws a body: many of them, so that most cells are near an interface, or one.
func drawShape(rt *rapid.T, b box) string {
	lx, ly := b.length[0], b.length[1]
	wave := func(l float64) float64 { return 2 * math.Pi * float64(1+below(rt, "waves", 4)) / l }
	if len(b.n) == 3 {
		lz := b.length[2]
		return pick(rt, "shape",
			fmt.Sprintf("sphere(%g, %g, %g, %g)", .4*lx, .6*ly, .5*lz, .3*min(lx, ly, lz)),
			fmt.Sprintf("sin(%g*x)*sin(%g*y + 1)*sin(%g*z + 1) - 0.1", wave(lx), wave(ly), wave(lz)),
			fmt.Sprintf("z - %g - 0.1*sin(%g*x + %g*y)", .52*lz, wave(lx), wave(ly)),
			fmt.Sprintf("box(%g, %g, %g, %g, %g, %g)", .2*lx, .2*ly, .3*lz, .7*lx, .6*ly, .8*lz))
	}
	return pick(rt, "shape",
		fmt.Sprintf("circle(%g, %g, %g)", .4*lx, .6*ly, .35*min(lx, ly)),
		fmt.Sprintf("sin(%g*x)*sin(%g*y + 1) - 0.1", wave(lx), wave(ly)),
		fmt.Sprintf("y - %g - %g*sin(%g*x)", .52*ly, .3*ly, wave(lx)),
		fmt.Sprintf("union(circle(%g, %g, %g), box(%g, %g, %g, %g))", .1*lx, .5*ly, .3*min(lx, ly), .3*lx, .2*ly, .9*lx,
			.7*ly),
		fmt.Sprintf("x - %g", .515*lx))
}

// drawVelocity draws a velocity of about 1 m/s.
func (c *testCase) drawVelocity(rt *rapid.T, b box) string {
	k := make([]float64, 3)
	for a, l := range b.length {
		k[a] = 2 * math.Pi / l
	}
	factor := pick(rt, "factor", "", ", period = 3", ", factor = 'cos(2*t)'", ", factor = '1/(1 + t)'")
	if len(b.n) == 3 {
		switch below(rt, "velocity", 4) {
		case 0:
			return fmt.Sprintf("velocity = { u = '1', v = '-0.7', w = '0.4'%s }\n", factor)
		case 1:
			s := 1 / max(k[0], k[1], k[2])
			return fmt.Sprintf("velocity = { ax = '%g*sin(%g*y)*cos(%g*z)', ay = '%g*sin(%g*z)', az = '%g*cos(%g*x)'%s }\n", s,
				k[1], k[2], s, k[2], s, k[0], factor)
		case 2:
			return c.velocitySeries(rt, b)
		}
		return "velocity = { field = 'shear', period = 3 }\n"
	}
	switch below(rt, "velocity", 4) {
	case 0:
		return fmt.Sprintf("velocity = { u = '1', v = '-0.6'%s }\n", factor)
	case 1:
		return fmt.Sprintf("velocity = { psi = '%g*sin(%g*x)*sin(%g*y)'%s }\n", 1/max(k[0], k[1]), k[0], k[1], factor)
	case 2:
		return c.velocitySeries(rt, b)
	}
	return "velocity = { field = 'rider-kothe', period = 2 }\n"
}

// velocitySeries writes velocities at three times, uniform in space.
func (c *testCase) velocitySeries(rt *rapid.T, b box) string {
	var names []string
	for n, v := range []float64{1, pick(rt, "later", .3, -.5), .8} {
		names = append(names, fmt.Sprintf("u%d.npz", n))
		u := []float64{v, -.4 * v, .3}
		c.Files[names[n]] = faces(b.n, u[:len(b.n)])
	}
	return fmt.Sprintf("velocity = { faces = %s, times = [0, 0.4, %v] }\n", list("'%s'", names), c.End+1)
}

// faces returns a file of numpy.savez with a uniform velocity on the faces of a grid.
func faces(cells []int, u []float64) []byte {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for axis, v := range u {
		w, err := archive.Create(string("uvw"[axis]) + ".npy")
		if err != nil {
			panic(err) // a buffer accepts all writes
		}
		var shape []string
		count := 1
		for a := len(cells) - 1; a >= 0; a-- {
			n := cells[a]
			if a == axis {
				n++
			}
			count *= n
			shape = append(shape, fmt.Sprint(n))
		}
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", strings.Join(shape, ", "))
		head += strings.Repeat(" ", 117-len(head)) + "\n" // with the 10 bytes before it, 128 bytes
		data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
		data = append(data, head...)
		for range count {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		_, _ = w.Write(data)
	}
	_ = archive.Close()
	return file.Bytes()
}
