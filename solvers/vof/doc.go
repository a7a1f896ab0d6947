// Package vof follows an interface by the volume fractions f of the fluid on a Cartesian grid, in two or three
// dimensions:
//
//	∂t f + ∇·(u f) = f ∇·u,  ∇·u = 0
//
// In each mixed cell the interface is a line or plane, found from f alone (package kernels: Youngs, MYC, ELVIRA, LVIRA,
// height functions). A step is one sweep along each axis, and the order of the axes rotates from step to step:
//
//   - weymouth-yue (J. Comput. Phys. 229, 2010), in the plane and in space;
//   - ei-le, an implicit Eulerian and an explicit Lagrangian sweep (Scardovelli and Zaleski, Int. J. Numer.
//     Meth. Fluids 41, 2003; Aulisa et al., J. Comput. Phys. 192, 2003), in the plane.
//
// Both keep the volume to rounding where the velocity has no discrete divergence, and f within its bounds to rounding,
// with nothing clipped. (A cell within 64 units of rounding of 0 or 1 passes its faces what a pure one would; what it
// has stays.) Weymouth–Yue's bounds ask that the CFL numbers of a cell's axes add up to at most 1/2; that sum is what
// CFL means here unless Config.PerAxis says otherwise. EI-LE asks for less than 1 along each axis.
//
// Ghosts are exchanged before each sweep, or once a step with ghosts so wide that the first sweeps go on in them. In
// the plane a device takes both sweeps of a step in one kernel, tile by tile, and only tiles that an interface may
// reach within the steps of a recording: elsewhere nothing changes.
//
// All state is the same to the last bit for any number of ranks and any blocks: a face's flux is the same function of
// the same numbers on both of its sides, and positions are those of global indices.
package vof
