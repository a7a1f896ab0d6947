package adapt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// trial is a random mesh with a random metric.
type trial struct {
	name  string
	in    func() *mutable.Input // always the same mesh
	field Field
	o     Options
}

// draw returns a random trial: a rectangle or a box of irregular cells, with two materials and a required facet, and an
// isotropic or anisotropic metric with sizes that vary.
func draw(seed uint64) trial {
	rng := rand.New(rand.NewPCG(seed, 7))
	dim := 2 + int(seed%3)/2
	cells := []int{2: 60 + rng.IntN(200), 3: 80 + rng.IntN(120)}[dim]
	cut := .3 + .4*rng.Float64()
	h := []float64{2: .05, 3: .2}[dim] * (1 + rng.Float64())
	c := measure.Vector{rng.Float64(), rng.Float64(), rng.Float64()}
	stretch, angle := 1+float64(rng.IntN(2))*9*rng.Float64(), 7*rng.Float64()
	normal := measure.Vector{math.Cos(angle), math.Sin(angle)}
	t := trial{o: Options{Ridge: 45, Threads: 1}}
	t.name = fmt.Sprintf("%d: dimension %d, about %d cells, sizes from %.3g, stretched by %.3g", seed, dim, cells, h,
		stretch)
	t.field = func(x measure.Vector) measure.Tensor {
		d := measure.Sub(&x, &c)
		s := h * (1 + 4*math.Sqrt(measure.Dot(&d, &d)))
		return stretched(dim, normal, s, s*stretch)
	}
	t.in = func() *mutable.Input {
		in := must(randomInput(dim, cells, seed, cut))
		in.Facets = append(in.Facets, mutable.Marked{V: in.Facet(0, 1), Group: mutable.None, Required: true})
		return in
	}
	return t
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func mustRun(t *testing.T, e *engine, field Field) {
	t.Helper()
	e.retarget(field)
	if err := e.adapt(t.Context(), false); err != nil {
		t.Fatal(err)
	}
}

// randomInput is a unit square or cube of which the cells left and right of x = cut are different materials.
func randomInput(dim, cells int, seed uint64, cut float64) (*mutable.Input, error) {
	if dim == 2 {
		m, err := mesh.Rectangle(0, 0, 1, 1, cells, seed)
		if err != nil {
			return nil, err
		}
		left := int32(len(m.Groups))
		m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 1, Name: "left"}, mesh.Group{Dim: 2, Tag: 2, Name: "right"})
		for c := range m.Cells {
			x, _ := m.Centroid(c)
			m.CellGroup = append(m.CellGroup, left+int32(btoi(x > cut)))
		}
		return mutable.FromTriangles(m)
	}
	s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, cells, seed)
	if err != nil {
		return nil, err
	}
	for c := range s.Cells {
		s.CellTag = append(s.CellTag, 1+int32(btoi(s.Centroid(c)[0] > cut)))
	}
	return mutable.FromTetrahedra(s)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stretched is the metric with the size hn along n, and ht across.
func stretched(dim int, n measure.Vector, hn, ht float64) measure.Tensor {
	b := 1 / (ht * ht)
	c := 1/(hn*hn) - b
	t := measure.Tensor{b + c*n[0]*n[0], c * n[0] * n[1], b + c*n[1]*n[1]}
	if dim == 3 {
		t[3], t[4], t[5] = c*n[0]*n[2], c*n[1]*n[2], b+c*n[2]*n[2]
	}
	return t
}

// shuffled is the same mesh with the same global ids, with vertices, cells and marks in another order.
func shuffled(in *mutable.Input, rng *rand.Rand) *mutable.Input {
	n := len(in.X)
	to := rng.Perm(n)
	out := &mutable.Input{Dim: in.Dim, X: make([]measure.Vector, n), ID: make([]int64, n)}
	for v, u := range to {
		out.X[u], out.ID[u] = in.X[v], int64(v)
	}
	rename := func(m []mutable.Marked) []mutable.Marked {
		m = slices.Clone(m)
		for i := range m {
			for j, v := range m[i].V {
				if v >= 0 {
					m[i].V[j] = int32(to[v])
				}
			}
		}
		rng.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		return m
	}
	out.Facets, out.Lines = rename(in.Facets), rename(in.Lines)
	for _, v := range in.Corners {
		out.Corners = append(out.Corners, int32(to[v]))
	}
	order := rng.Perm(len(in.Cells))
	at := make([]int32, len(order))
	for i, c := range order {
		at[c] = int32(i)
	}
	for _, c := range order {
		v, across := in.Cells[c], in.Across[c]
		for i := range in.Dim + 1 {
			v[i] = int32(to[v[i]])
			if across[i] >= 0 {
				across[i] = at[across[i]]
			}
		}
		turn := rng.IntN(3) // the last three in space, all in the plane: the orientation stays
		first := in.Dim - 2
		for range turn {
			v[first], v[first+1], v[first+2] = v[first+1], v[first+2], v[first]
			across[first], across[first+1], across[first+2] = across[first+1], across[first+2], across[first]
		}
		out.Cells, out.Across, out.Ref = append(out.Cells, v), append(out.Across, across), append(out.Ref, in.Ref[c])
	}
	return out
}

// TestSameMesh proves that the mesh, with ids, coordinates, qualities and marks, is the same to the last bit for other
// numberings and orders of the input, numbers of threads, and parts with separate memory that exchange messages: owners
// by strips, and at random, where nearly all operations are across ranks.
func TestSameMesh(t *testing.T) {
	trials := 60
	if testing.Short() {
		trials = 12
	}
	for seed := range uint64(trials) {
		c := draw(seed)
		e := newEngine(c.in(), c.o)
		mustRun(t, e, c.field)
		want := mutable.HashOf(e.Mesh)
		rng := rand.New(rand.NewPCG(seed, 1))
		o := c.o
		o.Threads = 1 + int(seed%3)
		e = newEngine(shuffled(c.in(), rng), o)
		mustRun(t, e, c.field)
		if mutable.HashOf(e.Mesh) != want {
			t.Errorf("%s: another mesh with another numbering and %d threads", c.name, o.Threads)
		}
		ranks, random := []int{2, 3, 7}[seed%3], seed/3%2 == 1
		o.Owners = owners(random)
		a := &Adapter{whole: newEngine(shuffled(c.in(), rng), o), o: o}
		if got := mutable.HashOf(onRanks(t, a, c.field, seats(ranks))); got != want {
			t.Errorf("%s: another mesh on %d ranks, owners at random: %v", c.name, ranks, random)
		}
	}
}

// TestStopped: an adaptation whose context has ended returns its error, and leaves a valid mesh.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	a := must(Triangles(must(mesh.Rectangle(0, 0, 1, 1, 100, 1)), Options{Ridge: 45, Threads: 1}))
	err := a.Run(ctx, func(measure.Vector) measure.Tensor { return measure.Tensor{1e6, 0, 1e6} })
	if !errors.Is(err, context.Canceled) || a.Vertices() > 10000 {
		t.Errorf("%v, with %d vertices", err, a.Vertices())
	}
	if err := a.Mesh().Check(); err != nil {
		t.Error(err)
	}
}
