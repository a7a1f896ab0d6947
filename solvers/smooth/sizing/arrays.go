package sizing

import (
	"github.com/atoll-hpc/atoll/dist/onmachine"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// ArrayName is the name of a metric's arrays in errors of allocation.
const ArrayName = "metric"

// Declared declares the arrays of a field, and returns the field with those of the device. Arrays that ranks share stay
// where they are if the device can use them, and are none of this rank's.
func Declared[F num.Float](t *engine.Table, f kernels.Field[F], shared *onmachine.Copy) kernels.Field[F] {
	f.Samples = declared(t, shared, f.Samples)
	f.SizesX, f.SizesY = declared(t, shared, f.SizesX), declared(t, shared, f.SizesY)
	f.Nodes, f.Background = declared(t, shared, f.Nodes), declared(t, shared, f.Background)
	f.Starts, f.Lists = declared(t, shared, f.Starts), declared(t, shared, f.Lists)
	f.Listed = declared(t, shared, f.Listed)
	return f
}

// SolidDeclared is Declared in space.
func SolidDeclared[F num.Float](t *engine.Table, f solid.Field[F], shared *onmachine.Copy) solid.Field[F] {
	f.Samples, f.SizesX = declared(t, shared, f.Samples), declared(t, shared, f.SizesX)
	f.SizesY, f.SizesZ = declared(t, shared, f.SizesY), declared(t, shared, f.SizesZ)
	f.Nodes, f.Background = declared(t, shared, f.Nodes), declared(t, shared, f.Background)
	f.Starts, f.Lists = declared(t, shared, f.Starts), declared(t, shared, f.Lists)
	f.Listed = declared(t, shared, f.Listed)
	return f
}

func declared[T any](t *engine.Table, shared *onmachine.Copy, src []T) []T {
	if !t.Separate() && onmachine.Holds(shared, src) {
		return src
	}
	return engine.Input(t, ArrayName, len(src), func() []T { return src }).Data
}
