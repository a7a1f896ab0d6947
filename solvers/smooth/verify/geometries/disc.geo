// A disc, which is fine on one side.
SetFactory("OpenCASCADE");
Disk(1) = {0.5, 0.5, 0, 0.5};
Field[1] = MathEval;
Field[1].F = "0.02 + 0.08 * x";
Background Field = 1;
Mesh.Algorithm = 1;
Mesh.Smoothing = 0;
