// The bay: 4 x 3 km, with triangles of 40 m where water and land meet and of 150 m elsewhere.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 4000, 3000};
Physical Surface("bay") = {1};
Physical Curve("sea") = {4};
Physical Curve("land") = {1, 2, 3};
Field[1] = MathEval;
Field[1].F = "40 + 110*(Fabs(x - 2400)/1600)^2";
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
