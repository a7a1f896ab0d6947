// Package kernels moves the vertices of a triangle mesh toward a metric, one vertex at a time.
//
// A metric M gives the vector u the length √(u'Mu); a mesh is good where its triangles are equilateral with sides of
// length 1 in it. Vertices that share no edge may move at the same time, because a vertex reads its neighbours and
// writes nothing but itself: a set of such vertices is one launch of a kernel.
//
// Kernels use only + − × ÷ √ and comparisons of floating-point numbers, so that every processor gives the same
// bits. All sums run over a vertex's neighbours in the order of its ring, which is fixed by global ids.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Vertex is a vertex with the metric at its position, which is updated when it moves. S is the coordinate of a
// sliding boundary vertex on its rail.
type Vertex[F num.Float] struct{ X, Y, M11, M12, M22, S F }

// Tensor is a symmetric tensor.
type Tensor[F num.Float] struct{ M11, M12, M22, _ F }

// MaxDegree is the maximum number of triangles around a vertex that the optimiser and Untangle move.
const MaxDegree = 32

// inline is the number of neighbours stored in the ring itself.
const inline = 7

// Ring lists the neighbours of a vertex counter-clockwise. Around a vertex inside the mesh it begins with the lowest
// global id and is closed: its last and its first neighbour share a triangle. On the boundary it begins where the mesh
// does. The eighth entry is -1, or the index of the eighth neighbour in Mesh.More; -1 ends both lists.
type Ring struct{ At [inline + 1]int32 }

// Rail is the line on which a boundary vertex slides: its origin, where the vertex began, and its direction there. At s
// from the origin it is at (X, Y) + s (Tx, Ty) + s² (Bx, By): a straight line, with a direction of length 1, or a
// parabola, on which s stays between Low and High. Only Barrier uses these two.
type Rail[F num.Float] struct{ X, Y, Tx, Ty, Bx, By, Low, High F }

// Mesh is the constant part of a mesh: the neighbours of all vertices that move, and the rails of those on the
// boundary.
type Mesh[F num.Float] struct {
	Rings []Ring
	More  []int32
	Rails []Rail[F]
}

// Set is a range of vertices that share no edge. Those from FirstSliding on lie on the boundary, and the rail of
// vertex i is Rails[i-FirstSliding+FirstRail].
//
//atoll:constant
type Set struct {
	FirstSliding, FirstRail int32
	Index, Sets             int32 // number of this set, and of all sets
	Owned                   int32 // vertices from here on are copies of another rank's: they move, and are not counted
}

// Guards against inverted triangles.
const (
	NoGuard int32 = iota // as printed in the literature
	Halve                // try half the step, up to ten times, and then none
	Clip                 // cut the step to 0.9 of what the triangles allow
)

// Params holds the constants of a run.
//
//atoll:constant
type Params[F num.Float] struct {
	Relax     F     // ω: the share of the step that is taken
	Excess    F     // s of the printed Pain step: how far D exceeds the off-diagonal sum
	Tolerance F     // square of the move, in the metric, above which neighbours are visited again
	Gain      F     // smallest rise of the worst quality for which a vertex moves
	Shortest  F     // step, in the metric, at which a search along a line ends
	Margin    F     // by which Barrier raises the worst quality where that is below its floor: more than rounding
	Flat      F     // a triangle whose area is no larger than this share of its two products is flat
	Shape     F     // least shape (see trialEnergy) to which Barrier may bring a triangle; 0 for no bound
	Guard     int32 // NoGuard, Halve or Clip
	Climbs    int32 // maximum number of steps of the optimiser in a visit
	Cull      bool  // skip vertices around which nothing has moved
}

// Control holds the parameters that change between sweeps.
type Control[F num.Float] struct {
	Floor     F     // Hybrid optimises where the worst quality is below this; Barrier makes no cell worse
	Sweep     int32 // from 0
	Doublings int32 // log₂ of Barrier's power p
	Rising    bool  // Barrier lowers the sum of qualities around no vertex
}

// Counters counts limited and refused steps.
type Counters struct {
	Limited int64 // steps that the guard shortened or refused
	Refused int64 // steps that would not have raised the worst quality
}

// next returns the k-th neighbour of vertex i, -1 after the last.
func (m *Mesh[F]) next(i, k int) int32 {
	if k < inline {
		return m.Rings[i].At[k]
	}
	if more := m.Rings[i].At[inline]; more >= 0 {
		return m.More[int(more)+k-inline]
	}
	return -1
}

// corner returns the vertex that ends the k-th triangle of the cavity of i, k ≥ 1: its k-th neighbour, or after the
// last one the first if the ring is closed, and -1 if it is not.
func (m *Mesh[F]) corner(i, k int, first int32, closed bool) int32 {
	j := m.next(i, k)
	if j < 0 && closed {
		return first
	}
	return j
}
