// A quarter of a bent pipe.
SetFactory("OpenCASCADE");
Torus(1) = {0, 0, 0.3, 0.7, 0.25, Pi/2};
Mesh.CharacteristicLengthMax = 0.12;
Mesh.Optimize = 0;
