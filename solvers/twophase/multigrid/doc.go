// Package multigrid solves Σ a_f (x_i - x_j) = b_i on the cells i of a grid of any size, over the faces f to their
// neighbours j: the discrete form of -∇·(β∇x) with coefficients that may jump by orders of magnitude between faces.
//
// The method is conjugate gradients, preconditioned with a V-cycle: Chebyshev iterations of degree four before and
// after the coarse correction on the Jacobi-scaled matrix, whose spectrum lies in [0, 2] (Adams et al., J. Comput.
// Phys. 188, 2003); coarse coefficients from links in series and in parallel, with the interpolation that belongs to
// them (see levels.Transfer); its transpose for restriction; a direct solution of at most levels.BottomCells
// unknowns.
//
// All arithmetic is that of cells of the whole grid. Sums are fixed-point sums of integers, maxima have no order,
// coarse cells are made of the same fine ones everywhere, and small levels are computed by all ranks as a whole. So
// the bits of the solution depend neither on the ranks, nor on threads or devices.
package multigrid
