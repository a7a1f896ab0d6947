package layout

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// Vertices of curved boundaries slide on curves that package curved reconstructs, each between the initial positions
// of its neighbours. Vertices of straight boundaries next to curved ones stay between theirs too, since the boundary
// beyond has another shape.

// arcOf returns the curve through a boundary vertex and the vertices before and after it on the boundary.
func (l *Layout) arcOf(v, before, after int32) (kernels.Rail[float64], bool) {
	position := func(v int32) [3]float64 { return [3]float64{l.mesh.X[v], l.mesh.Y[v], 0} }
	a, ok := curved.NewArc(position(before), position(v), position(after), l.options.Ridge)
	if !ok {
		return kernels.Rail[float64]{}, false
	}
	l.arcs[v] = a
	return kernels.Rail[float64]{X: l.mesh.X[v], Y: l.mesh.Y[v], Tx: a.T[0], Ty: a.T[1], Bx: a.B[0], By: a.B[1],
		Low: a.Low, High: a.High}, true
}

// curvatures returns the curvatures of the boundary at the vertices of this layout, as the bits of float32 numbers,
// which are exchanged between ranks. That precision is sufficient.
func (l *Layout) curvatures() []int32 {
	curvatures := make([]int32, len(l.Class))
	for v, a := range l.arcs {
		curvatures[v] = int32(math.Float32bits(float32(a.Curvature[2])))
	}
	return curvatures
}

// fixRoughCurves fixes vertices of curved boundaries whose curve does not agree with those of their neighbours.
func (l *Layout) fixRoughCurves(curvatures []int32) {
	curvature := func(v int32) [3]float64 { return [3]float64{2: float64(math.Float32frombits(uint32(curvatures[v])))} }
	var rough []int32
	for v := range l.rails {
		ring := l.rings.Of(v)
		before, after := ring[len(ring)-1], ring[0]
		arc, bent := l.arcs[v]
		if !bent {
			l.limitStraight(v, before, after, curvatures)
			continue
		}
		hasMovable, smooth := false, true
		for u, far := range map[int32]float64{before: -arc.Low, after: arc.High} {
			if l.Class[u] != fixed {
				hasMovable, smooth = true, smooth && arc.Agrees(curvature(u), far)
			}
		}
		if !hasMovable || !smooth {
			rough = append(rough, v)
		}
	}
	for _, v := range rough {
		l.Class[v] = fixed
		delete(l.rails, v)
	}
	l.arcs = nil
}

// limitStraight keeps a vertex of a straight boundary from sliding past curved parts.
func (l *Layout) limitStraight(v, before, after int32, curvatures []int32) {
	r := l.rails[v]
	along := func(u int32) float64 { return (l.mesh.X[u]-r.X)*r.Tx + (l.mesh.Y[u]-r.Y)*r.Ty }
	for _, u := range []int32{before, after} {
		switch s := along(u); {
		case curvatures[u] == 0:
		case s > 0:
			r.High = s
		default:
			r.Low = s
		}
	}
	l.rails[v] = r
}

// shareCurves finds the smooth curves of a local mesh, in which other ranks may own neighbours.
func (l *Layout) shareCurves(ctx context.Context, r *interfaceExchange) error {
	if l.options.Ridge == 0 {
		return nil
	}
	curvatures := l.curvatures()
	if err := r.update(ctx, curvatures); err != nil {
		return err
	}
	l.fixRoughCurves(curvatures)
	return l.shareClasses(ctx, r)
}

// frame returns the surface or line on which a vertex slides.
func (l *Solid) frame(v int32) solid.Frame[float64] {
	p := l.solid.At(v)
	f, ok := l.curved[v]
	if !ok {
		f = curved.Surface{Axes: l.freedoms[v].Axes, T: l.freedoms[v].T[0], U: l.freedoms[v].T[1], Reach: math.Inf(1)}
	}
	return solid.Frame[float64]{X: p[0], Y: p[1], Z: p[2], Tx: f.T[0], Ty: f.T[1], Tz: f.T[2], Ux: f.U[0], Uy: f.U[1],
		Uz: f.U[2], Px: f.P[0], Py: f.P[1], Pz: f.P[2], Qx: f.Q[0], Qy: f.Q[1], Qz: f.Q[2], Rx: f.R[0], Ry: f.R[1],
		Rz: f.R[2], Reach: f.Reach, Axes: int32(f.Axes)}
}
