// A ball.
SetFactory("OpenCASCADE");
Sphere(1) = {0.5, 0.5, 0.5, 0.5};
Mesh.CharacteristicLengthMax = 0.15;
Mesh.Optimize = 0;
