package smooth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Smoothers are the names that Config.Smoother may have.
var Smoothers = []string{"laplacian", "pain", "pain-newton", "pain-exact", "smart", "fjp", "hybrid"}

// Guards are the names that Config.Guard may have: nothing, half the step until no triangle turns over, or cut it where
// one would. The smoothers that look at quality need none.
var Guards = []string{"none", "halve", "clip"}

// Config says how to smooth.
type Config struct {
	Smoother string
	Relax    float64 // ω; 0 for what the literature has: 0.5 for pain, 1 for others
	Guard    string
	Cull     bool    // visit only vertices around which something has moved by more than Tolerance
	Settled  float64 // length of a move, in the metric, that counts as none
	Gain     float64 // least rise of the worst quality that is worth a move
	Floor    float64 // hybrid optimises where the worst quality is below this; 0 for the mean quality before each sweep
	Rescale  bool    // scale the metric so that the mesh's area is worth as many ideal triangles as it has
}

// parameters checks a configuration and makes the constants of kernels from it.
func parameters[F kernels.Float](c Config) (kernels.Params[F], error) {
	p := kernels.Params[F]{Relax: F(c.Relax), Excess: 0.01, Tolerance: F(c.Settled * c.Settled), Gain: F(c.Gain),
		Climbs: 60, Cull: c.Cull, Guard: int32(slices.Index(Guards, c.Guard)), Flat: 4 * 0x1p-53, Shortest: 1e-10}
	if single[F]() {
		p.Flat, p.Shortest = 4*0x1p-24, 1e-5
	}
	if c.Relax == 0 {
		p.Relax = 1
		if c.Smoother == "pain" {
			p.Relax = 0.5
		}
	}
	switch {
	case !slices.Contains(Smoothers, c.Smoother):
		return p, fmt.Errorf("smoother %q is not known; choose one of %s", c.Smoother, strings.Join(Smoothers, ", "))
	case p.Guard < 0:
		return p, fmt.Errorf("guard %q is not known; choose one of %s", c.Guard, strings.Join(Guards, ", "))
	case !(c.Relax >= 0 && c.Relax < 2):
		return p, fmt.Errorf("a relaxation of %g does not converge; give one above 0 and below 2", c.Relax)
	case !(c.Settled >= 0 && c.Settled < 1) || !(c.Gain >= 0 && c.Gain < 1) || !(c.Floor >= 0 && c.Floor <= 1):
		return p, fmt.Errorf("settled = %g and gain = %g must lie in [0, 1), and floor = %g in [0, 1]", c.Settled,
			c.Gain, c.Floor)
	}
	return p, nil
}

// single tells float32.
func single[F kernels.Float]() bool { return F(1)/3 == F(float32(1)/3) }

// mover prepares the kernel of a smoother for a set.
func (a *arrays[F]) mover(smoother string, set *kernels.Set) backend.Loop {
	c, n, most := &a.control[0], &a.counters[0], &a.most[0]
	switch smoother {
	case "laplacian":
		return kernels.NewLaplaceLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	case "pain":
		return kernels.NewPainLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	case "pain-newton":
		return kernels.NewPainNewtonLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	case "pain-exact":
		return kernels.NewPainExactLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	case "smart":
		return kernels.NewSmartLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	case "fjp":
		return kernels.NewOptimiseLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	default:
		return kernels.NewHybridLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	}
}

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them.
type arrays[F kernels.Float] struct {
	params      kernels.Params[F]
	mesh        kernels.Mesh[F]
	field       kernels.Field[F]
	v           []kernels.Vertex[F]
	moved, seen []int32              // a vertex's last move and visit, where Cull asks for them
	control     []kernels.Control[F] // one
	counters    []kernels.Counters   // one
	most        []atomics.Most[F]    // one: the longest move
	cells       []kernels.Cell
	edges       []kernels.Edge
	shapes      []kernels.Shape[F]
	sides       []kernels.Side[F]

	taken []func() error // gives each array back
}

// place puts the arrays on the device.
func (a *arrays[F]) place(dev backend.Device, p *Part, v []kernels.Vertex[F], field kernels.Field[F]) error {
	b := &placer{dev: dev, taken: &a.taken}
	rails := make([]kernels.Rail[F], len(p.Rails))
	for i, r := range p.Rails {
		rails[i] = kernels.Rail[F]{X: F(r.X), Y: F(r.Y), Tx: F(r.Tx), Ty: F(r.Ty)}
	}
	a.mesh = kernels.Mesh[F]{Rings: onDevice(b, p.Rings), More: onDevice(b, p.More), Rails: onDevice(b, rails)}
	a.field = field
	a.field.Samples = onDevice(b, field.Samples)
	a.field.Across, a.field.Up = onDevice(b, field.Across), onDevice(b, field.Up)
	a.v = onDevice(b, v)
	if a.params.Cull {
		a.moved, a.seen = onDevice(b, make([]int32, len(v))), onDevice(b, make([]int32, len(v)))
	}
	a.control = onDevice(b, make([]kernels.Control[F], 1))
	a.counters = onDevice(b, make([]kernels.Counters, 1))
	a.most = onDevice(b, make([]atomics.Most[F], 1))
	a.cells, a.edges = onDevice(b, p.Cells), onDevice(b, p.Edges)
	a.shapes = onDevice(b, make([]kernels.Shape[F], len(p.Cells)))
	a.sides = onDevice(b, make([]kernels.Side[F], len(p.Edges)))
	return b.err
}

// free gives the arrays back. What cannot be freed goes with the device.
func (a *arrays[F]) free() {
	for _, give := range a.taken {
		_ = give()
	}
	a.taken = nil
}

// placer copies arrays of the host to a device that has memory of its own, until the first error.
type placer struct {
	dev   backend.Device
	taken *[]func() error
	err   error
}

func onDevice[T any](p *placer, from []T) []T {
	if _, apart := p.dev.(backend.Memory); !apart || p.err != nil {
		return from
	}
	to, err := backend.Make[T](p.dev, len(from))
	if err != nil {
		p.err = fmt.Errorf("an array of %d elements: %w", len(from), err)
		return nil
	}
	*p.taken = append(*p.taken, func() error { return backend.Free(p.dev, to) })
	p.err = backend.Upload(p.dev, to, from)
	return to
}
