// A block with a hole drilled through it. gmsh -3 block.geo makes block.msh.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 2, 1, 1};
Cylinder(2) = {0.7, 0, 0.5, 0, 1, 0, 0.25};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
MeshSize { PointsOf{ Volume{3}; } } = 0.16;
Physical Volume("block", 1) = {3};
Physical Surface("left", 2) = Surface In BoundingBox {-0.01, -0.01, -0.01, 0.01, 1.01, 1.01};
Physical Surface("right", 3) = Surface In BoundingBox {1.99, -0.01, -0.01, 2.01, 1.01, 1.01};
Physical Surface("hole", 4) = Surface In BoundingBox {0.44, -0.01, 0.24, 0.96, 1.01, 0.76};
