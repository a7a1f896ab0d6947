// Package kernels is the physics of two-layer shallow water, one edge or one cell at a time.
//
// Index 1 is the upper, lighter layer and index 2 the lower one; h is a thickness, q = h u a mass flow, r the ratio
// of densities, g gravity, and depth the distance of the bed below the datum, so that the interface stands at
// z2 = h2 - depth and the surface at z1 = h1 + h2 - depth. Equation numbers are those of M. de la Asunción,
// J. M. Mantas and M. J. Castro, "Evaluating the impact of reordering unstructured meshes on the performance of
// finite volume GPU solvers", CMMSE 2012.
//
// The functions are plain and use only + - × ÷ √ and comparisons, so that every processor gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/local"
)

// State holds the unknowns of a cell: thicknesses in m, mass flows in m²/s.
type State[F num.Float] struct {
	H1, Q1x, Q1y, H2, Q2x, Q2y F
}

// EdgeCells are the cells on both sides of an edge. Left has the lower global id. At the boundary Right is Wall, or
// FirstOutlet - k where the edge is outlet k of the mesh's Boundary.
type EdgeCells struct{ Left, Right int32 }

const (
	Wall int32 = -1 // no mass passes
	Open int32 = -2 // of a Stencil: a transmissive boundary

	FirstOutlet int32 = -3
)

// Normal is the unit normal of an edge, from Left to Right, and the edge's length in m.
type Normal[F num.Float] struct{ X, Y, Length, _ F }

// Bed holds the constants of a cell: the depth of its bed in m, and its area in m².
type Bed[F num.Float] struct{ Depth, Area F }

// CellEdges are a cell's edges in the order of its vertices: e where the cell is the edge's left, and ^e where it is
// the right. In a Mesh they are the positions of the edges' fluxes instead.
type CellEdges struct{ Edge [3]int32 }

// Flux is the flux of a layer through an edge, times the edge's length: M is the volume that passes from Left to Right,
// m³/s; Side is the change of mass flow that the edge takes out of Left and of Right, m⁴/s², which differ since the
// equations are not in conservation form. Speed is that of the fastest wave, m²/s; only the lower layer has it.
type Flux[F num.Float] struct {
	M, Speed F // pieces of 16 bytes, which a GPU moves at once
	Side     [2]Vec2[F]
}

// Mesh is a rank's part of the mesh: edges, and cells of which the first Owned are its own and the rest ghosts.
type Mesh[F num.Float] struct {
	EdgeCells []EdgeCells
	Normals   []Normal[F]
	Beds      []Bed[F]
	CellEdges []CellEdges // of owned cells
	// Position of the flux of each edge in the array of fluxes. Edges may have the same one, if the flux of one is no
	// longer needed when that of the other is computed.
	FluxAt   []int32
	Owned    int32
	Boundary Boundary[F]
	Local    local.Steps[F]

	// For second order.
	Stencils []Stencil[F] // of owned cells
	Arms     []Arms[F]    // of edges
	SlopesAt []int32      // position of each cell's slopes in the array of slopes, likewise shared
}

// Params holds the constants of a run.
//
//atoll:constant
type Params[F num.Float] struct {
	Gravity      F
	DensityRatio F    // r = ρ1/ρ2
	CFL          F    // γ of equation (3)
	EntropyFix   F    // width of Harten's fix as a share of λ4 - λ1; 0 as in the paper
	DryDepth     F    // m; a thinner layer counts as absent
	Tolerance    F    // relative change at which Newton's iteration stops
	Hyperbolic   bool // relax cells back to hyperbolicity by friction between the layers
	Friction     bool // Manning's friction at the bed
	Forced       bool // Forcing acts on the water
	Rotation     F    // the largest absolute value of the Coriolis parameter, 1/s
	Lag          bool // a step's length comes from the waves of the step before last
}

// Counters counts exceptional events.
type Counters struct {
	ComplexEdges  int64 // internal eigenvalues that were a complex pair
	LimitedFluxes int64 // mass fluxes limited to what the upwind layer could supply
}
