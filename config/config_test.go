package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/remesh"
	"github.com/atoll-hpc/atoll/solvers/shallow/problem"
	"github.com/atoll-hpc/atoll/solvers/shallow/soils"
	smooth "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	vof "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// dam is the smallest case.
const dam = `solver = "shallow-water"
[mesh]
generate = "rectangle"
bounds = [-5, -5, 5, 5.5]
cells = 64800
[physics]
density_ratio = 0.5
[initial]
depth = "6"
h1 = "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5"
h2 = "depth - h1"
[time]
end = 0.1
`

// solvers are the decoders of the solvers whose cases these tests read.
var solvers = map[string]config.Decoder{"shallow-water": problem.Decode, "smooth": smooth.Decode, "vof": vof.Decode}

func parse(t *testing.T, text string, sets ...string) *config.Case {
	t.Helper()
	c, err := config.Parse("cases/dam.toml", []byte(text), sets, solvers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	c := parse(t, dam)
	w := c.Sections.(*problem.Sections)
	programs := map[string]string{}
	for i := range w.Initial {
		programs[w.Initial[i].Name] = w.Initial[i].Program.String()
		w.Initial[i].Program = nil
	}
	w.Forcing.Coefficients["manning"].Program = nil
	want := &config.Case{
		Solver: "shallow-water", Name: "dam",
		Time: config.Time{End: 0.1},
		Output: config.Output{Fields: []string{"h1", "h2", "z1"}, Format: []string{"vtu"}, Dir: "out/dam",
			Files:             "one",
			ConservationEvery: 10},
		Sections: &problem.Sections{
			Maxima: problem.Maxima{Threshold: .01},
			Mesh: config.Mesh{Generate: "rectangle", Bounds: [4]float64{-5, -5, 5, 5.5}, Cells: 64800, Seed: 7, Order: "rcm",
				Partition: "hilbert"},
			Physics: problem.Physics{Scheme: "pvm-ifcp", Order: 2, Layers: 2, DensityRatio: 0.5, Gravity: 9.81, CFL: 0.9,
				Precision: "float64", EntropyFix: 0.05, LocalSteps: 1},
			Initial: []config.Field{{Name: "depth", Expr: "6", Direction: "down", Unit: "m"},
				{Name: "h1", Expr: "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5", Unit: "m"},
				{Name: "h2", Expr: "depth - h1", Unit: "m"}, {Name: "u1", Expr: "0", Unit: "m/s"},
				{Name: "v1", Expr: "0", Unit: "m/s"}, {Name: "u2", Expr: "0", Unit: "m/s"},
				{Name: "v2", Expr: "0", Unit: "m/s"}},
			Boundary: problem.Boundary{Default: "wall", Groups: map[string]string{}, Given: map[string]problem.Given{}},
			Forcing: problem.Forcing{Drag: problem.Drag{Law: "constant", Constant: 0.0013, Most: 0.0035, AirDensity: 0.0012},
				WaterDensity: 1025, Soil: soils.Section{InitialAbstraction: .2},
				Coefficients: map[string]*config.Field{"manning": {Name: "manning", Expr: "0", Unit: "s/m^(1/3)"}}},
			Adapt: problem.Adapt{Options: remesh.Options{Growth: .3, Reach: 3, Share: .01}},
		},
	}
	if !reflect.DeepEqual(c.Sections,
		want.Sections) || c.Solver != want.Solver || c.Name != want.Name || c.Time != want.Time ||
		!reflect.DeepEqual(c.Output, want.Output) || c.Path("bed.asc") != "cases/bed.asc" {
		t.Errorf("got  %+v\n%+v\nwant %+v\n%+v", c, c.Sections.(*problem.Sections), want, want.Sections)
	}
	if programs["h2"] != "depth - h1" {
		t.Error(programs)
	}
	if got := c.Path("bed.asc"); got != "cases/bed.asc" {
		t.Error(got)
	}
	if got := c.Path("/data/bed.asc"); got != "/data/bed.asc" {
		t.Error(got)
	}
}

// full sets every key, in another style of TOML.
const full = `
solver = 'shallow-water'
name = "Strait of 2025"
title = "Exchange \"flow\""
mesh = { file = "strait.msh", refine = 2, order = "hilbert", partition = "metis", seed = 11 }
physics.scheme = "roe"
physics.density_ratio = 1
physics.gravity = 9.8
physics.cfl = 0.5
physics.precision = "float32"
physics.entropy_fix = 0
physics.dry_depth = 1e-3
physics.manning = { raster = "n.asc" }
physics.interlayer_friction = true
gauge = [ # two gauges
  { name = "east", at = [1, 2.5] },
  { name = "west", at = [-1, 0], every = 0.5 },
]
[initial]
depth = { raster = "bed.asc", nodata = -999.5, positive = "up" }
z1 = 0
z2 = { mesh = "interface", positive = "down" }
u1 = "0.1*v2"
v1 = 1.5
u2 = "u1 + z1"
v2 = "x > 0 ? 1 : y"
[boundary]
default = "open"
"east coast" = "wall"
"1.5" = "open"
[time]
end = 3600
max_steps = 100
[output]
every = 60.0
fields = ["u1", "depth"]
format = ["vtu"]
dir = "/tmp/x"
conservation_every = 10
`

func TestFullCase(t *testing.T) {
	c := parse(t, full)
	w := c.Sections.(*problem.Sections)
	var order []string
	for _, f := range w.Initial {
		order = append(order, f.Name)
	}
	// v2 comes before u1, which uses it.
	if got := strings.Join(order, " "); got != "depth z1 z2 v1 v2 u1 u2" {
		t.Errorf("order %s", got)
	}
	u2 := w.Initial[6].Program
	if v, err := u2.Eval(0, 0, 0, 0, 100, 2, 0, 0, 0, 3); v != 5 || err != nil {
		t.Errorf("u2 = %v, %v", v, err)
	}
	depth, z2 := w.Initial[0], w.Initial[2]
	if !slices.Equal(depth.Rasters, []string{"bed.asc"}) || depth.Sign() != -1 ||
		z2.Mesh != "interface" || z2.Sign() != -1 {
		t.Errorf("%+v, %+v", depth, z2)
	}
	if want := map[string]string{"east coast": "wall", "1.5": "open"}; !reflect.DeepEqual(w.Boundary.Groups, want) {
		t.Errorf("%v", w.Boundary)
	}
	gauges := []config.Gauge{{Name: "east", At: []float64{1, 2.5}, Dim: 2},
		{Name: "west", At: []float64{-1, 0}, Dim: 2, Every: 0.5}}
	if !reflect.DeepEqual(c.Gauges, gauges) {
		t.Errorf("%v", c.Gauges)
	}
	if c.Name != "Strait of 2025" || c.Output.Dir != "/tmp/x" || w.Mesh.Refine != 2 ||
		!slices.Equal(w.Forcing.Coefficients["manning"].Rasters, []string{"n.asc"}) {
		t.Errorf("%+v %+v", c, w)
	}
}

// TestStringReadsBack proves that a printed case is a case file with the same meaning, for every style of the text.
func TestStringReadsBack(t *testing.T) {
	oneLayer := strings.NewReplacer("density_ratio = 0.5", "layers = 1\nmanning = 0.03", "h1 =", "h =",
		`h2 = "depth - h1"`, `v = "h+x"`).Replace(dam)
	surface := strings.NewReplacer("\nh = ", "\nz = ", "h+x", "surface+z").Replace(oneLayer)
	given := strings.Replace(oneLayer, "[time]", "[boundary]\nleft = { level = -0.25 }\nright = { discharge = 3 }\n"+
		"sea = { radiation = 0, incident = 'sin(t)' }\nmouth = { level = { series = 'a.csv', column = 'b', hold = true } }"+
		"\na = 'critical'\nb = { normal = 0.001 }\nc = { rating = 'c.xlsx', sheet = 'a', column = 'q' }\n"+
		"d = { inflow = '2*t', depth = 0.1 }\n"+
		"e = { critical = true }\nf = { discharge = { series = 'a.xlsx', sheet = 'b c', formula = '2*q', steps = true } }\n"+
		"[time]", 1)
	gauges := oneLayer + "\n[[gauge]]\nname = 'l'\nline = [[0, 0], [1, 2], [3, 2.5]]\npoints = 7\n" +
		"[[gauge]]\nfile = 'p.xyz'\n" +
		"[[gauge]]\nname = 'm'\nat = [0, 1]\nmeasured = 'm.csv'\n[[gauge]]\nname = 'n'\nat = [0, 1]\n" +
		"measured = { series = 'm.xlsx', sheet = 's', column = 'a', field = 'z' }\n" +
		"[[transect]]\nname = 'mouth'\nline = [[0, 0], [1, 2]]\nevery = 2\n"
	for _, text := range []string{dam, full, oneLayer, surface, given, gauges} {
		c := parse(t, text)
		again := parse(t, c.String())
		if c.Hash() != again.Hash() || c.Hash() == "" {
			t.Errorf("case\n%s\nreads back as\n%s", c, again)
		}
		for _, each := range []*config.Case{c, again} {
			for i := range each.Sections.(*problem.Sections).Initial {
				each.Sections.(*problem.Sections).Initial[i].Program = nil
			}
			each.Sections.(*problem.Sections).Forcing.Coefficients["manning"].Program = nil
			for key, g := range each.Sections.(*problem.Sections).Boundary.Given {
				if g.Depth != nil {
					g.Depth.Program = nil
				}
				if g.Value != nil {
					g.Value.Program = nil
				}
				if g.Wave != nil {
					g.Wave.Program = nil
				}
				each.Sections.(*problem.Sections).Boundary.Given[key] = g
			}
		}
		again.Name = c.Name
		if !reflect.DeepEqual(c, again) {
			t.Errorf("case\n%+v\nreads back as\n%+v", c, again)
		}
	}
}

func TestHashDependsOnKeysOnly(t *testing.T) {
	hashes := map[string]string{}
	for _, set := range []string{"name=a", "title=a", "time.end=1", "time.max_steps=5", "output.every=0.5", "output.dir=a",
		"physics.cfl=0.8", "output.fields=['h1']", "gauge=[{name='a',at=[0,0]}]", "mesh.seed=8", "mesh.refine=1",
		"physics.manning=x", "initial.u1=x",
		"boundary.coast=open", "boundary.default=open", "physics.interlayer_friction=true", "mesh.order=natural",
		"solver=shallow-water"} {
		hash := parse(t, dam, set).Hash()
		if other, ok := hashes[hash]; ok {
			t.Errorf("%s and %s have the same hash", set, other)
		}
		hashes[hash] = set
	}
	base := parse(t, dam).Hash()
	for _, set := range []string{"physics.cfl=0.90", "time.end=1e-1", "initial.depth=6", "physics.manning=0",
		"mesh.bounds=[-5.0,-5,5,5.5]"} {
		if got := parse(t, dam, set).Hash(); got != base {
			t.Errorf("%s changes the hash", set)
		}
	}
	c, err := config.Parse("/elsewhere/dam.toml", []byte("# comment\n"+dam), nil, solvers)
	if err != nil || c.Hash() != base {
		t.Errorf("folder or comment changes the hash: %v", err)
	}
}

func TestSign(t *testing.T) {
	for directions, want := range map[[2]string]float64{
		{"down", "down"}: 1, {"down", "up"}: -1, {"up", "up"}: 1, {"up", "down"}: -1, {}: 1,
	} {
		f := config.Field{Direction: directions[0], Positive: directions[1]}
		if got := f.Sign(); got != want {
			t.Errorf("quantity positive %s, raster positive %s: sign %v, want %v", f.Direction, f.Positive, got, want)
		}
	}
}
