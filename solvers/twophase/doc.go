// Package twophase solves the incompressible Navier–Stokes equations of two fluids with surface tension on a grid of
// squares or cubes; of one fluid if both are equal.
//
// The interface is a volume fraction, advected by the sweeps of Weymouth and Yue with piecewise linear interfaces. The
// momentum of each face's volume is carried by the mass that these sweeps move, so that density ratios of a thousand
// million are stable. Viscosity is implicit, with the full stress; surface tension and gravity are at faces, where the
// pressure's gradient balances them; the projection is a solution of ∇·(1/ρ ∇p) = ∇·u/dt by package multigrid. The
// volume fraction is known half a step before the velocity.
//
// No result depends on the division into blocks, threads, or the device: see package multigrid.
package twophase
