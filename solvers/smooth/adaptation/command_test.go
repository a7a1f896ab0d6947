package adaptation

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers"
)

// square writes the unit square, left and right halves in groups of their own, with vertex fields 2x - y and
// x³ and cell fields, and returns the name of the file.
func square(t *testing.T, file string, cells int) string {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, 1, 1, cells, 3)
	if err != nil {
		t.Fatal(err)
	}
	first := int32(len(m.Groups))
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 10, Name: "west"}, mesh.Group{Dim: 2, Tag: 11, Name: "east"})
	m.VertexData, m.CellData = map[string][]float64{"u": nil, "w": nil}, map[string][]float64{"side": nil,
		"density": nil}
	for c := range m.Cells {
		x, y := m.Centroid(c)
		side := int32(0)
		if x > .5 {
			side = 1
		}
		m.CellGroup = append(m.CellGroup, first+side)
		m.CellData["density"] = append(m.CellData["density"], 1+x*x*y)
		m.CellData["side"] = append(m.CellData["side"], float64(side))
	}
	for v := range m.X {
		m.VertexData["u"] = append(m.VertexData["u"], 2*m.X[v]-m.Y[v])
		m.VertexData["w"] = append(m.VertexData["w"], m.X[v]*m.X[v]*m.X[v])
	}
	path := filepath.Join(t.TempDir(), file)
	if err := meshio.Write(path, m); err != nil {
		t.Fatal(err)
	}
	return path
}

// adapted runs the command with flags, given as name, value, and so on.
func adapted(t *testing.T, in, out string, flags ...string) (*Report, error) {
	t.Helper()
	return adaptedOn(t, 1, in, out, flags...)
}

func adaptedOn(t *testing.T, ranks int, in, out string, flags ...string) (*Report, error) {
	t.Helper()
	r, err := local.Each(ranks, func(comm dist.Comm) (solvers.Report, error) {
		return adaptOn(t.Context(), comm, in, out, flags...)
	})
	if err != nil {
		return nil, err
	}
	return r.(*Report), nil
}

// adaptOn runs the command on one of several ranks.
func adaptOn(ctx context.Context, comm dist.Comm, in, out string, flags ...string) (solvers.Report, error) {
	return adaptWith(ctx, solvers.Work{Comm: comm}, in, out, flags...)
}

func adaptWith(ctx context.Context, w solvers.Work, in, out string, flags ...string) (solvers.Report, error) {
	flag := func(name string) (string, bool) {
		for i := 0; i < len(flags); i += 2 {
			if flags[i] == name {
				return flags[i+1], true
			}
		}
		return "", false
	}
	w.Args, w.Threads, w.Flag = []string{in, out}, 2, flag
	r, err := Command.Run(ctx, w)
	return r, solvers.Agree(ctx, w.Comm, err)
}

// TestFormats proves that the result is the same in all formats, that areas and lengths of groups are kept, and that a
// linear field is exact.
func TestFormats(t *testing.T) {
	for _, from := range []string{"in.msh", "in.mesh", "in.meshb", "in.vtu"} {
		in := square(t, from, 200)
		for _, to := range []string{"out.msh", "out.mesh", "out.vtu"} {
			out := filepath.Join(filepath.Dir(in), to)
			r, err := adapted(t, in, out, "size", "0.06", "hausd", "1e-4")
			if err != nil {
				t.Fatal(from, to, err)
			}
			m, err := meshio.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Check(); err != nil {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if r.After.QualityWorst < .6 || float64(r.After.InRange) < .96*float64(r.After.Edges) ||
				math.Abs(r.After.Volume-1) > 1e-12 {
				t.Errorf("%s to %s: %s", from, to, r.Text())
			}
			checkGroups(t, from+" to "+to, m)
			for v, u := range m.VertexData["u"] {
				if math.Abs(u-2*m.X[v]+m.Y[v]) > 1e-12 {
					t.Fatalf("%s to %s: u is %g at (%g, %g)", from, to, u, m.X[v], m.Y[v])
				}
			}
		}
	}
}

// checkGroups checks the areas of both materials, and that each side of the square is one group of length 1.
func checkGroups(t *testing.T, name string, m *mesh.Mesh) {
	t.Helper()
	areas, lengths := map[int32]float64{}, map[int32]float64{}
	for c, g := range m.CellGroup {
		areas[g] += m.Area(c)
	}
	for _, e := range m.Tagged {
		if u, v := e.A, e.B; onBorder(m, u) && onBorder(m, v) {
			lengths[e.Group] += math.Hypot(m.X[u]-m.X[v], m.Y[u]-m.Y[v])
		}
	}
	if len(areas) != 2 || len(lengths) != 4 {
		t.Errorf("%s: areas %v and lengths %v", name, areas, lengths)
	}
	for _, l := range lengths {
		if math.Abs(l-1) > 1e-12 {
			t.Errorf("%s: lengths %v", name, lengths)
		}
	}
	for _, a := range areas {
		if math.Abs(a-.5) > .05 {
			t.Errorf("%s: areas %v", name, areas)
		}
	}
}

func onBorder(m *mesh.Mesh, v int32) bool {
	return m.X[v] == 0 || m.X[v] == 1 || m.Y[v] == 0 || m.Y[v] == 1
}

// TestPeak: the error of linear interpolation of a narrow peak falls to a tenth at the same number of vertices, and the
// number of vertices is that asked for.
func TestPeak(t *testing.T) {
	in := square(t, "in.vtu", 800)
	r, err := adapted(t, in, filepath.Join(filepath.Dir(in), "out.vtu"), "hessian",
		"exp(-800*((x-.5)*(x-.5)+(y-.5)*(y-.5)))", "target", "450")
	if err != nil {
		t.Fatal(err)
	}
	e := r.Interpolations[0]
	if !(e.After < .1*e.Before) || math.Abs(float64(r.After.Vertices)/450-1) > .05 {
		t.Errorf("the error falls from %g to %g, with %d vertices", e.Before, e.After, r.After.Vertices)
	}
}

// TestMetrics runs each kind of metric, and compares the numbers of vertices with those that it asks for.
func TestMetrics(t *testing.T) {
	in := square(t, "in.vtu", 400)
	for _, c := range []struct {
		flags       []string
		least, most int64
	}{
		{nil, 180, 260}, {[]string{"metric", "uniform", "target", "500"}, 475, 525},
		{[]string{"metric", "linear", "low", ".03", "high", ".1"}, 250, 500},
		{[]string{"metric", "sinusoidal", "low", ".05", "high", ".1"}, 200, 400},
		{[]string{"width", ".03", "height", ".1"}, 380, 560},
		{[]string{"width", ".1", "height", ".1", "hmax", ".05"}, 460, 700},
		{[]string{"m11", "400", "m22", "100"}, 230, 400},
		{[]string{"width", "x < .5 ? .1 : .02", "height", "x < .5 ? .1 : .02", "gradation", "1.2"}, 1500, 2600},
		{[]string{"hessian", "{mesh='w'}", "hmax", ".2"}, 100, 500},
	} {
		r, err := adapted(t, in, filepath.Join(filepath.Dir(in), "out.vtu"), c.flags...)
		if err != nil {
			t.Errorf("%v: %v", c.flags, err)
			continue
		}
		if n := r.After.Vertices; n < c.least || n > c.most {
			t.Errorf("%v: %d vertices, want %d to %d", c.flags, n, c.least, c.most)
		}
		if r.After.QualityWorst < .3 {
			t.Errorf("%v: worst quality %g", c.flags, r.After.QualityWorst)
		}
	}
}

// TestRefused proves that errors name the flag or the position.
func TestRefused(t *testing.T) {
	in := square(t, "in.vtu", 100)
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"size", "-1"}, "--size: -1"},
		{[]string{"size", "1e-5"}, "memory"},
		{[]string{"size", ".01", "target", "2000000000"}, "memory"},
		{[]string{"width", "1e-6 + x*x", "height", "1e-6"}, "memory"},
		{[]string{"width", "x - .5", "height", ".1"}, "[metric] at (0, "},
		{[]string{"m11", "1", "m22", "1", "m12", "2"}, "not positive definite"},
		{[]string{"width", ".1", "height", ".1", "depth", ".1"}, "the mesh is of triangles"},
		{[]string{"hessian", "{mesh='q'}"}, `no data "q"`},
		{[]string{"size", ".1", "width", ".1", "height", "1"}, "cannot be combined"},
		{[]string{"conserve", "side, u"}, `"u" is no field of cells that could be carried; the mesh has density, side`},
		{[]string{"hessian", "x*x", "complexity", "100", "target", "50"}, "cannot be combined with complexity"},
	} {
		if _, err := adapted(t, in, filepath.Join(filepath.Dir(in), "out.vtu"), c.flags...); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %s", c.flags, err, c.want)
		}
	}
}

// TestSpace: a cube of tetrahedra with a thin layer, in all formats.
func TestSpace(t *testing.T) {
	s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, ext := range []string{".msh", ".mesh", ".vtu"} {
		in, out := filepath.Join(dir, "in"+ext), filepath.Join(dir, "out"+ext)
		if err := meshio.WriteSolid(in, s); err != nil {
			t.Fatal(err)
		}
		r, err := adapted(t, in, out, "width", ".3", "height", ".3", "depth", ".1 + .2*abs(z - .5)")
		if err != nil {
			t.Fatal(err)
		}
		to, err := meshio.ReadSolid(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := to.Check(); err != nil || len(to.Faces) == 0 && len(s.Faces) > 0 {
			t.Errorf("%s: %v, %d faces in groups", ext, err, len(to.Faces))
		}
		if r.After.QualityWorst < .3 || math.Abs(r.After.Volume-1) > 1e-12 || math.Abs(r.After.Boundary-6) > 1e-12 {
			t.Errorf("%s: %s", ext, r.Text())
		}
	}
}

// TestConserve proves that integrals of fields of cells are kept if that is asked for, in the plane and in space, and
// that they change otherwise, or the test would prove nothing.
func TestConserve(t *testing.T) {
	for _, in := range []string{square(t, "in.vtu", 300), cube(t, 200)} {
		out := filepath.Join(t.TempDir(), "out.vtu")
		integral := func(path string) (sum float64) {
			m, s, err := meshio.ReadAny(path)
			if err != nil {
				t.Fatal(err)
			}
			if s != nil {
				for c := range s.Cells {
					sum += s.CellData["density"][c] * s.Volume(c)
				}
				return sum
			}
			for c := range m.Cells {
				sum += m.CellData["density"][c] * m.Area(c)
			}
			return sum
		}
		want := integral(in)
		for _, conserve := range []string{"", "all", "density"} {
			r, err := adapted(t, in, out, "size", ".2", "conserve", conserve)
			if err != nil {
				t.Fatal(err)
			}
			difference := math.Abs(integral(out)/want - 1)
			if kept := difference < 1e-13; kept != (conserve != "") {
				t.Errorf("%s, conserve %q: the integral changes by %g of it", filepath.Base(in), conserve, difference)
			}
			c := r.Carried[slices.IndexFunc(r.Carried, func(c Carried) bool { return c.Name == "density" })]
			if c.Conserved != (conserve != "") || c.Conserved && (math.Abs(c.Before-want) > 1e-13 || c.Error > .5*c.Range) {
				t.Errorf("%s, conserve %q: %+v", filepath.Base(in), conserve, c)
			}
		}
	}
}

// TestLevel proves that a mesh is cut along a level of an expression, of data of the mesh and of a Medit file, that the
// area or volume is exact to second order in the sizes asked for, on any number of ranks, and that groups and fields
// pass to both sides.
func TestLevel(t *testing.T) {
	circle := 0.25 * math.Pi * .36
	errors := [2]float64{}
	for k, size := range []string{".08", ".04"} {
		in := square(t, "in.vtu", 100)
		var files [2][]byte
		for i, ranks := range []int{1, 3}[:2-k] {
			out := filepath.Join(filepath.Dir(in), "out.msh")
			r, err := adaptedOn(t, ranks, in, out, "size", size, "level", "hypot(x, y) - .1", "isovalue", ".5",
				"conserve", "density")
			if err != nil {
				t.Fatal(err)
			}
			errors[k] = math.Abs(r.Level.Below - circle)
			if math.Abs(r.Level.Below+r.Level.Above-1) > 1e-12 || math.Abs(r.Level.Interface-.3*math.Pi) > .01 ||
				r.After.QualityWorst < .25 {
				t.Errorf("size %s: %+v, worst quality %g", size, r.Level, r.After.QualityWorst)
			}
			if c := r.Carried[slices.IndexFunc(r.Carried, func(c Carried) bool { return c.Name == "density" })]; math.Abs(
				c.After-c.Before) > 1e-13 {
				t.Errorf("%+v", c)
			}
			if files[i], err = os.ReadFile(out); err != nil {
				t.Fatal(err)
			}
			m, err := meshio.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			areas := map[string]float64{}
			for c, g := range m.CellGroup {
				areas[m.Groups[g].Name] += m.Area(c)
			}
			if math.Abs(areas["west below"]-r.Level.Below) > .03 || areas["east below"] > .03 || len(areas) != 4 {
				t.Errorf("areas %v, %+v", areas, r.Level)
			}
		}
		if k == 0 && !bytes.Equal(files[0], files[1]) {
			t.Error("3 ranks write another file than one")
		}
	}
	if errors[1] > errors[0]/3 {
		t.Errorf("errors of the area: %g", errors)
	}
	in := square(t, "in.mesh", 400)
	m, err := meshio.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n%d\n1 1\n", len(m.X))
	for v := range m.X {
		text += fmt.Sprintln(m.X[v] - .3*m.Y[v])
	}
	if err := os.WriteFile(strings.TrimSuffix(in, ".mesh")+".sol", []byte(text+"End\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	data := square(t, "in.vtu", 400) // u = 2x - y
	for _, c := range []struct {
		in    string
		flags []string
		below float64
	}{
		{in, []string{"isovalue", ".25"}, .4},
		{in, []string{"isovalue", ".25", "sol", strings.TrimSuffix(in, ".mesh") + ".sol", "size", ".1"}, .4},
		{data, []string{"level", "{mesh='u'}", "isovalue", "0.1"}, .3},
	} {
		r, err := adapted(t, c.in, filepath.Join(filepath.Dir(c.in), "out.vtu"), c.flags...)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Level.Below-c.below) > 1e-9 {
			t.Errorf("%v: %+v, want %g below", c.flags, r.Level, c.below)
		}
	}
	for _, c := range [][3]string{{"isovalue", "1", "is that of --level"}, {"level", "x + 1", "does not cross the mesh"},
		{"level", "{mesh='q'}", `no data "q"`}, {"level", "1/(x - x)", "infinite"}} {
		_, err := adapted(t, data, filepath.Join(filepath.Dir(data), "out.vtu"), c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v: error %v", c, err)
		}
	}
	r, err := adapted(t, cube(t, 200), filepath.Join(t.TempDir(), "out.vtu"), "size", ".2", "level", "x*x+y*y+z*z-.36")
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Pi / 6 * .216; math.Abs(r.Level.Below-want) > .06*want || r.After.QualityWorst < .2 {
		t.Errorf("%+v, want %g below; worst quality %g", r.Level, want, r.After.QualityWorst)
	}
}
