// Package curved reconstructs the curved boundary of a mesh around each vertex, so that the vertex can slide on it:
// along the parabola through a vertex of a curve and its two neighbours (Arc), and on a paraboloid fitted to the
// neighbours of a vertex of a surface (Surface).
//
// Only the vertices of the boundary are known, so a vertex gets an arc or a surface only where neighbours agree on the
// shape within Tolerance. Ridges are edges at which the boundary turns by more than a given angle, that a file marks,
// or that are between groups; surfaces do not extend across them. A vertex at which a curve turns by more than the
// angle is a corner and does not slide.
package curved

// Tolerance is the largest accepted difference between the reconstructed boundary and the neighbouring vertices,
// relative to the length of edges.
const Tolerance = 0.01
