// Package hdf5 reads the datasets and attributes of the root group of HDF5 files as NetCDF-4 uses them (HDF5 File
// Format Specification, versions 1 to 3): integers, floats and strings in compact, contiguous and chunked layouts with
// the filters deflate, shuffle and Fletcher-32. What newer layouts and other filters need is refused by name.
//
//   - file.go: the superblock, and bounded access to bytes;
//   - object.go: object headers and their messages;
//   - group.go, heap.go, tree.go: links and attributes, in the old structures (symbol tables, B-trees of version 1) and
//     the new ones (fractal heaps, B-trees of version 2);
//   - datatype.go, attribute.go: types and values of attributes;
//   - dataset.go, chunk.go: values of datasets.
//
// Memory is bounded by the size of the file and of what is asked for: lengths are checked before they are believed.
package hdf5
