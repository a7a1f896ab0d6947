package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandSpeaksOfFlags proves that errors in a case name the flags that have set the keys.
func TestCommandSpeaksOfFlags(t *testing.T) {
	for _, c := range []struct {
		flags map[string]string
		want  string
	}{
		{map[string]string{"metric": "linear"}, "--low: is required\n--high: is required"},
		{map[string]string{"relax": "0"}, "--relax: 0 must be above 0"},
		{map[string]string{"width": "1", "height": "1", "aspect": "0.5"}, "--aspect: 0.5 must be 1 or more"},
		{map[string]string{"gradation": "1.3", "width": "1", "height": "1", "samples": "64"},
			"--gradation: needs sizes at vertices: samples = 0, not 64"},
		{map[string]string{"also": "x*x"}, "--also: does not belong to a metric of kind implied, but to hessian"},
		{map[string]string{"hessian": "{mesh='u'}", "rounds": "2"}, "--rounds: 2: data at vertices are unknown where"},
		{map[string]string{"guard": "clip"}, `--guard: has no effect with smoother = "barrier"`},
	} {
		_, err := caseOf("in.msh", "out.msh", func(flag string) (string, bool) { v, ok := c.flags[flag]; return v, ok })
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: error %v does not begin with %s", c.flags, err, c.want)
		}
	}
}

// TestSolutionBesideMesh proves that the default sizes are those of the solution file next to a Medit file, as in
// Mmg.
func TestSolutionBesideMesh(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.sol", "b.solb", "c.sol"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		in, want string
		flags    map[string]string
	}{
		{"a.mesh", "a.sol", map[string]string{"hmin": "0.1", "hgrad": "1.3"}}, {"b.mesh", "b.solb", nil},
		{"a.MESHB", "a.sol", nil}, {"none.mesh", "", nil}, {"c.msh", "", nil},
		{"a.mesh", "", map[string]string{"metric": "implied"}},
	} {
		got, err := caseOf(filepath.Join(dir, c.in), "out.mesh", func(flag string) (string, bool) {
			v, ok := c.flags[flag]
			return v, ok
		})
		if err != nil {
			t.Fatal(c.in, err)
		}
		m := got.Sections.(*Sections).Metric
		if c.want == "" && m.Field != "implied" || c.want != "" && m.Solution != filepath.Join(dir, c.want) ||
			(m.Gradation == 1.3) != (c.flags["hgrad"] != "") {
			t.Errorf("%s with %v: %+v", c.in, c.flags, m)
		}
	}
}
