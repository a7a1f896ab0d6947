// Package metric makes metrics at the vertices of a mesh, in the plane and in space: from files, from functions of the
// position, and from the second derivatives of a field; and bounds, grades, intersects and scales them. It runs on the
// host, before a mesh is smoothed.
//
// A metric is a symmetric positive definite tensor M with the dimension of a length to the power -2. An edge u has the
// length √(u'Mu) in it. Its eigenvalues are 1/h², where h are the sizes that it wants along its eigenvectors.
//
// Nothing here depends on anything but the numbers and ids of the mesh.
package metric
