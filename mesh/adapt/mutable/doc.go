// Package mutable has meshes of triangles and tetrahedra that change locally: cells are replaced by others, while the
// boundary, interfaces between materials, and ridges keep what the input says of them. A Mesh is made of an Input, and
// that of a mesh of package mesh.
package mutable
