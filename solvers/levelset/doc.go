// Package levelset follows an interface in a given flow by a level set φ on a Cartesian grid, in the plane or in space,
// with or without particles that correct it (Enright, Fedkiw, Ferziger and Mitchell, J. Comput. Phys. 183, 2002;
// Enright, Losasso and Fedkiw, Comput. Struct. 83, 2005):
//
//	∂t φ + u·∇φ = 0,  |∇φ| = 1
//
// φ is a signed distance at the centres of cells, negative inside, and a constant beyond a band of some cells. A step
// is
//
//  1. advection of φ: semi-Lagrangian, or RK3 with WENO differences of fifth order;
//  2. advection of the particles, of second order, and their migration to the blocks that own where they are;
//  3. correction of φ by particles that have escaped: each knows by its radius how far from it the interface is;
//  4. reinitialisation of φ to a distance: by fast sweeping, or by RK3 and WENO5 with the subcell fix;
//  5. correction once more, since reinitialisation moves the interface;
//  6. new radii; and every so many steps particles are sown where they are few and taken where they are many.
//
// All state is the same to the last bit for any number of ranks and any blocks: cells are what their neighbours in the
// grid make them, all at a time; particles meet in minima and maxima alone; random numbers are those of the particle's
// number.
package levelset
