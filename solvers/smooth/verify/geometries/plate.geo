// A plate with a hole.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Disk(2) = {0.45, 0.55, 0, 0.2};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
Mesh.CharacteristicLengthMax = 0.05;
Mesh.Algorithm = 5;
Mesh.Smoothing = 0;
