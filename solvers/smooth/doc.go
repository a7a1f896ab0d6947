// Package smooth moves the vertices of meshes so that triangles or tetrahedra become regular, with sides of length 1,
// in a given metric. The connectivity does not change, which limits how far a mesh can follow a metric: sizes that
// differ by more than a factor of about 2 from those for which the mesh was made need refinement.
//
// A metric M gives an edge u the length √(u'Mu). Smoothers, by name:
//
//	pain         a step that reduces ½Σ u'Mu over the edges u at the vertex, as printed by Pain et al. (2001): damped by
//	             a diagonal matrix, and with a fixed metric. It converges to Σ Mu = 0, which does not minimize the sum
//	pain-exact   the same with the derivative of the metric, so that it converges to a minimum of the sum;
//	             over-relaxation (ω up to 1.9) makes it many times faster
//	smart        a Newton step with a fixed metric, if it raises the worst quality around the vertex
//	fjp          Freitag, Jones and Plassmann (1995): to the position that maximizes the worst quality around the vertex
//	hybrid       smart, and then fjp if the worst quality is below a floor
//	barrier      over-relaxed Newton steps that minimize Σ 1/qᵖ over the cells around the vertex, with their qualities
//	             q, in stages. No step lowers the worst quality below a floor, which never falls. It ends by itself,
//	             with neither the mean nor the worst quality below those of the start
//
// Meshes of tetrahedra (layout.Solid, layout.SolidPart, NewSolid) have the same smoothers. Vertices move in space, in
// flat parts of the boundary and along its straight edges by one formula; see package kernels/solid. The type mover
// is the common part of both solvers: sets, sweeps, exchanges and diagnostics.
//
// A mesh with inverted cells is refused, or untangled on request (Untangle): vertices move to the positions that
// maximize the smallest area or volume around them.
//
// Quality is that of Vasilevskii and Lipnikov (1999). The formulas are in package kernels, one vertex at a time.
//
// The parts of the set-up are packages, of which each may import those listed before it:
//
//	metric     tensors at the vertices of a mesh: from files, functions and second derivatives; bounded and graded
//	faults     faults of a mesh or a metric, reported with the same error on all ranks
//	sizing     metrics that can be evaluated at any position: on a grid, as sizes along the axes, or on a mesh
//	request    the metric that a case requests, at the vertices of a mesh; fields at vertices
//	colouring  sets of vertices without edges between them, of a whole mesh or of the parts of all ranks
//	layout     how each vertex may move, and the order of the vertices of each rank: parts, halo plans, tiles
//	quality    qualities, lengths and areas of the whole mesh
//
// Vertices of one set share no edge, so they move concurrently. Set after set moves, and its vertices are
// exchanged between ranks. Sets come from a colouring by global ids (package colouring), rings are ordered by global
// ids, and sums are exact: coordinates are the same to the last bit for any number of ranks, any partition, any
// number of threads and any local order.
package smooth
