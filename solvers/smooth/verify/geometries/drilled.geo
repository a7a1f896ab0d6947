// A cube with a hole drilled through it.
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Cylinder(2) = {0.5, 0.45, -1, 0, 0, 3, 0.3};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.CharacteristicLengthMax = 0.15;
Mesh.Optimize = 0;
