package smooth

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// mover prepares the kernel of a smoother for a set.
func (a *solver[F]) mover(smoother string, set *kernels.Set) backend.Loop {
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
	case "barrier":
		return kernels.NewBarrierLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	default:
		return kernels.NewHybridLoop(set, &a.params, &a.mesh, &a.field, c, a.v, a.moved, a.seen, n, most)
	}
}

// arrays is what the kernels of a rank work on beside what the engine has. It lives on the device too.
type arrays[F num.Float] struct {
	mesh   kernels.Mesh[F]
	field  kernels.Field[F]
	cells  []kernels.Cell
	edges  []kernels.Edge
	shapes []kernels.Shape[F]
	sides  []kernels.Side[F]
}

// furnish puts the arrays on the device.
func (a *solver[F]) furnish(p *Part, field kernels.Field[F]) error {
	b := a.placer()
	rails := make([]kernels.Rail[F], len(p.Rails))
	for i, r := range p.Rails {
		rails[i] = kernels.Rail[F]{X: F(r.X), Y: F(r.Y), Tx: F(r.Tx), Ty: F(r.Ty)}
	}
	a.mesh = kernels.Mesh[F]{Rings: onDevice(b, p.Rings), More: onDevice(b, p.More), Rails: onDevice(b, rails)}
	a.field = field
	a.field.Samples = onDevice(b, field.Samples)
	a.field.Across, a.field.Up = onDevice(b, field.Across), onDevice(b, field.Up)
	a.field.Nodes, a.field.Patches = onDevice(b, field.Nodes), onDevice(b, field.Patches)
	a.field.Starts, a.field.Lists = onDevice(b, field.Starts), onDevice(b, field.Lists)
	a.field.Listed = onDevice(b, field.Listed)
	a.cells, a.edges = onDevice(b, p.Cells), onDevice(b, p.Edges)
	a.shapes = onDevice(b, make([]kernels.Shape[F], len(p.Cells)))
	a.sides = onDevice(b, make([]kernels.Side[F], len(p.Edges)))
	a.count = kernels.NewCountLoop(&a.control[0])
	a.measureCell = kernels.NewMeasureCellLoop(a.cells, a.v, a.shapes)
	a.measureEdge = kernels.NewMeasureEdgeLoop(a.edges, a.v, a.sides)
	a.rate(b, pass{0, len(a.cells), kernels.NewRateCellLoop(a.cells, a.v, &a.least[0])})
	return b.err
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
