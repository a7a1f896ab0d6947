package twophase

import (
	"math"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// LeastAngle is the least contact angle in degrees, and its supplement the largest: flatter interfaces do not cross the
// layers of ghosts that columns of heights reach.
const LeastAngle = 15

// RightAngle is the contact angle without wetting.
const RightAngle = 90

// wetting continues volume fractions beyond sides with contact angles.
type wetting[F num.Float] struct{ *solver[F] }

// wets reports whether a side has a contact angle of its own.
func (s wetting[F]) wets(axis, side int) bool {
	with := &s.cfg.Sides[axis][side]
	return axis < s.block.Grid.Dim && !s.block.Grid.Periodic[axis] && (with.Kind == Slip || with.Kind == NoSlip) &&
		with.Angle != 0 && with.Angle != RightAngle
}

// any reports whether any side does.
func (s wetting[F]) any() (any bool) {
	for axis := range 3 {
		any = any || s.wets(axis, 0) || s.wets(axis, 1)
	}
	return any
}

// extend sets ghosts beyond sides with contact angles, axis by axis: each also reads those beyond the earlier axes.
func (s wetting[F]) extend(p *engine.Program, f *engine.Array[F]) {
	dim, b := int32(s.block.Grid.Dim), s.block
	for axis := range s.block.Grid.Dim {
		if !s.wets(axis, 0) && !s.wets(axis, 1) {
			continue
		}
		for side := range 2 {
			if !s.wets(axis, side) || b.HasNeighbours(axis)[side] {
				continue
			}
			first := (int32(axis) + 1) % dim
			sin, cos := math.Sincos(s.cfg.Sides[axis][side].Angle * math.Pi / 180)
			box := abi.Box{Hi: b.N}
			if side == 1 {
				box.Lo[axis] = b.N[axis] - 1
			}
			box.Hi[axis] = box.Lo[axis] + 1
			p.Run(engine.Over(kernels.NewWetLoop(box, &kernels.Contact[F]{Lattice: s.lattice, Axis: int32(axis), First: first,
				Second: 3 - int32(axis) - first, Inward: int32(1 - 2*side), Layers: Ghosts, Cos: F(cos), Sin: F(sin),
				F: f.Data}), box))
		}
		p.Exchange(s.outerLayers, f)
	}
}
