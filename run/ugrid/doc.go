// Package ugrid writes the course of a run to one NetCDF file by the conventions of UGRID 1.0 and CF: a mesh of
// triangles in the plane, and fields of its cells, a record a moment. All ranks write at once, each a stretch of cells
// in the order of their keys, so that the file has the same bytes on any number of ranks, and a run can continue with
// it on another one. The head counts a record when all of it is there: the file can be read at any time.
package ugrid
