// A quarter of a bent pipe, which is fine at one end.
SetFactory("OpenCASCADE");
Torus(1) = {0, 0, 0.3, 0.7, 0.25, Pi/2};
Field[1] = MathEval;
Field[1].F = "0.06 + 0.12 * x";
Background Field = 1;
Mesh.Optimize = 0;
