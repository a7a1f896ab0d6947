// A disc.
SetFactory("OpenCASCADE");
Disk(1) = {0.5, 0.5, 0, 0.5};
Mesh.CharacteristicLengthMax = 0.05;
Mesh.Algorithm = 1;
Mesh.Smoothing = 0;
