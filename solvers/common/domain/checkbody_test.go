package domain

import (
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestBodiesAreChecked proves which bodies give notes: those that the grid does not hold, and, for a level set, those
// with parts or gaps of few cells. Smooth bodies and those with corners give none.
func TestBodiesAreChecked(t *testing.T) {
	for _, c := range []struct {
		text       string
		dim        int
		body, thin string // what a note says; empty for no note
	}{
		{"circle(0.5, 0.5, 0.3)", 2, "", ""},
		{"circle(0.5, 0.5, 0.05)", 2, "", "of its surface"},
		{"circle(0.5, 0.5, 0.09)", 2, "", ""},
		{"circle(3, 3, 0.3)", 2, "no cell of the grid", ""},
		{"circle(0.5, 0.5, 3)", 2, "fills the whole grid", ""},
		{"box(0.2, 0.21, 0.8, 0.79)", 2, "", ""},
		{"box(0.2, 0.2, 0.8, 0.8)", 2, "", ""},
		{"slotted-disk(0.5, 0.5, 0.3, 0.05, 0.6)", 2, "", "of its surface"},
		{"abs(y-0.5071-0.01*sin(6*x)) - 1e-3", 2, "", "of its surface"},
		{"intersection(circle(0.4, 0.5, 0.3), circle(0.6, 0.5, 0.3))", 2, "", ""},
		{"union(circle(0.4, 0.5, 0.3), box(0.5, 0.48, 0.98, 0.52))", 2, "", "of its surface"},
		{"ellipse(0.5, 0.5, 0.4, 0.2)", 2, "", ""},
		{"sphere(0.5, 0.5, 0.5, 0.3)", 3, "", ""},
		{"cylinder(0.5, 0.5, 0.5, 0.045, 2)", 3, "", "of its surface"},
		{"box(0.2, 0.2, 0.2, 0.8, 0.8, 0.8)", 3, "", ""},
		{"torus(0.5, 0.5, 0.5, 0.3, 0.12)", 3, "", ""},
		{"torus(0.5, 0.5, 0.5, 0.3, 0.03)", 3, "", "of its surface"},
		{"(x < 0.04 and y < 0.04) ? floor(1e4*x) % 100 - 0.5 : y - 0.5", 2, "may be missing", ""},
	} {
		comm := local.New(1)[0]
		g := &grid.Grid{Dim: c.dim, N: [3]int{24, 24, 1}, Hi: [3]float64{1, 1, 0}}
		if c.dim == 3 {
			g.N[2], g.Hi[2] = 24, 1
		}
		b, err := g.Whole(0)
		if err != nil {
			t.Fatal(err)
		}
		body, _, err := shape.Parse(c.text, c.dim, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := shape.Fill(t.Context(), b, body, -1, true)
		if err != nil {
			t.Fatal(err)
		}
		phi := make([]float64, b.Cells())
		for n := range phi {
			phi[n] = body.Phi(b.Centre(n%24, n/24%24, n/576))
		}
		near, err := shape.FillNear(t.Context(), b, body, phi)
		if err != nil || !slices.Equal(near, f) {
			t.Errorf("%s: the fractions near the surface differ from those of all cells; error %v", c.text, err)
		}
		notes, err := CheckBody(t.Context(), comm, "body", &body, f)
		if joined := strings.Join(notes, "\n"); err != nil || (c.body == "") != (joined == "") ||
			!strings.Contains(joined, c.body) {
			t.Errorf("%s: got notes %q, error %v; want %q", c.text, notes, err, c.body)
		}
		notes, err = CheckResolution(t.Context(), comm, "body", &body, b,
			func(cell int) bool { return f[cell] > 0 && f[cell] < 1 })
		if joined := strings.Join(notes, "\n"); c.body == "" && (err != nil || (c.thin == "") != (joined == "") ||
			!strings.Contains(joined, c.thin)) {
			t.Errorf("%s: got notes %q, error %v; want %q", c.text, notes, err, c.thin)
		}
		if err := comm.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
