// Package vof computes the motion of the interface between a fluid and its surroundings in a given velocity u, by the
// volume fractions f of the fluid in the cells of a Cartesian grid, in two or three dimensions:
//
//	∂t f + ∇·(u f) = f ∇·u,  ∇·u = 0
//
// In each mixed cell the interface is a line or plane, reconstructed from f (package kernels: Youngs, MYC, ELVIRA,
// LVIRA, height functions). A Solver, made by New for a rank's block, takes steps of one sweep along each axis; the
// order of the axes rotates from step to step. Sweeps are
//
//   - weymouth-yue (J. Comput. Phys. 229, 2010), in the plane and in space;
//   - ei-le, an implicit Eulerian and an explicit Lagrangian sweep (Scardovelli and Zaleski, Int. J. Numer.
//     Meth. Fluids 41, 2003; Aulisa et al., J. Comput. Phys. 192, 2003), in the plane.
//
// Both conserve volume to round-off if the velocity has no discrete divergence, and keep f within its bounds to
// round-off, without clipping. (A cell whose f differs from 0 or 1 by at most 64 units of round-off is advected like an
// empty or full one, but keeps its f.) Weymouth–Yue requires that the CFL numbers along the axes of a cell sum to at
// most 1/2; CFL means this sum unless Config.PerAxis is set. EI-LE requires less than 1 along each axis.
//
// Ghosts are exchanged before each sweep, or once a step with ghosts so wide that the first sweeps are repeated in
// them, or once in a cycle of 24 steps: see schedule. In the plane a device may compute both sweeps of a step in one
// kernel, tile by tile, and skip tiles that no interface can reach within a cycle. A device in the host's memory skips
// cells outside of the narrow band around the interface.
//
// The state is the same to the last bit for any number of ranks and any blocks: the flux through a face is computed
// from the same numbers on both sides, and positions are computed from global indices.
package vof
