// A plate with a hole, which is fine around the hole.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 1, 1};
Disk(2) = {0.45, 0.55, 0, 0.2};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
Field[1] = MathEval;
Field[1].F = "0.02 + 0.25 * (Sqrt((x - 0.45)^2 + (y - 0.55)^2) - 0.2)";
Background Field = 1;
Mesh.Algorithm = 5;
Mesh.Smoothing = 0;
