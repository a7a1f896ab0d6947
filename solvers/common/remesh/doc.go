// Package remesh changes the mesh of a run of triangles between steps. Solver is a solver whose mesh changes: it has
// another solver, for the mesh as it is, and replaces it. What the equations have to do with it is a Problem: which
// sizes the state wants, and how the state is carried to another mesh.
//
// A change is a restart on another mesh. The saved fields of all ranks are gathered on rank 0, by the ids of cells.
// Rank 0 adapts the mesh (mesh/adapt), carries the fields to it by the exact overlap of old and new cells
// (mesh/transfer), divides it among the ranks, and sends each its part. Each rank makes a solver on its part, as at the
// start of a run, and restores the fields. All of that depends on the gathered state and the ids alone, so that meshes
// and fields have the same bits on any number of ranks, threads and devices.
package remesh
