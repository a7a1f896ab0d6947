package coefficients

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/rough"
)

// Arrays are what kernels read: each coefficient has its array, of an element per cell, somewhere in them.
type Arrays[F num.Float] struct {
	Manning *[]F
	Forcing *kernels.Forcing[F]
	Uplift  *kernels.Uplift[F]
}

// array is where a coefficient goes.
type array struct {
	round func(values []float64, all Values)            // makes its elements on the host; nil if the solver computes them
	put   func(t *engine.Table, key string, length int) // moves it to the device; nil for no array
}

// rounded is an array of the values in the precision of a run.
func rounded[F num.Float](to *[]F) array {
	a := computed(to)
	a.round = func(values []float64, _ Values) {
		*to = make([]F, len(values))
		for i, v := range values {
			(*to)[i] = F(v)
		}
	}
	return a
}

// computed is an array whose elements the solver computes, from several numbers.
func computed[T any](to *[]T) array {
	return array{put: func(t *engine.Table, key string, length int) {
		host := *to
		*to = engine.Input(t, key, length, func() []T { return host }).Data
	}}
}

// byDepth is an array of the roughness of shallow water.
func byDepth[F num.Float](to *[]rough.Shallows[F]) array {
	a := computed(to)
	a.round = func(values []float64, all Values) {
		*to = make([]rough.Shallows[F], len(values))
		for i, n := range values {
			s := rough.Shallows[F]{N: F(n), Deep: F(all[DepthDeep][i])}
			if below := all[DepthShallow]; below != nil {
				s.Below = F(below[i])
			}
			(*to)[i] = s
		}
	}
	return a
}

// length returns the length of the array of a coefficient in a part.
func (k *Coefficient) length(owned, held int) int {
	if k.Ghosts {
		return held
	}
	return owned
}

// Round makes the arrays on the host whose elements are values.
func (to Arrays[F]) Round(v Values, owned int) {
	for _, k := range list(to) {
		if values := v[k.Key]; values != nil && k.array.round != nil {
			k.array.round(values[:k.length(owned, len(values))], v)
		}
	}
}

// Declare declares the arrays of the coefficients that there are, and moves what the host has made to the device.
func (to Arrays[F]) Declare(t *engine.Table, given Given, owned, held int) {
	for _, k := range list(to) {
		if given[k.Key] && k.array.put != nil {
			k.array.put(t, k.Key, k.length(owned, held))
		}
	}
}
