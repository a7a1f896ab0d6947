// Package levelset follows an interface in a given flow by a level set φ on a Cartesian grid, in the plane or in space,
// with or without particles that correct it (Enright, Fedkiw, Ferziger and Mitchell, J. Comput. Phys. 183, 2002;
// Enright, Losasso and Fedkiw, Comput. Struct. 83, 2005):
//
//	∂t φ + u·∇φ = 0,  |∇φ| = 1
//
// φ is a signed distance at the centres of cells, negative inside, within a band around the interface, and constant
// beyond. New makes a Solver for a rank's block from the Distance of a body; its Advance takes steps of
//
//  1. advection of φ: semi-Lagrangian, or RK3 with WENO differences of fifth order;
//  2. advection of the particles (second order), and their migration to the blocks that own their new positions;
//  3. correction of φ by escaped particles: the radius of a particle is its previous distance from the interface;
//  4. reinitialisation of φ to a distance: by sweeping (Jacobi iterations), or by RK2 and WENO5 with the subcell fix;
//  5. correction once more, since reinitialisation moves the interface;
//  6. every `Reseed` steps, particles are added where there are few and removed where there are many.
//
// Each step begins by giving particles the radii with which they touch the interface.
//
// The state is the same to the last bit for any number of ranks and any blocks: cells are updated from old values of
// their neighbours, particles interact only through minima and maxima, and random numbers depend only on the number
// of a particle.
package levelset
