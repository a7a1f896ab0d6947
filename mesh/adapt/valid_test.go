package adapt

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// TestValid proves for random meshes and metrics that no cell is inverted or flat, that facets have one cell on either
// side, or are tagged and have one, that the required facet and the whole volume are kept, and materials and lines
// within the distance allowed. (The boundary is flat, and the interface irregular.)
func TestValid(t *testing.T) {
	for seed := range uint64(30) {
		c := draw(seed + 1000)
		in := c.in()
		e := newEngine(in, c.o)
		volumes, interfaces := e.content()
		required := in.Facets[len(in.Facets)-1].V
		mustRun(t, e, c.field)
		after, _ := e.content()
		whole := 0.0
		for ref, v := range volumes {
			whole += after[ref]
			if math.Abs(after[ref]-v) > e.Hausdorff*interfaces {
				t.Errorf("%s: volume %g of material %d becomes %g", c.name, v, ref, after[ref])
			}
		}
		if math.Abs(whole-1) > 1e-12 {
			t.Errorf("%s: volume 1 becomes %g", c.name, whole)
		}
		for v := range e.Lines {
			for _, l := range e.Line(int32(v)) {
				if x := e.Curves.At(l.Curve, l.S); e.Freedom[v] == 1 && x != e.X[v] {
					t.Errorf("%s: the line vertex %d at %v is not on its line, at %v", c.name, v, e.X[v], x)
				}
				if !e.Curves.Near(l.Curve, l.S, e.Parameter(int32(v), &l), &e.X[v], &e.X[l.To], e.Hausdorff) {
					t.Errorf("%s: an edge at %v is too far from its line", c.name, e.X[v])
				}
			}
		}
		e.check(t, c.name)
		local := [3]int32{-1, -1, -1}
		for i, id := range required[:e.Dim] {
			local[i] = int32(slices.Index(e.ID, int64(id)))
		}
		found := false
		for k := range e.Cells {
			found = found || !e.Cells[k].Dead && e.Cells[k].Facet(e.Dim, &local) >= 0
		}
		if !found {
			t.Errorf("%s: the required facet %v is gone", c.name, required)
		}
	}
}

// content returns the volume of each material, and the size of all tagged facets.
func (e *engine) content() (volumes map[int32]float64, facets float64) {
	volumes = map[int32]float64{}
	for k := range e.Cells {
		if c := &e.Cells[k]; !c.Dead {
			volumes[c.Ref] += e.VolumeOf(c)
		}
	}
	return volumes, mutable.BoundaryOf(e.Mesh)
}

// check checks that the mesh is valid.
func (e *engine) check(t *testing.T, name string) {
	t.Helper()
	type side struct {
		ref int32
		tag int32
	}
	sides := map[[3]int32][]side{}
	for k := range e.Cells {
		c := &e.Cells[k]
		if c.Dead {
			continue
		}
		if !(c.Quality > 0) || !(e.VolumeOf(c) > 0) || c.Quality != e.QualityOf(c) {
			t.Errorf("%s: a cell of volume %g and quality %g, stored as %g", name, e.VolumeOf(c), e.QualityOf(c), c.Quality)
		}
		for i := range e.Dim + 1 {
			f, n := [3]int32{-1, -1, -1}, 0
			for j, v := range c.V[:e.Dim+1] {
				if j != i {
					f[n] = v
					n++
				}
			}
			for range n { // sorted
				for j := range n - 1 {
					f[j], f[j+1] = min(f[j], f[j+1]), max(f[j], f[j+1])
				}
			}
			sides[f] = append(sides[f], side{ref: c.Ref, tag: c.Tag[i]})
		}
	}
	for f, s := range sides {
		switch {
		case len(s) > 2:
			t.Errorf("%s: %d cells at the facet %v", name, len(s), f)
		case len(s) == 1 && s[0].tag == 0:
			t.Errorf("%s: the facet %v ends the mesh without a kind", name, f)
		case len(s) == 2 && (s[0].tag != s[1].tag || s[0].ref != s[1].ref && s[0].tag == 0):
			t.Errorf("%s: the facet %v has the kinds %d and %d, between materials %d and %d", name, f, s[0].tag, s[1].tag,
				s[0].ref, s[1].ref)
		}
	}
}

// TestHeldBoundary: cells at a boundary that stays as it is, with edges much longer than the metric asks for, do not
// become flat.
func TestHeldBoundary(t *testing.T) {
	for _, dim := range []int{2, 3} {
		in := must(randomInput(dim, 60, 1, .5))
		e := newEngine(in, Options{Ridge: 45, Threads: 2, KeepBoundary: true})
		h := []float64{2: .02, 3: .1}[dim]
		field := func(measure.Vector) measure.Tensor { return stretched(dim, measure.Vector{1}, h, h) }
		e.retarget(field)
		e.restart()
		_, before := e.content()
		start := mutable.StatisticsOf(e.Mesh)
		mustRun(t, e, field)
		after := mutable.StatisticsOf(e.Mesh)
		if _, boundary := e.content(); boundary != before || after.QualityWorst < min(.02, start.QualityWorst/2) ||
			after.Vertices < 4*start.Vertices {
			t.Errorf("dimension %d: boundary %g to %g, worst quality %g to %g, %d to %d vertices", dim, before, boundary,
				start.QualityWorst, after.QualityWorst, start.Vertices, after.Vertices)
		}
	}
}
