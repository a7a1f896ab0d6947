// Package smooth moves the vertices of meshes so that triangles or tetrahedra become regular, with sides of length 1,
// in a given metric. Connectivity stays as it is, which limits how far a mesh can follow a metric: sizes that differ
// by more than about 2 from what the connectivity was made for need refinement.
//
// A metric M gives an edge u the length √(u'Mu). Smoothers, by name:
//
//	pain         a step toward the least ½Σ u'Mu, as printed by Pain et al. (2001): damped by a diagonal, and with the
//	             metric held fixed, so that it comes to rest where Σ Mu = 0, which is not what the metric asks for
//	pain-exact   with the derivative of the metric, so that it comes to rest where the sum is least;
//	             over-relaxation (ω up to 1.9) makes it many times faster
//	smart        a step of Newton in the metric held fixed, where that raises the worst quality around the vertex
//	fjp          Freitag, Jones and Plassmann (1995): to where the worst quality around the vertex is best
//	hybrid       smart, and then fjp where the worst quality is below a floor
//	barrier      over-relaxed Newton steps toward the least Σ 1/qᵖ over the cells around the vertex, in stages, under a
//	             floor of the worst quality that only rises; it ends by itself, with neither the mean nor the worst
//	             quality below those of the start
//
// Meshes of tetrahedra (layout.Solid, layout.SolidPart, NewSolid) have the same smoothers. Vertices move in space, in
// flat parts of the boundary and along its straight edges by one formula; see package kernels/solid. The engine has
// what both kinds of cells share: sets, sweeps, exchanges and diagnostics.
//
// A mesh with inverted cells is refused, or untangled on request: vertices maximize the least area or volume around
// them (Untangle).
//
// Quality is that of Vasilevskii and Lipnikov (1999). The formulas are in package kernels, one vertex at a time.
//
// What a sweep needs is in packages of its own, each over those before it:
//
//	metric     tensors at the vertices of a mesh: from files, functions and second derivatives; bounded and graded
//	faults     what is wrong with a mesh or a metric, agreed on by all ranks
//	sizing     metrics as sweeps look them up, anywhere: on a grid, as sizes along the axes, on a mesh
//	colouring  sets of vertices without edges, in one memory or over ranks
//	layout     what each vertex may do, and the order of the vertices of each rank: parts, halo plans, tiles
//	quality    qualities, lengths and areas of the whole mesh
//
// Vertices of one set share no edge, so they move at the same time. Sets follow one another, and their vertices are
// exchanged between ranks. Sets come from a colouring by global ids (package colouring), rings are ordered by global
// ids, and sums are exact: coordinates are the same to the last bit for any number of ranks, any partition, any
// number of threads and any local order.
package smooth
