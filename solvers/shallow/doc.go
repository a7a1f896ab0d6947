// Package shallow solves the shallow-water equations of two superposed, immiscible layers on triangles.
//
// For layers k = 1 (upper, lighter) and 2, with thickness h_k, mass flow q_k = h_k u_k, ratio of densities r = ρ1/ρ2
// and a bed at the given depth below the datum, so that the interface stands at z2 = h2 - depth and the surface at
// z1 = h1 + z2:
//
//	∂t h1 + ∇·q1 = 0,  ∂t q1 + ∇·(q1 q1/h1) + g h1 ∇z1 = 0
//	∂t h2 + ∇·q2 = 0,  ∂t q2 + ∇·(q2 q2/h2) + g h2 ∇(r z1 + (1-r) z2) = 0
//
// The finite volume schemes are those of M. de la Asunción, J. M. Mantas and M. J. Castro (CMMSE 2012): classical
// Roe, IR-Roe and PVM-IFCP, with reconstruction and limiting at second order as in docs/shallow-water.md. The kernels
// compute one edge or cell at a time (package kernels). A step, by cells or by tiles, is one program (step.go), whose
// length the clock has (clock.go); New makes a Solver for a rank's part of the mesh.
//
// Wetting and drying: if a layer is absent on one side of an edge, the pressure of the layer on the other side acts
// only as far as its level is above the bed, or the layer, on the dry side. All schemes then use the viscosity of
// PVM-IFCP, and no cell loses more mass than it has. The mass of each layer is conserved to round-off. One layer is the
// special case h1 = 0.
//
// The state is the same to the last bit for any number of ranks, any partition and any order of cells: an edge's flux
// is computed from its cell of lower global id, and a cell sums its edges in the order of its vertices.
package shallow
