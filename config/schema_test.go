package config_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/schema"
	levelset "github.com/atoll-hpc/atoll/solvers/levelset/problem"
	"github.com/atoll-hpc/atoll/solvers/shallow/problem"
	smooth "github.com/atoll-hpc/atoll/solvers/smooth/problem"
	twophase "github.com/atoll-hpc/atoll/solvers/twophase/problem"
	vof "github.com/atoll-hpc/atoll/solvers/vof/problem"
)

// allSolvers are the decoders of all solvers of the program.
var allSolvers = map[string]config.Decoder{"shallow-water": problem.Decode, "smooth": smooth.Decode, "vof": vof.Decode,
	"level-set": levelset.Decode, "two-phase": twophase.Decode}

// compiledSchema returns the schema of all cases.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Schema(allSolvers)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("atoll.schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("atoll.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accepts reports whether a schema accepts a case, as an editor does that knows the JSON form of TOML.
func accepts(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(document)
}

// TestSchemaAcceptsExamples: the schema accepts every case among the examples.
func TestSchemaAcceptsExamples(t *testing.T) {
	s, count := compiledSchema(t), 0
	root := filepath.Join("..", "examples")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".toml" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		if _, err := config.Parse(filepath.Join(root, path), text, nil, allSolvers); err != nil {
			return nil // of a solver that is not in the program
		}
		count++
		if err := accepts(t, s, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || count < 15 {
		t.Errorf("%d cases, %v", count, err)
	}
}

// Cases with nothing wrong, to which TestSchemaRefuses adds.
const (
	rightFlood = "solver = 'shallow-water'\n[mesh]\ngenerate = 'rectangle'\nbounds = [0, 0, 1, 1]\ncells = 20\n" +
		"[initial]\ndepth = 1\nh = 1\n[time]\nend = 1\n[physics]\nlayers = 1\n"
	rightPool = "solver = 'two-phase'\n[grid]\nbounds = [0, 0, 1, 1]\ncells = 8\n[fluids]\ndensity = 1\n" +
		"viscosity = [0, 0]\n[time]\nend = 1\n"
	rightSizes = "solver = 'smooth'\n[mesh]\ngenerate = 'rectangle'\nbounds = [0, 0, 1, 1]\ncells = 20\n[metric]\n"
	rightDisk  = "solver = 'vof'\n[grid]\nbounds = [0, 0, 1, 1]\ncells = 8\n[initial]\nshape = 'circle(0.5, 0.5, 0.2)'\n" +
		"[velocity]\npsi = 'x'\n[time]\nend = 1\n[method]\n"
)

// TestManualIsCurrent: the tables of keys on the pages of the manual are those of the declarations, which go generate
// makes again. Every section of every solver has one, and every key is in it, with what it means.
func TestManualIsCurrent(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]bool{} // sections with a table
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		filled, err := schema.Fill(text, allSolvers)
		if err != nil {
			t.Errorf("%s: %v", page, err)
		} else if !bytes.Equal(filled, text) {
			t.Errorf("%s is not current: go generate ./cmd/atoll", page)
		}
		for _, m := range regexp.MustCompile(`(?m)^<!-- keys: \S+ (\S+) -->$`).FindAllSubmatch(text, -1) {
			marked[string(m[1])] = true
		}
	}
	for name := range allSolvers {
		undocumented, err := schema.Undocumented(name, allSolvers)
		if err != nil || len(undocumented) > 0 {
			t.Errorf("%s: keys without a meaning: %q, %v", name, undocumented, err)
		}
	}
	for _, section := range []string{"mesh", "grid", "physics", "initial", "initial.depth", "forcing", "boundary.*.level",
		"maxima", "boundary", "boundary.*", "fault", "source", "culvert", "gate", "pump", "rule", "adapt", "fluids",
		"sides.x_low", "drops", "velocity", "metric", "method", "stop", "time", "output", "checkpoint", "gauge", "transect"} {
		if !marked[section] {
			t.Errorf("no table of [%s]", section)
		}
	}
}

// TestSchemaRefuses: cases with one wrong key or value are refused by the schema and by the decoder.
func TestSchemaRefuses(t *testing.T) {
	s := compiledSchema(t)
	right := func(text string) bool {
		_, err := config.Parse("case.toml", []byte(text), nil, allSolvers)
		return err == nil && accepts(t, s, []byte(text)) == nil
	}
	for _, text := range []string{rightFlood, rightFlood + "[boundary]\nleft = { level = { constituents = 'a.csv' } }\n",
		rightFlood + "[[fault]]\nat = [0, 0]\nlength = 1\nwidth = 1\ndepth = 1\nstrike = 0\ndip = 90\nrake = 0\nslip = 1\n",
		rightDisk, rightPool, rightSizes} {
		if !right(text) {
			_, err := config.Parse("case.toml", []byte(text), nil, allSolvers)
			t.Fatalf("%s is refused: %v, %v", text, err, accepts(t, s, []byte(text)))
		}
	}
	for base, additions := range map[string][]string{
		rightFlood: {
			"grvity = 9.81", "gravity = 'strong'", "gravity = 0", "gravity = -1", "cfl = 2", "cfl = 0", "cfl = true",
			"order = 3", "order = 1.5", "order = '2'", "precision = 'float16'", "precision = 64", "lagged_step = 1",
			"dry_depth = -1e-3", "dry_depth = []", "manning = true", "[output]\nevery = -1", "[output]\nevery = true",
			"[output]\nfields = 'h'", "[output]\nfields = ['depht']", "[output]\nfields = ['h', 'h']",
			"[output]\nformat = ['stl']", "[output]\ncompress = 'yes'", "[output]\nfiles = 'many'",
			"[output]\nconservation_every = 0", "[output]\nraster = 0", "[checkpoint]\nkeep = 0", "[checkpoint]\nevry = 1",
			"[checkpoint]\nsteps = 1.5", "[forcing]\nrainn = 1", "[forcing]\nwater_density = 'heavy'",
			"[maxima]\nthreshold = true",
			"[[gauge]]\nname = 1\nat = [0, 0]", "[[gauge]]\nname = 'a'\nat = [0, 0]\nevry = 1", "[gauge]\nname = 'a'",
			"[[gauge]]\nname = 'a'\nat = [0, 0]\nevery = -1", "[[transect]]\nname = 'a'\nline = [[0, 0], [1, 1]]\nwidth = 1",
			"[wind]\nx = 1",
			// Keys and values in tables that are values.
			"[boundary]\nleft = { levl = 1 }", "[boundary]\nleft = { level = true }", "[boundary]\nleft = 'shut'",
			"[boundary]\nleft = { normal = 0 }", "[boundary]\nleft = { level = { constituents = 1 } }",
			"[boundary]\nleft = { inflow = { constituents = 'a.csv' } }", "[boundary]\nleft = { inflow = { serie = 'q.csv' } }",
			"[boundary]\nleft = { inflow = { series = 'q.csv', hold = 1 } }", "[boundary]\ndefault = 'critical'",
			"manning = { rastr = 'a.tif' }", "manning = { raster = [] }", "manning = { raster = 'a.tif', sample = 'max' }",
			"manning = { raster = 'a.tif', reach = -1 }", "[forcing]\nrain = { series = 'r.csv', colum = 'rain' }",
			"[forcing]\ngreen_ampt = 1", "[forcing]\ngreen_ampt = { conductivty = 1 }",
			"[[source]]\nname = 'a'\nat = [0, 0]\ndischrge = 1", "[[source]]\nname = 'a'\nat = [0]\ndischarge = 1",
			"[[culvert]]\nname = 'a'\nfrom = [0, 0]\nto = [1, 1]\ndiameter = -1",
			"[[culvert]]\nname = 'a'\nfrom = [0, 0]\nto = [1, 1]\ndiameter = 1\nbarrels = 0",
			"[[fault]]\nat = [0, 0]\nlength = 1\nwidth = 1\ndepth = 1\nstrike = 0\ndip = 95\nrake = 0\nslip = 1",
			"[[pump]]\nname = 'a'\nfrom = [0, 0]\ndischarge = true",
			"[[gauge]]\nname = 'a'\nat = [0, 0]\nmeasured = { file = 'm.csv' }",
		},
		rightPool: {
			"sides = { x_low = 'wall' }", "sides = { x_low = { kid = 'slip' } }",
			"sides = { x_low = { kind = 'outflow', presure = 1 } }",
			"sides = { x_low = { kind = 'inflow', velocity = [1] } }", "sides = { x_left = 'slip' }",
			"sides = { x_low = { kind = 'slip', contact_angle = 5 } }",
			"sides = { x_low = { kind = 'inflow', u = { series = 'u.csv', col = 'u' } } }",
			"initial = { shape = 3 }", "initial = { u = true }", "solid = [{ shpe = 'x' }]", "drops = { treshold = 1 }",
		},
		rightSizes: {
			"field = 'unifrm'", "hessian = { raster = 'a.tif' }", "hmin = -1", "samples = 1.5", "widht = 1",
			"width = { mesh = 'w' }\nheight = 1", "rescale = 'no'",
		},
		rightDisk: {
			"sweep = 'tile'", "normal = 1", "[output]\nmesh = 'm.msh'", "[output]\nraster = 1", "[maxima]\n",
			"[[transect]]\nname = 'a'\nline = [[0, 0], [1, 1]]",
		},
	} {
		for _, addition := range additions {
			text := []byte(base + addition + "\n")
			if _, err := config.Parse("case.toml", text, nil, allSolvers); err == nil {
				t.Errorf("the decoder accepts %q", addition)
			}
			if accepts(t, s, text) == nil {
				t.Errorf("the schema accepts %q", addition)
			}
		}
	}
	if accepts(t, s, []byte("solver = 'shalow-water'")) == nil || accepts(t, s, []byte("title = 'no solver'")) == nil {
		t.Error("the schema accepts a case without a known solver")
	}
}
