package problem

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

const vofCase = `solver = "vof"
[grid]
bounds = [0, 0, 1, 1]
cells = [32, 32]
[initial]
shape = "circle(0.5, 0.75, 0.15)"
[velocity]
field = "rider-kothe"
[method]
cfl = 0.4
[time]
end = 1
`

func TestVOFDefaults(t *testing.T) {
	c := parse(t, vofCase)
	want := Method{Normal: "elvira", Advect: "ei-le", CFL: 0.4, CFLOf: "axis", Adaptive: true, Exchange: "auto",
		Sweep: "auto", Rebalance: 24, Precision: "float64"}
	if w := c.Sections.(*Sections); w.Method != want || w.Initial.Fractions != "quadrature" {
		t.Errorf("%+v", w)
	}
	if w := parse(t, vofCase, "method.normal=green-gauss").Sections.(*Sections); w.Method.Normal != "youngs" {
		t.Errorf("green-gauss is %s", w.Method.Normal)
	}
	for shape, want := range map[string]Initial{"stl(a.stl)": {Fractions: "quadrature", Levels: 3},
		"union(stl(a.stl), stl(b.stl))": {Fractions: "divide", Levels: 3}} {
		got := parse(t, vofCase, "initial.shape='"+shape+"'").Sections.(*Sections).Initial
		if got.Fractions != want.Fractions || got.Levels != want.Levels {
			t.Errorf("%+v", got)
		}
	}
	const space = "grid={bounds=[0,0,0,1,1,1], cells=[8,8,8]}"
	for _, sets := range [][]string{
		{}, {"velocity={psi='x*y', period=2}"}, {"velocity={u='y', v=0.5, divergence=0.1}"},
		{"initial={shape='x - 0.5', fractions='divide', levels=3, leaf='centre'}"},
		{space, "velocity.field='enright'", "initial.shape='union(sphere(0,0,0,1), torus(0.5,0.5,0.5,0.3,0.1))'"},
		{space, "velocity={u=1,v=0,w=0}", "initial.shape='difference(box(0,0,0,1,1,1), union(x + y, " +
			"cylinder(0.5,0.5,0,0.2,2)))'"},
		{"exact={shape='circle(0.5, 0.5, 0.15)'}"}, {"initial.shape='stl(hull.stl)'", "exact={shape='stl(moved.stl)'}"},
		{"initial.shape='difference(stl(parts/hull.stl), stl(a(b, c).stl))'", "velocity={faces='wind.npz', divergence=1e-6}"},
		{space, "initial.shape='sphere(0,0,0,1)'", "velocity={ax=0, ay='z*x', az='y', period=3}"},
		{"velocity={field='rotation', period=3, factor='exp(-t)'}"}, {"velocity={psi='x', factor='t > 1 ? 0 : 1'}"},
		{"initial.shape='slotted-disk(0.5, 0.75, 0.15, 0.05, 0.85)'", "method={advect='ei-le', cfl=0.9}"},
	} {
		c := parse(t, vofCase, sets...)
		again, err := solvers.Parse("dam.toml", []byte(c.String()), nil)
		if err != nil || again.Hash() != c.Hash() {
			t.Errorf("%s: the printed case differs: %v\n%s", sets, err, c)
		}
	}
}

func TestVOFRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"cfl = 0.4", "advect = 'weymouth-yue'\ncfl = 0.6", `c.toml:11: [method] cfl: 0.6 is more than 0.5`},
		{"cfl = 0.4", "normal = 'lvirra'", `c.toml:10: [method] normal: "lvirra" is not known`},
		{"cfl = 0.4", "normal = 'height'\nsweep = 'tiles'", `c.toml:11: [method] sweep: heights reach too far`},
		{"cfl = 0.4", "clf = 1", `c.toml:10: [method] clf: no such key; did you mean cfl?`},
		{"field = \"rider-kothe\"", "", `c.toml:7: [velocity]: needs field`},
		{"field = \"rider-kothe\"", "field = 'rotation'", `[velocity] period: rotation needs a positive period`},
		{"field = \"rider-kothe\"", "field = 'enright'", `c.toml:8: [velocity] field: enright is a flow of 3 dimensions`},
		{"field = \"rider-kothe\"", "u = 1", `[velocity] v: is required`},
		{"field = \"rider-kothe\"", "u = 1\nv = 1\nw = 0", `c.toml:10: [velocity] w: the grid has no axis z`},
		{"field = \"rider-kothe\"", "psi = 'x'\nu = 'y'", `has psi and u, v and w; leave one`},
		{"field = \"rider-kothe\"", "psi = 'x'\ndivergence = 0.1",
			`c.toml:9: [velocity] divergence: belongs to u, v and w or faces`},
		{"field = \"rider-kothe\"", "psi = 'x*t'", `c.toml:8: [velocity] psi: depends on t; give factor`},
		{"field = \"rider-kothe\"", "u = 't'\nv = 0", `c.toml:8: [velocity] u: depends on t; give factor`},
		{"field = \"rider-kothe\"", "u = 1\nv = 0\nfactor = 'x'", `c.toml:10: [velocity] factor: depends on the position`},
		{"field = \"rider-kothe\"", "u = 1\nv = 0\nperiod = 1\nfactor = 't'",
			`c.toml:11: [velocity] factor: cannot be combined with period`},
		{"circle(0.5, 0.75, 0.15)", "union(x, y - t)", `c.toml:6: [initial] shape: the expression " y - t" depends on t`},
		{"field = \"rider-kothe\"", "faces = ''", `c.toml:8: [velocity] faces: is empty`},
		{"field = \"rider-kothe\"", "faces = 'a.npz'\nax = 1", `c.toml:7: [velocity]: has faces and ax, ay, az; leave one`},
		{"field = \"rider-kothe\"", "ax = 1\nay = 1\naz = 'x'", `[velocity]: ax, ay, az are a vector potential in space`},
		{"circle(0.5, 0.75, 0.15)\"", "complement(stl(a.stl))\"\nfractions = 'quadrature'",
			`c.toml:7: [initial] fractions: quadrature needs smooth`},
		{"circle(0.5, 0.75, 0.15)", "union(stl( ), x)", `c.toml:6: [initial] shape: stl has no file`},
		{"0.15)", "0.15", `c.toml:6: [initial] shape: is not one of the shapes`},
		{"0.15)", ")", `[initial] shape: circle: "" is not a number; write circle(x, y, radius)`},
		{"circle(0.5, 0.75, ", "difference(x, y, ", `difference takes 2 shapes, not 3`},
		{", 0.15)", ")", `[initial] shape: circle has 2 numbers; write circle(x, y, radius)`},
		{"0.15)", "-1)", `[initial] shape: circle: the radius is -1; it must be above 0`},
		{"circle(0.5,", "sphere(0.5, 0,", `[initial] shape: sphere is a shape of 3 dimensions, the grid has 2`},
		{"0.15)\"", "0.15)\"\nlevels = 3", `c.toml:7: [initial] levels: belongs to fractions = "divide"`},
		{"end = 1", "end = 1\n[output]\nformat = ['stl']", `[output] format: stl has only triangles`},
		{"end = 1", "end = 1\n[exact]\nshape = 'circle(1)'", `c.toml:14: [exact] shape: circle has 1 numbers`},
		{"end = 1", "end = 1\n[exact]\nshape = 'union(stl(a.stl), x)'", `c.toml:14: [exact] shape: quadrature needs smooth`},
		{"end = 1", "end = 1\n[exact]", `[exact] shape: is required`},
		{"end = 1", "end = 1\n[mesh]\ncells = 1", `mesh: no such section`},
	} {
		text := strings.Replace(vofCase, c.old, c.new, 1)
		_, err := solvers.Parse("c.toml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %q", c.new, err, c.want)
		}
	}
}

func FuzzVOFShape(f *testing.F) {
	f.Add("union(circle(0, 0, 1), box(0,0,1,1))", false)
	f.Add("difference(torus(0,0,0,1,0.5), x^2)", true)
	f.Add("((", true)
	f.Fuzz(func(t *testing.T, text string, space bool) {
		v := Initial{Shape: text}
		dim := 2
		if space {
			dim = 3
		}
		b, _, err := shape.Parse(v.Shape, dim, nil)
		if err == nil && b.Phi == nil {
			t.Error("neither a body nor an error")
		}
	})
}

func parse(t *testing.T, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := solvers.Parse("cases/dam.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
