package swarm

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

func drawPlaneFlow(rt *rapid.T, c *testCase) {
	sizes := []int{13, 8, 17, 24, 5, 4, 33, 16, 7, 31, 70, 9}
	c.drawFlow(rt, []int{pick(rt, "nx", sizes...), pick(rt, "ny", sizes...)}, 1+below(rt, "steps", 9))
}

func drawSpaceFlow(rt *rapid.T, c *testCase) {
	sizes := []int{7, 5, 8, 4, 9, 11, 17}
	c.drawFlow(rt, []int{pick(rt, "nx", sizes...), pick(rt, "ny", sizes...), pick(rt, "nz", sizes...)},
		1+below(rt, "steps", 4))
}

// drawFlow draws a case of two fluids, with sides of all kinds.
func (c *testCase) drawFlow(rt *rapid.T, n []int, steps int) {
	b := box{n: n}
	for a, count := range n {
		b.length = append(b.length, .1*float64(count))
		b.periodic = append(b.periodic, oneIn(rt, "periodic "+axisNames[a], 3))
	}
	c.Steps, c.End = steps, 1e2
	gravity, velocity := make([]float64, len(n)), ""
	gravity[1] = pick(rt, "gravity", -9.81, 0, 2)
	for a := range n {
		velocity += pick(rt, "velocity", "", fmt.Sprintf(", %c = '0.3*sin(5*y + x)'", "uvw"[a]),
			fmt.Sprintf(", body_%c = 0.7", "uvw"[a]))
	}
	fluids := fmt.Sprintf("fluids = { density = %s, viscosity = %s, surface_tension = %s, gravity = %s }\n",
		pick(rt, "density", "[1000, 1.2]", "1", "[1, 50]"), pick(rt, "viscosity", "[1e-2, 1e-3]", "0", "[0.1, 20]"),
		pick(rt, "tension", "0.07", "0", "10"), list("%v", gravity))
	solid := ""
	if oneIn(rt, "a solid", 3) {
		solid = fmt.Sprintf("solid = [{ shape = '%s' }]\n", drawShape(rt, b))
	}
	for _, name := range []string{"drops", "bubbles"} {
		if oneIn(rt, name, 4) {
			solid += name + pick(rt, "pieces", " = {}\n", " = { every = 0.01, threshold = 0.3 }\n",
				" = { remove_below = 0.02, remove_every = 2 }\n")
		}
	}
	initial := fmt.Sprintf("initial = { shape = '%s'%s }\n", drawShape(rt, b), velocity)
	c.Text = fmt.Sprintf("solver = 'two-phase'\n%stime = { end = %v, max_steps = %d }\n%s%s%s%s",
		b, c.End, steps, fluids, solid, initial, drawFlowSides(rt, b))
	if oneIn(rt, "a gauge", 3) {
		at := make([]float64, len(n))
		for a := range at {
			at[a] = b.length[a] * pick(rt, "position", .5, .01, .37, .99)
		}
		c.Gauges = append(c.Gauges, place{"g0", "at", list("%v", at)})
	}
}

// drawFlowSides draws the section of sides: what flows in can flow out.
func drawFlowSides(rt *rapid.T, b box) string {
	var sides []string
	for a, periodic := range b.periodic {
		if periodic {
			continue
		}
		along := make([]float64, len(b.n))
		along[(a+1)%len(b.n)] = .4
		across := make([]float64, len(b.n))
		across[a] = .5
		wall := fmt.Sprintf("{ kind = 'no-slip', velocity = %s }", list("%v", along))
		low := pick(rt, "low side", "'slip'", "'no-slip'", wall, "'outflow'", "{ kind = 'slip', contact_angle = 40 }")
		high := pick(rt, "high side", "'slip'", "'no-slip'", wall, "'outflow'",
			"{ kind = 'no-slip', contact_angle = 130 }",
			"{ kind = 'outflow', pressure = '30*x - t', fraction = 0 }")
		if strings.Contains(high, "outflow") && oneIn(rt, "inflow", 2) {
			low = fmt.Sprintf("{ kind = 'inflow', velocity = %s, fraction = %s }", list("%v", across),
				pick(rt, "fraction", "0", "1"))
			if oneIn(rt, "varying inflow", 2) {
				low = fmt.Sprintf("{ kind = 'inflow', %c = '0.3 + x*y', factor = '1 + 0.5*sin(20*t)', fraction = 'x < y ? 1 : 0' }",
					"uvw"[a])
			}
		}
		sides = append(sides, fmt.Sprintf("%s_low = %s, %[1]s_high = %s", axisNames[a], low, high))
	}
	if len(sides) == 0 {
		return ""
	}
	return "sides = { " + strings.Join(sides, ", ") + " }\n"
}
