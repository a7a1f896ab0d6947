// Package ugrid writes the frames of a run to one NetCDF file by the conventions UGRID 1.0 and CF: a mesh of triangles
// in the plane, and fields on its cells, one record per time.
//
// All ranks open a Writer and write in parallel. Cells are stored in the order of their keys, and each rank writes a
// contiguous range of them. So the file has the same bytes for any number of ranks, and a run can continue it with
// another number. The record count in the header grows only after a record is complete, so the file can be read at any
// time.
package ugrid
