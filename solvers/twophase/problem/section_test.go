package problem

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestSectionsAreRefused: what the solver does not take is refused, with the key and what to do.
func TestSectionsAreRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"density = [100, 1000]", "density = [100, 0]", "[fluids] density: number 2, 0, must be a finite number above 0"},
		{"density = [100, 1000]", "density = [1, 2, 3]", "[fluids] density: must be a list of 2 numbers"},
		{"density = [100, 1000], ", "", "[fluids] density: is required"},
		{"viscosity = [1, 10]", "viscosity = [-1, 10]", "[fluids] viscosity: number 1, -1, must be a finite number"},
		{"gravity = [0, -0.98]", "gravity = [0, 0, -1]", "[fluids] gravity: must be a list of 2 numbers"},
		{`shape = "circle(0.5, 0.5, 0.25)"`, `shape = "circle(0.5)"`, "[initial] shape"},
		{`shape = "circle(0.5, 0.5, 0.25)"`, `body_u = 1`, "no shape of it"},
		{"cells = [20, 40]", "cells = [20, 40], axisymmetric = 1", "[grid] axisymmetric"},
		{`y_low = "no-slip"`, `y_low = "wall"`, "[sides] y_low"},
		{`y_low = "no-slip"`, `z_low = "no-slip"`, "z_low"},
		{`y_low = "no-slip"`, `y_low = "inflow"`, "an inflow needs its velocity"},
		{`y_low = "no-slip"`, `y_low = { kind = "inflow" }`, "velocity"},
		{`y_low = "no-slip"`, `y_low = { kind = "no-slip", velocity = [0, 1] }`, "a wall moves along itself only"},
		{`y_low = "no-slip"`, `y_low = { kind = "no-slip", fraction = 1 }`, "applies only to kinds inflow and outflow"},
		{`y_low = "no-slip"`, `y_low = { kind = "outflow", contact_angle = 60 }`, "applies only to kinds slip and no-slip"},
		{`y_low = "no-slip"`, `y_low = { kind = "slip", contact_angle = 5 }`, "y_low.contact_angle"},
		{"time = {", "drops = { size = 1 }\ntime = {", "[drops] size"},
		{"time = {", "bubbles = { threshold = 1 }\ntime = {", "[bubbles] threshold"},
		{"time = {", "solid = [{ shape = 'disk' }]\ntime = {", "[[solid]] shape"},
		{"time = {", "solid = [{}]\ntime = {", "[[solid]] shape: is required"},
		{"time = {", "solid = [{ shape = 'circle(0, 0, 1)', angle = 3 }]\ntime = {", "angle"},
		{`y_low = "no-slip"`, `y_low = { kind = "no-slip", u = 1 }`, "applies only to kind inflow"},
		{`y_low = "no-slip"`, `y_low = { kind = "inflow", velocity = [0, 1], v = 1 }`, "leave out one of them"},
		{`y_low = "no-slip"`, `y_low = { kind = "inflow", v = 1, pressure = 1 }`, "applies only to kind outflow"},
		{`y_low = "no-slip"`, `y_low = { kind = "inflow", v = 1, fraction = 2 }`, "2 must be from 0 to 1"},
		{`y_low = "no-slip"`, `y_low = { kind = "outflow", factor = 2 }`, "applies only to kind inflow"},
		{`y_low = "no-slip"`, `y_low = { kind = "inflow", v = "1 +" }`, "y_low.v"},
		{"cells = [20, 40]", `cells = [20, 40], periodic = ["y"]`, "[sides] y_low"},
		{"time = {", "method = { cfl = 0.9 }\ntime = {", "[method] cfl"},
	} {
		text := strings.Replace(cases["bubble"], c.old, c.new, 1)
		_, err := solvers.Parse("case.toml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.new, err, c.want)
		}
	}
}

// TestGridsAreRefused: grids and flows that the method cannot take are refused before arrays are allocated.
func TestGridsAreRefused(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"grid.cells=[20, 50]", "squares or cubes"},
		{"grid={bounds=[0, 0, 20, 3], cells=[20, 3]}", "at least 4"},
		{"grid={bounds=[1, 0, 2, 2], cells=[20, 40], axisymmetric=true}", "from x = 0, the axis"},
		{`sides.y_low={kind="inflow", velocity=[0, 1]}`, "no side is an outflow"},
		{`sides.y_low={kind="inflow", v="t"}`, "no side is an outflow"},
		{`solid=[{shape="box(-1, -1, 3, 3)"}]`, "[[solid]] leaves no cell for fluid"},
		{`solid=[{shape="stl(no.stl)"}]`, "no.stl"},
		{`sides={x_low={kind="inflow", u=1, fraction="2*y"}, x_high="outflow"}`, "must be from 0 to 1"},
		{`sides={x_low={kind="inflow", u="1/(y-y)"}, x_high="outflow"}`, "[sides]"},
		{`sides={x_low={kind="inflow", u=1, factor={series="no.csv"}}, x_high="outflow"}`, "no.csv"},
	} {
		_, err := runtest.Run(t, cases["bubble"], 1, 1, runtest.Local, t.TempDir(), c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.set, err, c.want)
		}
	}
}

// TestPrintedCasesAreRead: a case as it is printed is the same case.
func TestPrintedCasesAreRead(t *testing.T) {
	for name, text := range cases {
		c := runtest.Parse(t, text)
		again := runtest.Parse(t, c.String())
		if c.String() != again.String() || c.Hash() != again.Hash() {
			t.Errorf("%s:\n%s\nis read as\n%s", name, c.String(), again.String())
		}
	}
}

// TestAxisIsNoWall: what only a wall has is refused of the axis, and axisymmetric flow in space.
func TestAxisIsNoWall(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"pipe", "[sides]", "[sides]\nx_low = 'no-slip'", "x_low is the axis of axisymmetric flow: leave it out"},
		{"pipe", "[sides]", "[sides]\nx_low = { kind = 'slip', contact_angle = 60 }", "x_low is the axis"},
		{"drop", "cells =", "axisymmetric = true, cells =", "axisymmetric flow is in the plane"},
	} {
		_, err := runtest.Run(t, strings.Replace(cases[c.name], c.old, c.new, 1), 1, 1, runtest.Local, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.new, err, c.want)
		}
	}
}
