// Package adapt changes a mesh of triangles or tetrahedra until its edges have length 1 and its cells are regular in a
// metric: it splits long edges, collapses short ones, swaps edges and faces, and moves vertices. No cell is ever
// inverted, and boundaries, interfaces between materials, corners, ridges and required entities are kept.
//
// The result is a function of the mesh, its global ids, the metric and the options. It does not depend on the local
// numbering, the number of threads, the order of work or the division of the mesh among ranks (Exchange):
//
//   - Operations run in rounds of one kind. All candidates of a round are evaluated on the same mesh, without changing
//     it. A candidate has a cavity, the cells that it replaces, all around one vertex, its pivot.
//   - A candidate has a priority: a class, such as that of the length of the edge, and a hash of the round and of
//     global ids. It is taken if it has the highest priority on all cells of its cavity. Those that lost a cell are
//     dropped, and the choice is repeated among the others. Cavities of taken candidates are disjoint, so that all are
//     applied.
//   - A new vertex gets the next global id, in the order of the ids of the edges that are split.
//   - Cells have their vertices in an order given by global ids, lengths are evaluated from the end with the lower id,
//     and sums are taken in the order of ids.
//   - Arithmetic is + − × ÷ √ only.
//
// Quality is that of Mmg (C. Dapogny, C. Dobrzynski and P. Frey, J. Comput. Phys. 262 (2014) 358): 1 for the regular
// cell in the mean of the metrics at its vertices, 0 for a flat one.
package adapt
