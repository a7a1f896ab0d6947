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

import "math"

// Float is a precision that a run may have.
type Float interface{ float32 | float64 }

// State holds the unknowns of a cell: thicknesses in m, mass flows in m²/s.
type State[F Float] struct {
	H1, Q1x, Q1y, H2, Q2x, Q2y F
}

// Edge is an edge of the mesh between the cells Left and Right, of which Left has the lower global id. The unit
// normal points from Left to Right. At the boundary Right is one of the negative constants Wall and Open.
type Edge[F Float] struct {
	Left, Right    int32
	Nx, Ny, Length F
}

const (
	Wall int32 = -1 // no mass passes
	Open int32 = -2 // what is inside continues outside
)

// Site is what does not change about a cell: depth of the bed in m, area in m², and its edges in the order of the
// cell's vertices, e where the cell is the edge's left and ^e where it is the right.
type Site[F Float] struct {
	Depth, Area F
	Edge        [3]int32
	_           int32
}

// Flux is what passes through an edge per second, times the edge's length: M is the mass that leaves Left for Right;
// (LX, LY) is the change of mass flow that the edge takes out of Left, (RX, RY) out of Right. The two differ because
// the equations are not in conservation form. Speed is the fastest wave's.
type Flux[F Float] struct {
	M1, LX1, LY1 F
	M2, LX2, LY2 F
	Speed        F
	_            F // pieces of 16 bytes, which a GPU moves at once
	RX1, RY1     F
	RX2, RY2     F
}

// Mesh is a rank's part of the mesh: edges, and cells of which the first Owned are its own and the rest ghosts.
type Mesh[F Float] struct {
	Edges []Edge[F]
	Sites []Site[F]
	Owned int32
}

// Params holds the constants of a run.
//
//atoll:constant
type Params[F Float] struct {
	Gravity      F
	DensityRatio F    // r = ρ1/ρ2
	CFL          F    // γ of equation (3)
	EntropyFix   F    // width of Harten's fix as a share of λ4 - λ1; 0 is the paper
	DryDepth     F    // m; a thinner layer counts as absent
	Tolerance    F    // relative change at which Newton's iteration stops
	Hyperbolic   bool // relax cells back to hyperbolicity by friction between the layers
	Friction     bool // Manning's friction at the bed
}

// Counters counts what was out of the ordinary.
type Counters struct {
	ComplexEdges  int64 // internal eigenvalues that were a complex pair
	LimitedFluxes int64 // mass fluxes cut to what the upwind layer could give
}

// Clock is the time step that all cells take, in s.
type Clock[F Float] struct{ Dt F }

func sqrt[F Float](x F) F { return F(math.Sqrt(float64(x))) }

// abs and the two below branch: math.Abs goes through an integer register on amd64, and the branches are mostly foreseen.
func abs[F Float](x F) F {
	if x < 0 {
		return -x
	}
	return x
}

func larger[F Float](a, b F) F {
	if a > b {
		return a
	}
	return b
}

func smaller[F Float](a, b F) F {
	if a < b {
		return a
	}
	return b
}
