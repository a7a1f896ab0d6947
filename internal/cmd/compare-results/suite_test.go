package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/levelset"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem"
	_ "github.com/atoll-hpc/atoll/solvers/shallow/problem"
	_ "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	"github.com/atoll-hpc/atoll/solvers/vof"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// TestOwnCases: all variants of this program's cases are valid, and together they cover each method in both precisions,
// runs on one rank and on three, and each output format.
func TestOwnCases(t *testing.T) {
	dir := t.TempDir()
	tasks, err := suite(dir, filepath.Join(dir, "no examples"), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	files, covered, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, w := range tasks {
		if names[w.name()] {
			t.Errorf("%s: another case has the same folder", w.label)
		}
		names[w.name()] = true
		if w.resultIsStdout || w.skip != "" {
			continue
		}
		var sets []string
		ranks := "1"
		for i, arg := range w.args[:len(w.args)-1] {
			switch arg {
			case "--set":
				sets = append(sets, w.args[i+1])
			case "--ranks":
				ranks = w.args[i+1]
			}
		}
		c, err := solvers.Load(w.file, sets)
		if err != nil {
			t.Errorf("%s: %v", w.label, err)
			continue
		}
		var effective effectiveCase
		if err := toml.Unmarshal([]byte(c.String()), &effective); err != nil {
			t.Fatalf("%s: %v", w.label, err)
		}
		files[w.file] = true
		for _, f := range effective.features() {
			covered[f], covered[f+", ranks: "+ranks] = true, true
		}
	}
	if len(files) < 20 {
		t.Errorf("got %d case files, want 20 or more", len(files))
	}
	for _, f := range wantedFeatures() {
		if !covered[f] {
			t.Errorf("no case covers %q", f)
		}
	}
}

// effectiveCase has the values, including defaults, of the keys that features uses.
type effectiveCase struct {
	Solver  string
	Mesh    struct{ Generate string }
	Grid    struct{ Cells []int }
	Initial struct{ Shape string }
	Physics struct {
		Scheme, Precision string
		Layers            int
	}
	Boundary struct{ Default string }
	Method   struct{ Normal, Advect, Sweep, Precision, Smoother, Colouring, Guard, Reinit, Correct string }
	Metric   map[string]any
	Output   struct {
		Format []string
		Mesh   string
	}
	Gauge []map[string]any
}

// features returns the features that a case covers, as wantedFeatures names them.
func (c *effectiveCase) features() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, f := range c.Output.Format {
		add("%s as %s", c.Solver, f)
	}
	if len(c.Gauge) > 0 {
		add("gauges of %s", c.Solver)
	}
	dim := len(c.Grid.Cells)
	add("%s %s", c.Physics.Scheme, c.Physics.Precision)
	add("layers: %d", c.Physics.Layers)
	add("sides are %s", c.Boundary.Default)
	add("%s %s in %dD", c.Method.Normal, c.Method.Precision, dim)
	add("%s by %s", c.Method.Advect, c.Method.Sweep)
	add("%s with reinit %s in %dD", c.Method.Advect, c.Method.Reinit, dim)
	add("corrections %s, %s", c.Method.Correct, c.Method.Precision)
	if strings.Contains(c.Initial.Shape, "stl(") {
		add("a body from a file in %dD", dim)
	}
	space := "plane"
	if c.Mesh.Generate == "box" {
		space = "space"
	}
	add("%s in the %s", c.Method.Smoother, space)
	add("%s in the %s", c.Method.Colouring, space)
	add("guard %s", c.Method.Guard)
	if c.Metric != nil {
		add("%s in the %s", c.Method.Precision, space)
	}
	for key, value := range c.Metric {
		if add("metric by %s in the %s", key, space); key == "field" {
			add("metric %s in the %s", value, space)
		}
	}
	add("a mesh as %s", filepath.Ext(c.Output.Mesh))
	return list
}

func wantedFeatures() (list []string) {
	list = []string{"shallow-water as vtu", "vof as vti", "vof as vtp", "vof as plic", "vof as stl", "smooth as vtu",
		"gauges of shallow-water", "gauges of vof", "layers: 1", "layers: 2", "sides are wall", "sides are open",
		"ei-le by auto", "ei-le by tiles", "weymouth-yue by tiles", "a body from a file in 2D", "a body from a file in 3D",
		"guard none", "guard halve", "guard clip", "metric by width in the plane", "metric by m11 in the plane",
		"metric by hessian in the plane", "metric by solution in the plane", "metric linear in the plane",
		"metric uniform in the plane", "metric by depth in the space", "metric by hessian in the space", "a mesh as .vtu",
		"a mesh as .msh", "a mesh as .mesh", "a mesh as .meshb", "weno with reinit weno in 3D",
		"weno with reinit sweep in 2D", "semi-lagrangian with reinit weno in 2D", "corrections fused, float64, ranks: 3",
		"corrections fused, float32", "corrections sorted, float32"}
	for _, reinit := range levelset.Reinits {
		list = append(list, "semi-lagrangian with reinit "+reinit+" in 3D")
	}
	for _, format := range []string{"vti", "vtp", "stl", "obj", "particles", "vdb"} {
		list = append(list, "level-set as "+format, "level-set as "+format+", ranks: 3")
	}
	for _, scheme := range []string{"roe", "ir-roe", "pvm-ifcp"} {
		list = append(list, scheme+" float64", scheme+" float32", scheme+" float64, ranks: 3")
	}
	for _, normal := range vof.Normals {
		list = append(list, normal+" float64 in 2D", normal+" float32 in 2D")
		if dim := " in 3D"; !slices.Contains([]string{"elvira", "lvira"}, normal) { // these two are slow in 3D
			list = append(list, normal+" float32"+dim)
		}
	}
	for _, space := range []string{"plane", "space"} {
		for _, method := range []string{"pain", "pain-exact", "smart", "fjp", "hybrid", "float32",
			"float64, ranks: 3", "jones-plassmann", "first-fit"} {
			method, ranks, _ := strings.Cut(method, ",")
			list = append(list, strings.TrimSuffix(method+" in the "+space+","+ranks, ","))
		}
	}
	return list
}

// TestProvideMesh: a case with a missing mesh is skipped without gmsh; with gmsh its mesh is made once.
func TestProvideMesh(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("case.toml", "solver = \"smooth\"\n[mesh]\nfile = \"plate.msh\"\n", 0o666)
	write("plate.geo", "", 0o666)
	t.Setenv("PATH", dir)
	path := filepath.Join(dir, "case.toml")
	if skip, err := provideMesh(path); err != nil || !strings.Contains(skip, "gmsh") {
		t.Errorf("without gmsh: got skip %q, error %v; want a skip", skip, err)
	}
	write("gmsh", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done; echo mesh > \"$2\"\n", 0o777)
	for range 2 { // the second time the mesh exists
		if skip, err := provideMesh(path); err != nil || skip != "" {
			t.Errorf("with gmsh: got skip %q, error %v; want none", skip, err)
		}
	}
	write("gmsh", "#!/bin/sh\nexit 1\n", 0o777)
	if skip, err := provideMesh(path); err != nil || skip != "" {
		t.Errorf("an existing mesh was made again: got skip %q, error %v", skip, err)
	}
	if err := os.Remove(filepath.Join(dir, "plate.msh")); err != nil {
		t.Fatal(err)
	}
	if _, err := provideMesh(path); err == nil {
		t.Error("got no error, although gmsh failed")
	}
}
