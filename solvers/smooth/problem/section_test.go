package problem

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

const smoothCase = `solver = "smooth"
[mesh]
file = "wing.msh"
[metric]
field = "linear"
low = 0.5
high = 0.05
[method]
smoother = "hybrid"
`

func TestSmoothDefaults(t *testing.T) {
	c := parse(t, smoothCase)
	w := c.Sections.(*Sections)
	want := Method{Smoother: "hybrid", Sweeps: 100, Relax: 1, Guard: "halve", Boundary: "slide",
		Colouring: "jones-plassmann", Gain: 1e-6, Precision: "float64"}
	if w.Method != want || w.Stop != (Stop{Every: 10}) || w.Mesh.Order != "hilbert" || !w.Metric.Rescale {
		t.Errorf("%+v", w)
	}
	for _, set := range []string{"metric.field=sinusoidal", "metric={field='uniform'}", "metric={width='0.1+x', height=2}",
		"metric={m11=1, m12='x', m22='2+x*x', samples=64}",
		"metric={solution='a.sol', background='b.mesh', hmin=0.1, hmax=1, gradation=1.3}",
		"metric={hessian={mesh='p'}, aspect=100}", "output.mesh='a.msh'",
		"metric={hessian={mesh='p'}, also='x*y'}",
		"metric={hessian='x*y', norm=4, complexity=1000}", "metric={hessian='x*y', rounds=5}",
		"metric={width=1, height='x', gradation=2}", "method={smoother='pain', force=true}",
		"metric={width=1, height='x', samples=0, gradation=2}",
		"method={smoother='fjp', gain=1e-3, cull=true, settled=1e-4}", "method={smoother='pain'}",
		"method={smoother='pain-exact', guard='none'}", "method={smoother='barrier'}",
		"method={smoother='barrier', relax=1.5, sweeps=7}", "method={smoother='barrier', ridge=0}",
		"method={smoother='barrier', boundary='fixed'}", "method={smoother='barrier', ridge=30, sweeps=3}",
		"mesh={generate='delaunay', bounds=[0,0,1,1], cells=10}"} {
		c := parse(t, smoothCase, set)
		again, err := solvers.Parse("dam.toml", []byte(c.String()), nil)
		if err != nil || again.String() != c.String() || again.Hash() != c.Hash() {
			t.Errorf("%s: the printed case differs: %v\n%s", set, err, c)
		}
	}
}

// TestSmoothExamples proves that the examples are valid cases.
func TestSmoothExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "smooth*.toml"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if _, err := solvers.Load(file, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestSmoothRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"high = 0.05", "", `c.toml:4: [metric] high: is required`},
		{"high = 0.05", "high = 0", `c.toml:7: [metric] high: 0 must be a finite number above 0`},
		{"high = 0.05", "high = 1\nwaves = 2", `c.toml:8: [metric] waves: does not belong to a metric of kind linear`},
		{`"linear"`, `"linaer"`,
			`c.toml:5: [metric] field: "linaer" is not known; choose uniform, implied, linear, sinusoidal or ugawg-linear`},
		{`field = "linear"`, `width = "x"`, `c.toml:4: [metric] height: is required`},
		{`field = "linear"`, `width = "x"`, `c.toml:6: [metric] low: does not belong to a metric of kind sizes`},
		{`field = "linear"`, "field = 'linear'\nm11 = 1",
			`c.toml:6: [metric] m11: cannot be combined with the keys of field`},
		{`field = "linear"`, "width = 1\nheight = 't+1'",
			`c.toml:6: [metric] height: depends on t; write an expression over the position only`},
		{`field = "linear"`, "hessian = 'x*t'", `c.toml:5: [metric] hessian: depends on t`},
		{`field = "linear"`, "width = 1\nm11 = 1", `c.toml:6: [metric] m11: cannot be combined with the keys of sizes`},
		{"high = 0.05", "high = 1\nhmin = 48", `c.toml:8: [metric] hmin: does not belong to a metric of kind linear`},
		{`field = "linear"`, "width = 1\nheight = 1\nhmin = 2\nhmax = 1", `c.toml:7: [metric] hmin: 2 is above hmax = 1`},
		{`field = "linear"`, "width = 1\nheight = 1\nsamples = 2\ngradation = 2",
			`c.toml:8: [metric] gradation: needs sizes at vertices`},
		{`field = "linear"`, "hessian = 'x'\ngradation = 1", `c.toml:6: [metric] gradation: 1 must be above 1`},
		{`field = "linear"`, "hessian = 'x'\naspect = 0.5", `c.toml:6: [metric] aspect: 0.5 must be 1 or more`},
		{`field = "linear"`, "hessian = 'x'\nalso = {raster='x'}", `c.toml:6: [metric] also.mesh: is required`},
		{"high = 0.05", "high = 1\nalso = 'x'", `c.toml:8: [metric] also: does not belong to a metric of kind linear`},
		{`field = "linear"`, "hessian = {raster='x'}", `c.toml:5: [metric] hessian.mesh: is required`},
		{"high = 0.05", "high = 1\nsamples = 48", `c.toml:8: [metric] samples: 48 is not a power of two`},
		{"high = 0.05", "high = 1\nsamples = 16384", `samples: 16384 is not between 0 and 8192`},
		{`"hybrid"`, `"hybird"`, `c.toml:9: [method] smoother: "hybird" is not known; choose pain,`},
		{`"hybrid"`, "'hybrid'\nrelax = 0", `c.toml:10: [method] relax: 0 must be above 0`},
		{`"hybrid"`, "'fjp'\nrelax = 1.5", `c.toml:10: [method] relax: has no effect with smoother = "fjp"`},
		{`"hybrid"`, "'smart'\nguard = 'clip'", `c.toml:10: [method] guard: has no effect with smoother = "smart"`},
		{`"hybrid"`, "'barrier'\ncull = true", `c.toml:10: [method] cull: has no effect with smoother = "barrier"`},
		{`"hybrid"`, "'barrier'\nguard = 'clip'", `c.toml:10: [method] guard: has no effect with smoother = "barrier"`},
		{`"hybrid"`, "'pain'\nridge = 30", `c.toml:10: [method] ridge: has no effect with smoother = "pain", boundary`},
		{`"hybrid"`, "'barrier'\nboundary = 'fixed'\nridge = 30", `c.toml:11: [method] ridge: has no effect with`},
		{`"hybrid"`, "'barrier'\nridge = 91", `c.toml:10: [method] ridge: 91 must be`},
		{`"hybrid"`, "'smart'\nfloor = 0.2",
			`c.toml:10: [method] floor: has no effect with smoother = "smart": it is for hybrid`},
		{`"hybrid"`, "'pain'\ngain = 0.2", `c.toml:10: [method] gain: has no effect with smoother = "pain"`},
		{`"hybrid"`, "'hybrid'\nsettled = 0.2", `c.toml:10: [method] settled: has no effect with cull = false`},
		{`"hybrid"`, "'hybrid'\nrelax = 2", `c.toml:10: [method] relax: 2 must be above 0 and below 2`},
		{`"hybrid"`, "'hybrid'\nrelax = 0", `c.toml:10: [method] relax: 0 must be above 0 and below 2`},
		{`"hybrid"`, "'hybrid'\ngain = 1", `c.toml:10: [method] gain: 1 must be 0 or more and below 1`},
		{`"hybrid"`, "'hybrid'\ncull = true\nsettled = -1", `[method] settled: -1 must be 0 or more and below 1`},
		{`"hybrid"`, "'hybrid'\nsweeps = -1", `[method] sweeps: -1 is not between 0`},
		{`"hybrid"`, "'hybrid'\n[stop]\nevery = 0", `c.toml:11: [stop] every: 0 is not between 1`},
		{`"hybrid"`, "'hybrid'\n[stop]\nmean = 1.5", `c.toml:11: [stop] mean: 1.5 must be between 0 and 1`},
		{`"hybrid"`, "'hybrid'\n[time]\nend = 1", `time: no such section`},
		{`file = "wing.msh"`, "file = 'a.msh'\norder = 'rcm'", `[mesh] order: "rcm" is not known; choose hilbert,`},
	} {
		text := strings.Replace(smoothCase, c.old, c.new, 1)
		_, err := solvers.Parse("c.toml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v\ndoes not say %s", c.new, c.old, err, c.want)
		}
	}
}

func parse(t *testing.T, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := solvers.Parse("cases/dam.toml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
