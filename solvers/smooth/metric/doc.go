// Package metric computes metrics at the vertices of a mesh (a Field on a Mesh), in the plane and in space: from
// files, from functions of the position, and from second derivatives of a field (Recovered, FromHessian). Fields can
// be bounded, graded, intersected and scaled. It runs on the host, before a mesh is smoothed.
//
// A metric is a symmetric positive definite tensor M with the dimension of a length to the power -2. An edge u has
// the length √(u'Mu) in it. Its eigenvalues are 1/h², where h is the desired size along the eigenvector.
//
// The results depend only on the numbers and ids of the mesh.
package metric
