// A plate with a hole. gmsh -2 plate.geo makes plate.msh.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 2, 1};
Disk(2) = {0.7, 0.5, 0, 0.2};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
MeshSize { PointsOf{ Surface{3}; } } = 0.05;
Physical Curve("hole", 1) = {5};
Physical Curve("left", 2) = Curve In BoundingBox {-0.01, -0.01, -0.01, 0.01, 1.01, 0.01};
Physical Curve("right", 3) = Curve In BoundingBox {1.99, -0.01, -0.01, 2.01, 1.01, 0.01};
Physical Curve("walls", 4) = {
  Curve In BoundingBox {-0.01, -0.01, -0.01, 2.01, 0.01, 0.01},
  Curve In BoundingBox {-0.01, 0.99, -0.01, 2.01, 1.01, 0.01}
};
Physical Surface("plate", 5) = {3};
