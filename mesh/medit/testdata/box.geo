// The unit cube, of one group of cells and one of faces. box.mesh comes from gmsh -3 -format mesh box.geo -o box.mesh.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume(7) = {1};
Physical Surface(3) = {1, 2, 3, 4, 5, 6};
Mesh.MeshSizeFactor = 2;
