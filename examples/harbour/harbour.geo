// A harbour basin, 2 km by 1 km, with an island and a mouth to the sea in the west.
SetFactory("Built-in");
size = 30;
Point(1) = {0, 0, 0, size};
Point(2) = {2000, 0, 0, size};
Point(3) = {2000, 1000, 0, size};
Point(4) = {0, 1000, 0, size};
Point(5) = {0, 650, 0, size};
Point(6) = {0, 350, 0, size};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 6}; // the mouth
Line(6) = {6, 1};
// The island, a circle of radius 100 m.
Point(10) = {1200, 500, 0, size/2};
Point(11) = {1300, 500, 0, size/2};
Point(12) = {1200, 600, 0, size/2};
Point(13) = {1100, 500, 0, size/2};
Point(14) = {1200, 400, 0, size/2};
Circle(11) = {11, 10, 12};
Circle(12) = {12, 10, 13};
Circle(13) = {13, 10, 14};
Circle(14) = {14, 10, 11};
Curve Loop(1) = {1, 2, 3, 4, 5, 6};
Curve Loop(2) = {11, 12, 13, 14};
Plane Surface(1) = {1, 2};
Physical Curve("shore") = {1, 2, 3, 4, 6};
Physical Curve("island") = {11, 12, 13, 14};
Physical Curve("mouth") = {5};
Physical Surface("water") = {1};
