// A basin with an island: two physical groups of edges and two of cells. Each island-*.msh comes from
//   gmsh -2 -format msh22|msh41 [-bin] island.geo -o island-22|41[-binary].msh
// and island.mesh from gmsh -2 -format mesh island.geo -o island.mesh, with Gmsh 4.8.
SetFactory("Built-in");
h = 0.5;
Point(1) = {0, 0, 0, h}; Point(2) = {4, 0, 0, h}; Point(3) = {4, 2, 0, h}; Point(4) = {0, 2, 0, h};
Point(5) = {2, 0, 0, h}; Point(6) = {2, 2, 0, h};
Line(1) = {1, 5}; Line(2) = {5, 2}; Line(3) = {2, 3}; Line(4) = {3, 6}; Line(5) = {6, 4}; Line(6) = {4, 1};
Line(7) = {5, 6};
Point(10) = {1, 1, 0, h}; Point(11) = {1.5, 1, 0, h}; Point(12) = {1, 1.5, 0, h}; Point(13) = {0.5, 1, 0, h};
Point(14) = {1, 0.5, 0, h};
Circle(11) = {11, 10, 12}; Circle(12) = {12, 10, 13}; Circle(13) = {13, 10, 14}; Circle(14) = {14, 10, 11};
Curve Loop(1) = {1, 7, 5, 6}; Curve Loop(2) = {11, 12, 13, 14}; Curve Loop(3) = {2, 3, 4, -7};
Plane Surface(1) = {1, 2};
Plane Surface(2) = {3};
Physical Point("gauge", 9) = {11};
Physical Curve("shore", 5) = {11, 12, 13, 14};
Physical Curve("open sea", 3) = {1, 2, 3, 4, 5, 6};
Physical Surface("west", 20) = {1};
Physical Surface(21) = {2};
