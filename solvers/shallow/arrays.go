package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// arrays is what the kernels of a rank work on. All slices live on the device; on one with memory of its own the host
// must not look into them.
type arrays[F kernels.Float] struct {
	params   kernels.Params[F]
	mesh     kernels.Mesh[F]
	state    [2][]kernels.State[F] // of this step and of the next, in turn
	flux     []kernels.Flux[F]
	manning  []F
	clock    []kernels.Clock[F] // one
	counters []kernels.Counters // one
	least    []atomics.Least[F] // one: the longest step that the waves allow
}

// onDevice copies an array of the host to the device.
func onDevice[T any](dev backend.Device, from []T) ([]T, error) {
	if _, apart := dev.(backend.Memory); !apart {
		return from, nil
	}
	to, err := backend.Make[T](dev, len(from))
	if err != nil {
		return nil, err
	}
	return to, backend.Upload(dev, to, from)
}

// place puts the arrays on the device.
func (a *arrays[F]) place(dev backend.Device, mesh kernels.Mesh[F], state []kernels.State[F], manning []F) (err error) {
	a.mesh.Owned = mesh.Owned
	if a.mesh.Edges, err = onDevice(dev, mesh.Edges); err != nil {
		return fmt.Errorf("edges: %w", err)
	}
	if a.mesh.Sites, err = onDevice(dev, mesh.Sites); err != nil {
		return fmt.Errorf("cells: %w", err)
	}
	if a.state[0], err = onDevice(dev, state); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if a.manning, err = onDevice(dev, manning); err != nil {
		return fmt.Errorf("friction: %w", err)
	}
	if a.state[1], err = backend.Make[kernels.State[F]](dev, len(state)); err != nil {
		return fmt.Errorf("next state: %w", err)
	}
	if a.flux, err = backend.Make[kernels.Flux[F]](dev, len(mesh.Edges)); err != nil {
		return fmt.Errorf("fluxes: %w", err)
	}
	if a.clock, err = backend.Make[kernels.Clock[F]](dev, 1); err != nil {
		return err
	}
	if a.counters, err = backend.Make[kernels.Counters](dev, 1); err != nil {
		return err
	}
	a.least, err = backend.Make[atomics.Least[F]](dev, 1)
	return err
}

// free gives the arrays back.
func (a *arrays[F]) free(dev backend.Device) {
	if _, apart := dev.(backend.Memory); !apart {
		return
	}
	// What cannot be freed goes with the device.
	_ = backend.Free(dev, a.mesh.Edges)
	_ = backend.Free(dev, a.mesh.Sites)
	_ = backend.Free(dev, a.state[0])
	_ = backend.Free(dev, a.state[1])
	_ = backend.Free(dev, a.flux)
	_ = backend.Free(dev, a.manning)
	_ = backend.Free(dev, a.clock)
	_ = backend.Free(dev, a.counters)
	_ = backend.Free(dev, a.least)
}

// loops prepares the kernels of a scheme that lead from state k to the other.
func (a *arrays[F]) loops(scheme string, k int) (flux, update backend.Loop, err error) {
	from, to := a.state[k], a.state[1-k]
	clock, counters := &a.clock[0], &a.counters[0]
	switch scheme {
	case "pvm-ifcp":
		flux = kernels.NewFluxPVMLoop(&a.params, &a.mesh, clock, from, a.flux, counters)
	case "ir-roe":
		flux = kernels.NewFluxIRRoeLoop(&a.params, &a.mesh, clock, from, a.flux, counters)
	case "roe":
		flux = kernels.NewFluxRoeLoop(&a.params, &a.mesh, clock, from, a.flux, counters)
	default:
		return nil, nil, fmt.Errorf("scheme %q is not known; choose roe, ir-roe or pvm-ifcp", scheme)
	}
	return flux, kernels.NewUpdateCellLoop(&a.params, &a.mesh, clock, from, a.flux, a.manning, to, &a.least[0]), nil
}
