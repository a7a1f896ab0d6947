// Package plot draws the results of a run: maps of cell fields, the partition of a mesh, and series over time.
//
// A Map or a Partition is rasterised straight from the triangles: each sample point lies in one triangle, so no seam
// shows between triangles or parts, whatever the mesh. Series are drawn by gonum/plot. Run draws what the output
// folder of a run holds.
package plot
