package hydraulics

import (
	"math"
	"testing"
)

const gravity = 9.81

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestInlets: a box that is not submerged takes the critical flow of its head, and the formulas for pipes are close to
// it.
func TestInlets(t *testing.T) {
	box := Barrel{Width: 2, Height: 1.5}
	critical := 2 * math.Sqrt(gravity) * math.Pow(2.0/3*.8, 1.5)
	near(t, "box at a head of .8 m", box.Inlet(gravity, .8), critical, 1e-3)
	// Critical flow in a circle of 1 m with a depth of .5 m: A = π/8, width 1, so that u² = gπ/8 and the head is
	// .5 + π/16.
	pipe := Barrel{Diameter: 1}
	near(t, "pipe", pipe.Inlet(gravity, .5+math.Pi/16), math.Pi/8*math.Sqrt(gravity*math.Pi/8), .06)
	near(t, "critical depth of a pipe", pipe.Critical(gravity, math.Pi/8*math.Sqrt(gravity*math.Pi/8)), .5, 1e-9)
	near(t, "critical depth of a box", box.Critical(gravity, critical), 2.0/3*.8, 1e-3)
	for _, b := range []Barrel{box, pipe} {
		for head := .05; head < 20; head *= 1.1 {
			if b.Inlet(gravity, head) >= b.Inlet(gravity, 1.1*head) {
				t.Errorf("%+v: the discharge does not rise at a head of %g m", b, head)
			}
		}
		if depth := b.Critical(gravity, 1e6); depth != b.top() {
			t.Errorf("%+v: critical depth %g of a huge discharge", b, depth)
		}
	}
}

func TestSections(t *testing.T) {
	pipe, box := Barrel{Diameter: 2, Manning: .012, Length: 50}, Barrel{Width: 3, Height: 2}
	for _, c := range []struct {
		b                   *Barrel
		depth, area, radius float64
	}{
		{&pipe, 1, math.Pi / 2, .5}, {&pipe, 2, math.Pi, .5}, {&pipe, 5, math.Pi, .5}, {&pipe, 0, 0, 0},
		{&box, 1, 3, 3. / 5}, {&box, 2, 6, 6. / 10}, {&box, 3, 6, 6. / 10},
	} {
		area, radius := c.b.Section(c.depth)
		if math.Abs(area-c.area) > 1e-12 || math.Abs(radius-c.radius) > 1e-12 {
			t.Errorf("%+v at %g m: area %g, radius %g, want %g, %g", *c.b, c.depth, area, radius, c.area, c.radius)
		}
	}
	near(t, "friction of a full pipe", pipe.Friction(2), .012*.012*50/math.Pow(.5, 4./3), 1e-12)
}

// TestCurves: between rows the functions are within .5% of the formulas where heads are not tiny.
func TestCurves(t *testing.T) {
	for _, b := range []Barrel{{Diameter: 1.2, Length: 30}, {Width: 3, Height: 1, Length: 9}} {
		c := b.curves(gravity)
		for k := range len(c.Inlet) - 1 {
			head := (c.Inlet[k].T + c.Inlet[k+1].T) / 2
			if head < .05*b.top() {
				continue
			}
			near(t, "inlet", (c.Inlet[k].Value+c.Inlet[k+1].Value)/2, b.Inlet(gravity, head), .005)
		}
	}
}

func TestBarrelsAreChecked(t *testing.T) {
	for _, b := range []Barrel{{}, {Diameter: 1, Width: 1, Length: 1, Losses: 1}, {Width: 1, Length: 1, Losses: 1},
		{Diameter: 1, Losses: 1}, {Diameter: 1, Length: 1}, {Diameter: -1, Length: 1, Losses: 1}} {
		if b.check() == nil {
			t.Errorf("%+v is accepted", b)
		}
	}
}

// TestShallowPipes: the deeper the water in front of a pipe, the more its losses permit to flow, from the shallowest
// on, in pipes that are wide compared with the water too.
func TestShallowPipes(t *testing.T) {
	for _, diameter := range []float64{.3, 2, 25} {
		b := Barrel{Diameter: diameter, Length: 20, Manning: .013, Losses: 1.5}
		near(t, "critical depth of a specific energy", b.criticalAt(diameter*(.5+math.Pi/16)), .5*diameter, 1e-9)
		c := b.curves(gravity)
		before := 0.0
		for k := 1; k < len(c.Critical) && c.Critical[k].T < diameter; k++ {
			head, depth := c.Critical[k].T, c.Critical[k].Value
			area, _ := b.Section(depth)
			q := area * math.Sqrt((head-depth)/(b.Losses/(2*gravity)+b.Friction(depth)))
			if !(q > before) || depth >= head {
				t.Errorf("diameter %g m: %g m³/s at a head of %g m after %g m³/s", diameter, q, head, before)
			}
			before = q
		}
	}
}
